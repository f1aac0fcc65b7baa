"""`make bench`: every benchmark of this folder, found by its name; give names to run only those.

A benchmark that fails does not stop the others. The exit code is then 1.
"""

import importlib
import pkgutil
import signal
import sys
import traceback

import benchmarks

signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # what a benchmark made is taken down
failed = []
for module in pkgutil.iter_modules(benchmarks.__path__):
    name = module.name.removeprefix("bench_")
    if module.name.startswith("bench_") and (len(sys.argv) == 1 or name in sys.argv[1:]):
        print(f"== {name}", flush=True)
        try:
            importlib.import_module(f"benchmarks.{module.name}").main()
        except (Exception, SystemExit):  # the others still have something to say
            traceback.print_exc()
            failed.append(name)
if failed:
    sys.exit(f"failed: {', '.join(failed)}")
