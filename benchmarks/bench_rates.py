"""Loads at a rate: how well they are sent, and how near a service map's search comes to a full grid of 441 cells.

    python -m benchmarks rates                                  # both
    STEND_RATES_DRIVES=ideal python -m benchmarks rates         # the map on this virtual drive only; "" for none

The first table is of nothing and of zram: lateness after an IO's time. The second compares each contour with that of
the grid, at the grid's write rates: their distance as a share of the read axis. Where a wait hardly changes with the
rate, contours of equal waits can be far apart; `or 5 % in time` also counts a point as near if the grid's wait there is
within 5 % of the limit.
"""

import math
import os
import time
from collections.abc import Iterator

import msgspec

from benchmarks.bench_replay import drive
from stend import suite
from stend.base.units import KiB, MiB
from stend.engines import Load
from stend.engines.replay import ReplayEngine
from stend.engines.simulated import SimulatedEngine
from stend.model import service_map, service_search
from stend.model.counts import Counts
from stend.model.definition import Profile
from stend.model.pace import MOST_LATE, Pace
from stend.model.service_map import Axes, Cell, Key, Search
from stend.model.stats import percentile_s
from stend.model.tally import Tally
from stend.model.workload import Workload
from stend.planning import plan
from stend.runner.bench import Done
from stend.sim import build, load
from stend.suite.service_map import load as cell_load

RATES = (5_000, 10_000, 20_000, 50_000, 100_000)
SECONDS = int(os.environ.get("STEND_RATES_SECONDS", "8"))
DRIVES = os.environ.get("STEND_RATES_DRIVES", "kc2000 sn150 ideal").split()
GRID, CELL_S, WARM_S = 20, 50, 10
NEAR = 0.05


def main() -> None:
    """Print both tables."""
    print(f"{'target':>7} {'IOPS':>8} {'sent':>9} {'late > 1 ms':>12} {'by host':>9} {'p99 late':>9} {'latest':>9}")
    for kind in ("null", "zram"):
        with drive(kind) as path:
            for rate in RATES:
                pace, seconds = sent(path, rate)
                late_us = (percentile_s(_tally(pace), 99) or 0) * 1e6
                shares = f"{pace.late_share:>12.4%} {pace.host_share:>9.4%}"
                longest = f"{late_us:>6.0f} us {pace.latest_ns / 1e6:>6.2f} ms"
                print(f"{kind:>7} {rate:>8} {pace.sent / seconds:>9.0f} {shares} {longest}", flush=True)
    for name in DRIVES:
        compared(name)


def sent(path: str, rate: float) -> tuple[Pace, float]:
    """Send random reads and writes at a rate for some seconds; return how it was kept, and the seconds."""
    engine = ReplayEngine(path, interval_s=0.5)
    mix = Workload(random_pct=100, read_pct=70, block_bytes=4 * KiB, depth=1024, range_bytes=64 * MiB)
    try:
        under_way = engine.start(msgspec.structs.replace(mix, rate_iops=rate), seed=1)
        done = intervals(under_way, SECONDS * 2)
        done = done.plus(under_way.stop() or Counts(), under_way)
        return done.pace or Pace(), done.counts.seconds
    finally:
        engine.close()


def intervals(under_way: Load, many: int) -> Done:
    """Return what a load did in so many intervals."""
    done = Done()
    for _ in range(many):
        if counts := under_way.next():
            done = done.plus(counts, under_way)
    return done


def _tally(pace: Pace) -> Tally:
    return Tally(ios=sum(pace.lateness.values()), max_ns=pace.latest_ns, bins=pace.lateness)


class Rig:
    """A filled virtual drive whose cells are measured without a record."""

    def __init__(self, name: str) -> None:
        spec = load(name)
        self.engine, self.scale, self.capacity, self.turn = (
            SimulatedEngine(build(spec)),
            spec.scale,
            spec.capacity_bytes,
            0,
        )
        self.profile: Profile = plan.gather(["service-map"], None, {})[1].for_test(
            "service-map", suite.load("service-map").options
        )
        fill = Workload(random_pct=0, read_pct=0, block_bytes=128 * KiB, depth=32, range_bytes=self.capacity)
        reads = msgspec.structs.replace(fill, random_pct=100, read_pct=100, block_bytes=4 * KiB, threads=4)
        filling = self.engine.start(fill, seed=1, limit_bytes=2 * self.capacity)
        while filling.next() is not None:
            pass
        self.axes = Axes(self.run(reads)[0].iops, self.run(fill)[0].bytes_per_s)

    def run(self, workload: Workload) -> tuple[Counts, Pace]:
        """Hold a load for its warm-up and its cell."""
        self.turn += 1
        under_way = self.engine.start(workload, seed=self.turn)
        for _ in range(WARM_S):
            under_way.next()
        done = intervals(under_way, CELL_S)
        under_way.stop()
        return done.counts.without_bins() if not workload.rate_iops else done.counts, done.pace or Pace()

    def cell(self, reads: float, writes: float) -> Cell:
        """Measure a cell as the test does."""
        workload = msgspec.structs.replace(cell_load(self.profile, reads, writes), range_bytes=self.capacity)
        counts, pace = self.run(workload)
        unsent = pace.unsent / max(pace.sent + pace.unsent, 1)
        full = unsent > MOST_LATE
        waits = {p: math.inf if full else service_map.wait_of(counts, unsent, p) for p in (99.0, 99.9)}
        return Cell(*service_map.rates(workload), waits, "full" if full else "", counts.without_bins())


def compared(name: str) -> None:
    """Print the cells that a search used on a drive, and how far its contours are from the grid's."""
    began, rig = time.monotonic(), Rig(name)
    options = rig.profile.options
    needed = {p: service_map.needed(p, CELL_S, rig.scale) for p in options["percentiles"]}
    keys = tuple(Key(p, ms / 1e3) for p in needed if needed[p] <= rig.axes.reads / 2 for ms in options["limits_ms"])
    least = max(service_map.LEAST * rig.axes.reads, *(needed[key.percent] for key in keys))
    wanted = Search(rig.axes, keys, options["cells"], options["within_pct"] / 100, float(math.ceil(least)))
    cells = list[Cell]()
    while (place := service_search.following(cells, wanted)) is not None:
        cells.append(rig.cell(*place))
    steps = [step / GRID for step in range(GRID + 1)]
    grid = [rig.cell(max(y * rig.axes.reads, least), x * rig.axes.writes) for x in steps for y in steps]
    distances = sorted(distance for key in keys for distance, _ in _points(cells, grid, key, rig.axes))
    nearest = sorted(min(both) for key in keys for both in _points(cells, grid, key, rig.axes))
    rate, either = (_summary(values) for values in (distances, nearest))
    used = f"{len(cells)} cells in {len(service_map.columns(cells))} columns against {len(grid)}"
    print(
        f"{name}: {used} ({time.monotonic() - began:.0f} s)\n  in rate: {rate}\n  or 5 % in time: {either}", flush=True
    )


def _summary(values: list[float]) -> str:
    p95 = values[int(0.95 * len(values))]
    return f"{share(values):.1%} within 5 %, mean {sum(values) / len(values):.3f}, p95 {p95:.3f}, most {values[-1]:.3f}"


def share(values: list[float]) -> float:
    """Return the share of distances that are near."""
    return sum(value <= NEAR for value in values) / len(values)


def _points(cells: list[Cell], grid: list[Cell], key: Key, axes: Axes) -> Iterator[tuple[float, float]]:
    """Yield the distance in rate and in time of a contour from the grid's, at each of the grid's write rates."""
    curve = service_map.contour(cells, key, axes.reads)
    columns = service_map.columns(grid)
    for writes, reads in service_map.contour(grid, key, axes.reads):
        ours = service_map.between(curve, min(writes, curve[-1][0])) or 0.0
        waits = service_map.rising(columns[writes], key.percent)
        there = service_map.between(waits, max(ours, waits[0][0]))
        in_time = abs(math.log(there / key.limit_s)) if there else math.inf
        yield abs(ours - reads) / axes.reads, in_time
