"""What figures are off by: fio's own log of every IO, the kernel's counts and drawn samples against what stend tells.

`python -m benchmarks.errors`: fio, root and a free zram0; about a minute. docs/method/figures.md has its lines.
"""

import math
import sys
import tempfile
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np

from benchmarks.bench_overhead import ZRAM, target
from stend.base.units import KiB
from stend.devices import Device
from stend.engines.fio import FioEngine
from stend.model.counts import Counts
from stend.model.definition import Hold, Seconds, Workload
from stend.model.stats import MIN_BEYOND, bin_index, percentile_s
from stend.model.tally import NS, PERCENTS, Tally
from stend.runner.bench import Bench, Done

RATE = 20_000
"""IOPS while every IO is logged, so that the log costs little."""
RECORDS, PAUSES = 10, 10
REST_S, LEAST_PAUSE_S = 0.6, 0.5
MIX = Workload(random_pct=100, read_pct=65, block_bytes=4 * KiB, depth=8)
LOGS = """#!/bin/sh
''''exec "{python}" -IS "$0" "$@" #'''
import os, sys
more = ["--write_lat_log={folder}/all", "--rate_iops={rate},{rate}"]
words = [w for word in sys.argv[1:] for w in [word, *(more if word.startswith("--name=") else [])]]
os.execvp("fio", ["fio", *words])
"""

Row = tuple[str, str]


def tallied(ns: np.ndarray) -> Tally:
    """Response times in nanoseconds as fio would count them."""
    indexes, counts = np.unique([bin_index(one) for one in ns], return_counts=True)
    bins = dict(zip(indexes.tolist(), counts.tolist(), strict=True))
    return Tally(len(ns), 0, float(ns.sum()), float((ns.astype(float) ** 2).sum()), int(ns.max()), bins)


def off(ns: np.ndarray, tally: Tally) -> Iterator[float]:
    """By what part each percentile that is shown is off the response time of that rank."""
    ranked = np.sort(ns)
    for percent in PERCENTS.values():
        if (told := percentile_s(tally, percent)) is not None:
            yield told / (ranked[math.ceil(len(ns) * percent / 100) - 1] * NS) - 1


def drawn() -> Iterator[Row]:
    """Percentiles of samples of three shapes, and how well ten IOs beyond a rank know it."""
    draw = np.random.default_rng(1)
    found = []
    for _ in range(20):
        even = draw.lognormal(11.5, 0.3, 100_000)
        tailed = draw.lognormal(11.5, 1.2, 100_000)
        stalled = np.where(draw.random(100_000) < 0.01, draw.uniform(1e6, 3e7, 100_000), even)
        found += [part for sample in (even, tailed, stalled) for part in off(sample.astype(int), tallied(sample))]
    yield "percentiles of drawn samples", parts(found)
    many = 1000 * MIN_BEYOND
    beyond = many - many * np.sort(draw.random((2000, many)), axis=1)[:, -MIN_BEYOND - 1]
    yield f"IOs truly beyond a rank with {MIN_BEYOND} beyond it", f"{beyond.mean():.1f} ± {beyond.std():.1f}"


def parts(found: list[float]) -> str:
    """Median and worst of what something is off by."""
    each = np.abs(found) * 100
    return f"median {np.median(each):.3g} %, worst {each.max():.3g} % ({len(each)} looks)"


class Logged(NamedTuple):
    """Counts of a load's records, response times of its IOs in order by direction, IOs as the kernel counts them."""

    records: list[Counts]
    ns: dict[str, np.ndarray]
    kernel: int


def done() -> int:
    """IOs that the kernel counts on zram0."""
    fields = Path(ZRAM, "stat").read_text().split()
    return int(fields[0]) + int(fields[4])


def logged(device: Device, folder: Path) -> Logged:
    """A load of one thread, by stend's own engine, with fio's log beside it."""
    script = folder / "fio"
    script.write_text(LOGS.format(python=sys.executable, folder=folder, rate=RATE))
    script.chmod(0o755)
    before, engine = done(), FioEngine(device.door.path, fio=str(script))
    load = engine.start(MIX, seed=1)
    records = [counts for _ in range(RECORDS) if (counts := load.next())]
    records.append(load.stop() or Counts())
    engine.close()
    rows = np.loadtxt(folder / "all_lat.1.log", delimiter=",", usecols=(1, 2), dtype=np.int64)
    return Logged(records, {"read": rows[rows[:, 1] == 0, 0], "write": rows[rows[:, 1] == 1, 0]}, done() - before)


def held(told: Logged) -> Iterator[Row]:
    """Each record against its own stretch of the log, which is in the order in which the IOs ended."""
    ios = sum(counts.both.ios for counts in told.records)
    yield "IOs, against the kernel's count", f"{ios - told.kernel:+d} of {told.kernel:,}"
    mean, longest, deviation, ranks = (list[float]() for _ in range(4))
    for name, log in told.ns.items():
        at = 0
        for tally in (getattr(counts, name) for counts in told.records):
            ns, at = log[at : at + tally.ios], at + tally.ios
            if len(ns) > 1:
                mean.append(tally.mean_s / (ns.mean() * NS) - 1)
                longest.append(tally.max_s / (ns.max() * NS) - 1)
                deviation.append(tally.deviation_s / (ns.std(ddof=1) * NS) - 1)
                ranks += off(ns, tally)
        yield f"{name}s in the log and in no record", str(len(log) - at)
    yield "mean response time of a record", parts(mean)
    yield "longest response of a record", f"{parts(longest)}; never shorter: {min(longest) > -1e-6}"
    yield "deviation of a record", parts(deviation)
    yield "percentiles of a record", parts(ranks)


@contextmanager
def watching() -> Iterator[list[float]]:
    """Times between two moments at which the kernel's count moved, where they are long, in seconds."""
    found: list[float] = []
    over = threading.Event()

    def look() -> None:
        ios, moved = done(), math.inf
        while not over.is_set():
            at, now = time.monotonic(), done()
            if now != ios:
                found.extend([at - moved] if at - moved > LEAST_PAUSE_S else [])
                ios, moved = now, at
            time.sleep(0.0001)

    eye = threading.Thread(target=look)
    eye.start()
    try:
        yield found
    finally:
        over.set()
        eye.join()


def last(going: Generator[Counts, None, Done]) -> Done:
    """What a hold comes to."""
    while True:
        try:
            next(going)
        except StopIteration as end:
            return cast("Done", end.value)


def pauses(device: Device) -> Iterator[Row]:
    """What a record tells of the rest before it, against how long the kernel counted nothing."""
    engine = FioEngine(device.door.path, interval_s=0.5)
    bench, told = Bench(engine, lambda: False), []
    with watching() as seen:
        for number in range(PAUSES + 1):
            told.append(last(bench.hold(Hold(workload=MIX, amount=Seconds(seconds=0.5)), number + 1, [])).gap_s)
            bench.rest(REST_S)
        engine.close()
    ms = [1000 * (ours - theirs) for ours, theirs in zip(told[1:], seen, strict=True)]
    yield "true pauses", f"median {np.median(ms):+.2f} ms, {min(ms):+.2f} to {max(ms):+.2f} ms ({len(ms)} pauses)"


def main() -> None:
    """All rows."""
    for name, words in drawn():
        print(f"{name}: {words}", flush=True)
    with target() as device, tempfile.TemporaryDirectory() as folder:
        for name, words in chain(held(logged(device, Path(folder))), pauses(device)):
            print(f"{name}: {words}", flush=True)


if __name__ == "__main__":
    main()
