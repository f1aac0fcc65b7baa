"""Loads at a rate: how well they are sent, and how near a service map's search comes to a full grid of 441 cells.

    python -m benchmarks rates                                  # both
    STEND_RATES_DRIVES=ideal python -m benchmarks rates         # the map on this virtual drive only; "" for none
    STEND_RATES_SEEDS="1 2 3 4 5" python -m benchmarks rates    # this many copies of each drive; without it one

The first table is of nothing and of zram: lateness after an IO's time. The second compares each contour with that of
a full grid, or of `ideal` with the closed form of its queue, above the lowest read rate of a cell. `again` compares a
second grid of the same drive with the first one: no search can be nearer. Distances are shares of both axes:

- `up` is the distance in reads at the same writes. Where a contour falls steeply, a small error of the writes is a
  large one of the reads; two grids of the same drive differ there as well (`grid again`).
- `near` is the distance along the shortest way, in the larger of both axes, from every place of either contour.
- `shaded` is `near` without the places that the map shades, within which chance moves a contour.

The last line of a drive has the median and the 95th percentile of `near` over all places of all its contours and seeds,
and the longest one.
"""

import math
import os
import random
import time
from collections.abc import Sequence
from itertools import pairwise

import msgspec
import numpy as np
import numpy.typing as npt
from tests.closed_forms import root

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
from stend.model.service_band import band
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
SEEDS = [int(seed) for seed in os.environ.get("STEND_RATES_SEEDS", "0").split()]
GRID, CELL_S, WARM_S = 20, 50, 10
PLACES = 400
"""Places per axis along a contour."""
Places = npt.NDArray[np.float64]


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
        ours, again = (np.concatenate(parts) for parts in zip(*(compared(name, seed) for seed in SEEDS), strict=True))
        print(f"{name}, {len(SEEDS)} seeds: near {spread(ours)}; grid again near {spread(again)}", flush=True)


def spread(places: Places) -> str:
    """Return the median, the 95th percentile and the largest of distances."""
    middle, most, worst = np.percentile(places, [50, 95, 100]) if len(places) else [math.nan] * 3
    return f"median {middle:.3f}, p95 {most:.3f}, worst {worst:.3f}"


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

    def __init__(self, name: str, seed: int) -> None:
        spec = load(f"{name}{'&' if '?' in name else '?'}seed={seed}")
        self.engine, self.scale, self.capacity, self.turn = (
            SimulatedEngine(build(spec)),
            spec.scale,
            spec.capacity_bytes,
            seed * 1_000_000,
        )
        self.profile: Profile = plan.gather(["service-map"], None, {})[1].for_test(
            "service-map", suite.load("service-map")
        )
        fill = Workload(random_pct=0, read_pct=0, block_bytes=128 * KiB, depth=32, range_bytes=self.capacity)
        reads = msgspec.structs.replace(fill, random_pct=100, read_pct=100, block_bytes=4 * KiB, threads=4)
        filling = self.engine.start(fill, seed=1, limit_bytes=2 * self.capacity)
        while filling.next() is not None:
            pass
        self.axes = Axes(self.run(reads)[1].counts.iops, self.run(fill)[1].counts.bytes_per_s)

    def run(self, workload: Workload) -> tuple[Done, Done]:
        """Hold a load for its warm-up and its cell; return both parts of the cell."""
        self.turn += 1
        under_way = self.engine.start(workload, seed=self.turn)
        for _ in range(WARM_S):
            under_way.next()
        parts = intervals(under_way, CELL_S // 2), intervals(under_way, CELL_S // 2)
        under_way.stop()
        return parts

    def cell(self, reads: float, writes: float) -> Cell:
        """Measure a cell as the test does."""
        workload = msgspec.structs.replace(cell_load(self.profile, reads, writes), range_bytes=self.capacity)
        parts = self.run(workload)
        counts, pace = parts[0].counts + parts[1].counts, (parts[0].pace or Pace()) + (parts[1].pace or Pace())
        unsent = pace.unsent / max(pace.sent + pace.unsent, 1)
        full = unsent > MOST_LATE
        waits = {p: math.inf if full else service_map.wait_of(counts, unsent, p) for p in (99.0, 99.9)}
        scatter = service_map.scattered([part.counts for part in parts], (99.0, 99.9))
        return Cell(*service_map.rates(workload), waits, "full" if full else "", counts.without_bins(), scatter)


Contours = dict[Key, list[tuple[float, float]]]


def compared(name: str, seed: int) -> tuple[Places, Places]:
    """Print the cells that a search used on a drive, and how far its contours are from the true ones.

    Return the distances of all places of the contours, and those of a second grid.
    """
    began, rig = time.monotonic(), Rig(name, seed)
    options, ends = rig.profile.options, rig.axes
    needed = {p: service_map.needed(p, CELL_S, rig.scale) for p in options["percentiles"]}
    keys = tuple(Key(p, ms / 1e3) for p in needed if needed[p] <= ends.reads / 2 for ms in options["limits_ms"])
    least = float(math.ceil(max(service_map.LEAST * ends.reads, *(needed[key.percent] for key in keys))))
    wanted = Search(ends, keys, options["cells"], options["within_pct"] / 100, least)
    cells = list[Cell]()
    while (place := service_search.following(cells, wanted)) is not None:
        cells.append(rig.cell(*place))
    searched: Contours = {key: service_map.contour(cells, key, ends) for key in keys}
    doubt = service_map.doubt(cells, wanted)
    many = f"{len(cells)} cells in {len(service_map.columns(cells))} columns, stated doubt {doubt:.3f}"
    print(f"{name}, seed {seed}: {many} ({time.monotonic() - began:.0f} s)", flush=True)
    inside = kept(rig, cells, keys, least)
    print(f"  repeated contours within the shaded area: {sum(inside)} of {len(inside)} places", flush=True)
    grids = [{key: queue(key, ends) for key in keys}] if name == "ideal" else [grid(rig, keys, least) for _ in range(2)]
    every: tuple[list[Places], list[Places]] = ([np.zeros(0)], [np.zeros(0)])
    for key in keys:
        line = f"  p{key.percent:g} {key.limit_s * 1e3:>3g} ms:"
        for held, found in zip(every, (searched, *grids[1:]), strict=False):
            bands = band(cells, key, ends, keys) if found is searched else []
            up, places, shaded = distances(found[key], grids[0][key], bands, wanted)
            held.append(places)
            line += f" up {up:.3f} near {places.max():.3f}" + (f" shaded {shaded:.3f}   again" if bands else "")
        print(line.removesuffix("   again") if len(grids) == 1 else line, flush=True)
    return np.concatenate(every[0]), np.concatenate(every[1])


def kept(rig: Rig, cells: Sequence[Cell], keys: Sequence[Key], least: float) -> list[bool]:
    """Measure all cells of a map again, twice in random order; return whether the map shades each place of a contour.

    Places without reads in both maps are left out.
    """
    places, inside = list(dict.fromkeys((cell.reads, cell.writes) for cell in cells)), list[bool]()
    dice = random.Random(rig.turn)
    for _ in range(2):
        dice.shuffle(places)
        others = [rig.cell(*place) for place in places]
        for key in keys:
            first, again = (dict(service_map.contour(some, key, rig.axes)) for some in (cells, others))
            for x, low, high in band(cells, key, rig.axes, keys):
                if x < rig.axes.writes and max(first[x], again[x]) > least:
                    inside.append(low <= again[x] <= high)
    return inside


def grid(rig: Rig, keys: Sequence[Key], least: float) -> Contours:
    """Return the contours of a grid of 441 cells."""
    steps, ends = [step / GRID for step in range(GRID + 1)], rig.axes
    cells = [rig.cell(max(y * ends.reads, least), x * ends.writes) for x in steps for y in steps]
    return {key: service_map.contour(cells, key, ends) for key in keys}


def queue(key: Key, ends: Axes) -> list[tuple[float, float]]:
    """Return a contour of `ideal`: the tail of the waits of M/D/1, whose server takes 5 us for each read or write.

    The tail of a long wait w is (1 - r) / (r e^(n d) - 1) e^(-n w), where n solves n = l (e^(n d) - 1), and the load is
    r = l d (Cramer and Lundberg; Asmussen 2003). The link and the answer add a fixed time.
    """
    host = load("ideal").host
    service_s = host.read_command_us * 1e-6
    fixed_s = service_s + 4 * KiB / (host.read_mb_s * 1e6) + host.read_answer_us * 1e-6

    def beyond(rate: float) -> float:
        busy = rate * service_s
        decay = root(lambda n: rate * math.expm1(n * service_s) - n, 1e-6 / service_s, 100 / service_s)
        return (1 - busy) / (busy * math.exp(decay * service_s) - 1) * math.exp(-decay * (key.limit_s - fixed_s))

    total = root(lambda rate: beyond(rate) - (1 - key.percent / 100), 0.8 / service_s, (1 - 1e-5) / service_s)
    steps = [step / GRID * ends.writes for step in range(GRID + 1)]
    return [(writes, max(total - writes / (128 * KiB), 0.0)) for writes in steps]


def distances(
    ours: list[tuple[float, float]],
    true: list[tuple[float, float]],
    bands: list[tuple[float, float, float]],
    wanted: Search,
) -> tuple[float, Places, float]:
    """Return distances of two contours: the largest in reads at equal writes, the shortest, the largest not shaded."""
    reads, writes = wanted.axes.reads, wanted.axes.writes
    up = max(
        abs(max(service_map.between(ours, x) or 0, wanted.least) - max(y, wanted.least)) / reads
        for x, y in true
        if x < writes * (1 - 1e-9)
    )
    one, other = _dense(ours, wanted), _dense(true, wanted)
    there, back = _nearest(other, one), _nearest(one, other)
    low, high = ([(x, ends[place]) for x, *ends in bands] for place in (0, 1))
    free = [
        not bands
        or not (service_map.between(low, x * writes) or 0) <= y * reads <= (service_map.between(high, x * writes) or 0)
        for x, y in other
    ]
    return up, np.concatenate([there, back]), there[np.array(free)].max(initial=0.0)


def _dense(points: list[tuple[float, float]], wanted: Search) -> Places:
    """Return places along a contour, as shares of both axes; it closes at the end of the write axis."""
    least = wanted.least / wanted.axes.reads
    shares = [(x / wanted.axes.writes, max(y / wanted.axes.reads, least)) for x, y in points]
    shares += [(shares[-1][0], least), (1.0, least)]
    parts = [np.linspace(a, b, 2 + int(max(abs(b[0] - a[0]), abs(b[1] - a[1])) * PLACES)) for a, b in pairwise(shares)]
    return np.concatenate(parts)


def _nearest(places: Places, others: Places) -> Places:
    """Return the distance of each place from the nearest of others, in the axis where it is larger."""
    return np.array([np.abs(others - place).max(axis=1).min() for place in places])
