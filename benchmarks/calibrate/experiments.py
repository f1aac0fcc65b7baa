"""Published measurements repeated on a virtual drive: one function per kind, each returns {cell name: value}.

Each follows the conditions of its publication as far as they are known; durations are those of the method, in virtual
time.
"""

from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np

from stend.base.units import KiB, MiB
from stend.sim import build
from stend.sim.drive import Drive
from stend.sim.requests import Pattern
from stend.sim.spec import Spec

MINUTE = 60
FILE_SERVER = ((512, 10), (1024, 5), (2048, 5), (4096, 60), (8192, 2), (16384, 4), (32768, 4), (65536, 10))
WEB_SERVER = (
    *((512, 22), (1024, 15), (2048, 8), (4096, 23), (8192, 15), (16384, 2)),
    *((32768, 6), (65536, 7), (131072, 1), (524288, 1)),
)
"""File and web server of Intel's Iometer, (bytes, percent): 80 and 100 % reads, all random."""
LATENCY_CELLS = tuple((kib, read_pct) for read_pct in (65, 100, 0) for kib in (8, 4))
"""(KiB, read %) of the reviews, in the order of the clause."""
PERCENTS = (99, 99.9, 99.99)

Cells = dict[str, float]


class Sum:
    """Runs a load for a time and sums its counts; `rates` has the MiB/s of each step."""

    def __init__(self, drive: Drive, seconds: float, step: float) -> None:
        self.seconds, self.sums, self.bins = 0.0, np.zeros((2, 5)), np.zeros((2, 29 << 6), np.int64)
        self.rates = []
        for _ in range(max(round(seconds / step), 1)):
            done = drive.advance(step)
            self.seconds += done.seconds
            self.sums += done.tallies
            self.bins += done.bins
            self.rates.append(done.tallies[:, 1].sum() / done.seconds / MiB)

    @property
    def iops(self) -> float:
        """Return the IOPS of both directions."""
        return float(self.sums[:, 0].sum() / self.seconds)

    @property
    def mib_s(self) -> float:
        """Return the throughput of both directions in MiB/s."""
        return float(self.sums[:, 1].sum() / self.seconds / MiB)

    def mean_us(self, way: int | None = None) -> float:
        """Return the mean response time in microseconds, of one direction (0 reads, 1 writes) or both."""
        rows = self.sums if way is None else self.sums[way : way + 1]
        return float(rows[:, 2].sum() / max(rows[:, 0].sum(), 1) / 1e3)

    def percentile_us(self, percent: float) -> float:
        """Return the middle of the latency bin that holds a percentile of both directions, in microseconds."""
        total = np.cumsum(self.bins.sum(axis=0))
        index = int(np.searchsorted(total, total[-1] * percent / 100))
        shift = max((index >> 6) - 1, 0)
        return (index - (shift << 6) + 0.5) * 2.0**shift / 1e3


class Bench:
    """A virtual drive under the conditions of its publication."""

    def __init__(self, spec: Spec, conditions: dict[str, Any]) -> None:
        self.spec, self.conditions = spec, conditions
        self.drive = build(spec)
        self.span = conditions.get("range_bytes", int(spec.capacity_bytes * conditions.get("range_pct", 100) / 100))
        self.threads, self.depth = conditions.get("threads", 1), conditions.get("depth", 1)
        self.seed = 0

    def pattern(self, read_pct: int, block_bytes: int, random_pct: int = 100, **more: Any) -> Pattern:
        """Return a pattern under these conditions, with a new seed."""
        self.seed += 1
        given = {"threads": self.threads, "depth": self.depth, "range_bytes": self.span, "seed": self.seed} | more
        return Pattern(random_pct=random_pct, read_pct=read_pct, sizes=((block_bytes, 1.0),), **given)

    def run(self, pattern: Pattern, seconds: float, step: float = 10) -> Sum:
        """Run a pattern for this many seconds and return its sums."""
        self.drive.start(pattern)
        done = Sum(self.drive, seconds, step)
        self.drive.stop()
        return done

    def fill(self, times: float = 2, block_bytes: int = 128 * KiB, random_pct: int = 0) -> None:
        """Format the drive, then overwrite the range."""
        self.drive.format()
        self.overwrite(times, block_bytes, random_pct)

    def overwrite(self, times: float, block_bytes: int, random_pct: int) -> None:
        """Write the range this many times."""
        limit = int(self.span * times)
        self.drive.start(self.pattern(0, block_bytes, random_pct, threads=1, depth=32, limit_bytes=limit))
        while self.drive.advance(MINUTE).more:
            pass
        self.drive.stop()


def label(block_bytes: int, read_pct: int) -> str:
    """Return the cell name from block size and read percentage: `4K 65`."""
    return f"{block_bytes / KiB:g}K {read_pct}"


def iops(bench: Bench, rounds: int = 5) -> Cells:
    """Run rounds of the matrix; return the means of the last four, in MiB/s for large blocks if the publication is."""
    if bench.conditions.get("fill", True):
        bench.fill()
    else:
        bench.drive.format()
    cells: dict[str, list[float]] = {}
    in_mib = bench.conditions.get("mib_s_from_kib", 1 << 30)
    for _ in range(rounds):
        for read_pct in bench.conditions["mixes"]:
            for kib in bench.conditions["blocks_kib"]:
                done = bench.run(bench.pattern(read_pct, int(kib * KiB)), MINUTE)
                value = done.mib_s if kib >= in_mib else done.iops
                cells.setdefault(label(int(kib * KiB), read_pct), []).append(value)
    return {name: float(np.mean(values[-4:])) for name, values in cells.items()}


def saturation(bench: Bench) -> Cells:
    """Run random 4 KiB writes from fresh; return the means of the first 5 and last 30 minutes, and the knee.

    The knee is the first minute within 3 % of the end.
    """
    threads = bench.conditions.get("saturation_threads", bench.threads)
    depth = bench.conditions.get("saturation_depth", bench.depth)
    bench.drive.format()
    pattern = bench.pattern(0, 4 * KiB, threads=threads, depth=depth, range_bytes=bench.spec.capacity_bytes)
    minutes = [r * MiB / 4096 for r in bench.run(pattern, bench.conditions["minutes"] * MINUTE, MINUTE).rates]
    end = float(np.mean(minutes[-30:]))
    knee = next(n for n, v in enumerate(minutes) if v < 1.03 * end) + 1
    return {"start": float(np.mean(minutes[:5])), "end": end, "knee_min": knee}


def fresh(bench: Bench) -> Cells:
    """Return IOPS and response times right after a format."""
    cells: Cells = {}
    for read_pct in (100, 0):
        bench.drive.format()
        done = bench.run(bench.pattern(read_pct, 4096), 10, 1)
        cells |= {label(4096, read_pct): done.iops, f"avg ms {label(4096, read_pct)}": done.mean_us() / 1e3}
    return cells


def latency(bench: Bench) -> Cells:
    """Return response times at low queue depths, in rounds of a minute after two fills, as in the clause.

    The last round lasts ten minutes at QD1.
    """
    bench.fill(2)
    cells = {}
    for minutes in (1, 1, 1, 1, 10):
        for kib, read_pct in LATENCY_CELLS:
            for depth in bench.conditions.get("depths", [1]):
                long = minutes if depth == 1 else 1
                done = bench.run(bench.pattern(read_pct, kib * KiB, threads=1, depth=depth), long * MINUTE, MINUTE)
                name = label(kib * KiB, read_pct) + (f" Q{depth}" if depth > 1 else "")
                cells[f"avg {name}"] = done.mean_us()
                cells |= {f"p{percent:g} {name}": done.percentile_us(percent) for percent in PERCENTS}
    return cells


def throughput(bench: Bench) -> Cells:
    """Return sequential MiB/s after the IOPS matrix: the published reads fit no other state (docs)."""
    iops(bench)
    threads, depth = bench.conditions["seq_threads"], bench.conditions["seq_depth"]
    cells = {}
    for kib in (128, 1024):
        for read_pct in (0, 100):
            pattern = bench.pattern(read_pct, kib * KiB, 0, threads=threads, depth=depth)
            cells[label(kib * KiB, read_pct)] = bench.run(pattern, MINUTE).mib_s
    return cells


def steps(bench: Bench) -> Cells:
    """Write a fresh drive sequentially in 1 MiB blocks; return the levels, their ends and the size of the cache."""
    bench.drive.format()
    threads, depth = bench.conditions["seq_threads"], bench.conditions["seq_depth"]
    pattern = bench.pattern(0, 1024 * KiB, 0, threads=threads, depth=depth, range_bytes=bench.spec.capacity_bytes)
    rates = np.array(bench.run(pattern, 900, 1).rates)
    first = float(np.median(rates[:15]))
    smooth = np.convolve(rates, np.ones(5) / 5, "valid")
    first_end = int(np.argmax(smooth < 0.7 * first)) + 2
    second = float(np.median(rates[first_end + 20 : first_end + 200]))
    below = np.flatnonzero(smooth[first_end + 20 :] < 0.85 * second)
    second_end = first_end + 22 + int(below[0]) if len(below) else len(rates)
    third = float(np.median(rates[second_end:])) if second_end < len(rates) else second
    cache = float(rates[:first_end].sum() / 1024)
    cells = {"first": first, "second": second, "third": third, "first_end_s": first_end, "cache_gib": cache}
    return cells | {"second_end_s": second_end}


def recovery(bench: Bench) -> Cells:
    """Return the recovery in pauses: two fills, an hour of random 4 KiB writes, then 40 bursts of 5 s per pause length.

    Pauses last 5 and 50 s; the mean leaves out the first five bursts.
    """
    bench.fill()
    hour = bench.run(bench.pattern(0, 4 * KiB), 60 * MINUTE, MINUTE)
    cells = {"before": float(np.median(hour.rates[-5:])) * MiB / 4096}
    for pause in (5, 50):
        values, peak = [], 0.0
        for _ in range(40):
            done = bench.run(bench.pattern(0, 4 * KiB), 5, 1)
            values.append(done.iops)
            peak = max(peak, *(r * MiB / 4096 for r in done.rates))
            bench.drive.idle(pause)
        cells |= {f"pause_{pause}s": float(np.mean(values[5:])), f"pause_{pause}s_peak": peak}
        cells[f"pause_{pause}s_avg_ms"] = done.mean_us() / 1e3
        bench.run(bench.pattern(0, 4 * KiB), 30 * MINUTE)
    return cells


def sequential(bench: Bench) -> Cells:
    """Return the MB/s of sequential 1 MiB reads near the start and the end of a disk, over a GiB each."""
    size = 1024 * MiB
    ends = {"outer_mb": 0, "inner_mb": bench.spec.capacity_bytes - 2 * size}
    return {
        name: bench.run(bench.pattern(100, MiB, 0, start_bytes=at, range_bytes=size), 4, 1).mib_s * MiB / 1e6
        for name, at in ends.items()
    }


def warm(bench: Bench) -> Cells:
    """Return the gain from the flash of a hybrid: ratios of warm to cold (half a minute) on its hot range."""
    shapes = {"4K 100": (100, 4096, 4, 16), "8K 50": (50, 8192, 2, 16), "8K 35": (35, 8192, 2, 16)}
    cells = {}
    for name, (read_pct, block, threads, depth) in shapes.items():
        pattern = bench.pattern(read_pct, block, threads=threads, depth=depth)
        bench.drive.fresh()
        cold = bench.run(pattern, 30)
        bench.run(bench.pattern(100, 4096, threads=4, depth=16), 40 * MINUTE)
        bench.run(bench.pattern(read_pct, block, threads=threads, depth=depth), 10 * MINUTE)
        hot = bench.run(bench.pattern(read_pct, block, threads=threads, depth=depth), MINUTE)
        cells[name] = hot.iops / cold.iops
        cells[f"{name} latency"] = hot.mean_us() / cold.mean_us()
    return cells


def pair(bench: Bench) -> Cells:
    """Return the write IOPS of one of two striped drives with 256 outstanding IOs (128 each), at steady state."""
    bench.fill(1)
    bench.overwrite(3, 4 * KiB, 100)
    return {"4K 0 per drive": bench.run(bench.pattern(0, 4 * KiB, depth=128), MINUTE).iops}


def _level(bench: Bench, level: int) -> None:
    array = msgspec.structs.replace(bench.spec.array, level=level)  # type: ignore[type-var]
    bench.drive = build(msgspec.structs.replace(bench.spec, array=array))


def servers(bench: Bench) -> Cells:
    """Return figures of Iometer's file and web server profiles at QD32, for RAID 5 and 10."""
    cells = {}
    for level in (5, 10):
        for name, read_pct, sizes in (("file", 80, FILE_SERVER), ("web", 100, WEB_SERVER)):
            _level(bench, level)
            pattern = bench.pattern(read_pct, 4096, depth=32, align_bytes=512)
            done = bench.run(msgspec.structs.replace(pattern, sizes=sizes), MINUTE)
            cells[f"{name} raid{level}"] = done.iops
            cells[f"{name} raid{level} read ms"] = done.mean_us(0) / 1e3
            cells[f"{name} raid{level} write ms"] = done.mean_us(1) / 1e3
    return cells


def peaks(bench: Bench) -> Cells:
    """Return the limits of the RAID controller."""
    _level(bench, 0)
    run = bench.run
    cells = {"sequential read IOPS": run(bench.pattern(100, 512, 0, depth=256), 10).iops}
    cells["sequential read MB"] = run(bench.pattern(100, MiB, 0, depth=8), 10).mib_s * MiB / 1e6
    cells["random read IOPS"] = run(bench.pattern(100, 512, depth=256), 10).iops
    _level(bench, 5)
    cells["raid5 sequential write MB"] = bench.run(bench.pattern(0, MiB, 0, depth=8), 30).mib_s * MiB / 1e6
    return cells


KINDS: dict[str, Callable[[Bench], Cells]] = {
    f.__name__: f
    for f in (iops, saturation, fresh, latency, throughput, steps, recovery, sequential, warm, pair, servers, peaks)
}
"""Function by the table of published.toml that holds the published values."""
