"""`make bench`: every benchmark of this folder, found by its name; give names to run only those."""

import importlib
import pkgutil
import signal
import sys

import benchmarks

signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # what a benchmark made is taken down
for module in pkgutil.iter_modules(benchmarks.__path__):
    if module.name.startswith("bench_") and (len(sys.argv) == 1 or module.name.removeprefix("bench_") in sys.argv[1:]):
        print(f"== {module.name.removeprefix('bench_')}", flush=True)
        importlib.import_module(f"benchmarks.{module.name}").main()
