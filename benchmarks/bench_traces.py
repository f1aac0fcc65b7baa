"""What a trace costs: 100 million IOs described, text of others read; rates by processor time, memory."""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from stend import trace
from stend.trace import taken
from stend.trace.described import described

MANY = int(os.environ.get("STEND_TRACE_IOS", "100000000"))
ROWS = 1 << 20
SPAN_BYTES = 1 << 40
MOST_MB = 1000
LINES = 3_000_000


def ios(many: int) -> Iterator[trace.Batch]:
    """Reads and writes of three sizes at 100,000 IOPS, four in five in a hundredth of a terabyte."""
    draw, begun = np.random.default_rng(7), 0
    for first in range(0, many, ROWS):
        rows = min(ROWS, many - first)
        t_ns = begun + np.cumsum(draw.exponential(10_000, rows)).astype(np.int64)
        begun = int(t_ns[-1])
        hot = draw.random(rows) < 0.8
        blocks = np.where(
            hot, draw.integers(0, SPAN_BYTES // 100 >> 12, rows), draw.integers(0, SPAN_BYTES >> 12, rows)
        )
        length = draw.choice([4096, 8192, 65536], rows, p=[0.7, 0.2, 0.1])
        latency_ns = draw.lognormal(11.5, 0.8, rows).astype(np.int64)
        op = draw.random(rows) < 0.3
        yield {"t_ns": t_ns, "op": op, "offset": blocks << 12, "length": length, "latency_ns": latency_ns}


def text(path: Path, line: str) -> None:
    """IOs in a format: `{i}` is a running number."""
    with path.open("w") as file:
        for first in range(0, LINES, 100_000):
            file.writelines(line.format(i=i) for i in range(first, first + 100_000))


FORMATS = {
    "msr": "1281663720{i:08d},hm,0,Read,{i}512,4096,26\n",
    "alibaba": "0,R,{i}4096,4096,15778080{i:08d}\n",
    "blkparse": "  8,0    1 {i:8d} {i:5d}.000000001  697  D   R {i} + 8 [fio]\n"
    "  8,0    1 {i:8d} {i:5d}.000090001    0  C   R {i} + 8 [0]\n",
}


def main() -> None:
    """Describe one long trace in a process of its own; read three million IOs a format, in turns with `wc -l`."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("STEND_TRACE_FOLDER")) as name:
        path = Path(name) / "t.parquet"
        began = time.process_time()
        trace.write(path, ios(MANY), trace.About(source="generated"))
        took, size = time.process_time() - began, path.stat().st_size
        print(f"{MANY / 1e6:.0f} million IOs drawn and written in {took:.0f} s, {size / 1e9:.2f} GB")
        told = subprocess.run(
            [sys.executable, "-m", "benchmarks.bench_traces", str(path)], capture_output=True, check=True
        )
        print(told.stdout.decode().strip())
        path.unlink()
        for form, line in FORMATS.items():
            given = Path(name) / form
            text(given, line)
            rates = [read(given, form) for _ in range(2)]
            own, plain = rates[1]
            size = given.stat().st_size
            rate = f"{LINES / own / 1e6:.2f} million IOs/s, {size / own / 1e6:.0f} MB/s"
            print(f"{form}: {rate}; {own / plain:.1f} times `wc -l`")
            given.unlink()


def read(given: Path, form: str) -> tuple[float, float]:
    """Seconds of processor for converting a file, and for counting its lines."""
    began = time.process_time()
    made = taken.convert(given, given.with_suffix(".parquet"), form)
    own = time.process_time() - began
    assert made.ios == LINES, made
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(["wc", "-l", str(given)], stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return own, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def alone(path: Path) -> None:
    """One description, with its memory."""
    began = time.process_time()
    known = described(trace.opened(path))
    took, peak_mb = time.process_time() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    rate = f"{known.ios / took / 1e6:.1f} million IOs/s"
    print(f"described in {took:.0f} s: {rate}, {peak_mb:.0f} MB at most (limit {MOST_MB})")
    assert peak_mb < MOST_MB


if __name__ == "__main__":
    alone(Path(sys.argv[1]))
