"""A scaled drive does what a less scaled one does: the same curves within 3 %, in the time and size of the real one."""

from copy import deepcopy
from functools import cache

import msgspec
import numpy as np
import pytest

from stend.base.units import GiB, KiB, MiB
from stend.model.stats import bin_edges_ns
from stend.sim import Pattern, build, load
from stend.sim.drive import Drive
from stend.sim.spec import Tail

pytestmark = [pytest.mark.slow, pytest.mark.together]
LESS, MORE = 256, 1024


def drive(scale: int) -> Drive:
    return build(msgspec.structs.replace(load("sn150"), scale=scale))


def pattern(d: Drive, read_pct: int, kib: int, depth: int = 16, threads: int = 16) -> Pattern:
    size = ((kib * KiB, 1.0),)
    capacity = d.spec.capacity_bytes
    return Pattern(random_pct=100, read_pct=read_pct, sizes=size, range_bytes=capacity, threads=threads, depth=depth)


def rates(d: Drive, of: Pattern, seconds: float, step: float) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    d.start(of)
    made = [d.advance(step).tallies[:, 0].sum() / step for _ in range(round(seconds / step))]
    d.stop()
    return np.array(made)


@cache
def _used(scale: int) -> Drive:
    d = drive(scale)
    rates(d, pattern(d, 0, 4), 4 * 3600, 3600)
    return d


def used(scale: int) -> Drive:
    """A drive of its own that was written for four hours."""
    return deepcopy(_used(scale))


def test_the_saturation_curve_is_the_same() -> None:
    curves = []
    for scale in (LESS, MORE):
        d = drive(scale)
        curves.append(rates(d, pattern(d, 0, 4), 6 * 3600, 600))
    assert curves[0][0] > 2.5 * curves[0][-1]
    assert curves[1] == pytest.approx(curves[0], rel=0.03)


@pytest.mark.parametrize(("read_pct", "kib", "depth", "threads"), [(100, 4, 16, 16), (65, 8, 16, 16), (65, 4, 1, 1)])
def test_rates_and_response_times_of_a_used_drive_are_the_same(
    read_pct: int, kib: int, depth: int, threads: int
) -> None:
    told = []
    for scale in (LESS, MORE):
        d = used(scale)
        d.start(pattern(d, read_pct, kib, depth, threads))
        d.advance(300)
        sums = np.sum([d.advance(60).tallies for _ in range(100)], axis=0)
        told.append((sums[:, 0].sum(), sums[:, 2].sum() / sums[:, 0].sum()))
    assert told[1] == pytest.approx(told[0], rel=0.03)


def test_bytes_and_seconds_are_those_of_the_drive_as_it_is_sold() -> None:
    d = drive(MORE)
    whole = d.spec.capacity_bytes
    fill = Pattern(random_pct=0, read_pct=0, sizes=((MiB, 1.0),), range_bytes=whole, depth=32, limit_bytes=whole)
    d.start(fill)
    seconds = 0.0
    more = True
    while more:
        done = d.advance(60)
        seconds, more = seconds + done.seconds, done.more
    assert d.host_write_bytes == whole
    assert whole / seconds == pytest.approx(d.spec.host.write_mb_s * 1e6, rel=0.03)


def test_what_rests_give_back_is_the_same() -> None:
    told = []
    for scale in (16, 64):
        d = build(
            msgspec.structs.replace(load("saber1000"), scale=scale, capacity_bytes=120_000_000_000 // 4096 * 4096)
        )
        rates(d, pattern(d, 0, 4, 32, 1), 3 * 3600, 3600)
        levels = []
        for _ in range(100):
            levels.append(rates(d, pattern(d, 0, 4, 32, 1), 5, 5)[0])
            d.idle(2)
        told.append(np.mean(levels[5:]))
    assert told[1] == pytest.approx(told[0], rel=0.03)


def test_a_pause_is_in_the_response_times_of_all_that_wait_and_of_nobody_else() -> None:
    base = load("saber1000")
    assert base.flash
    every = 12_800
    flash = msgspec.structs.replace(base.flash, pause_every_writes=every, pause_ms=500, tail=Tail())
    d = build(msgspec.structs.replace(base, flash=flash, scale=1, capacity_bytes=8 * GiB))
    d.start(pattern(d, 0, 4, 32, 1))
    done = d.advance(20)
    edges = np.array([bin_edges_ns(index)[0] for index in range(done.bins.shape[1])])
    late = done.bins[1, edges > 400e6].sum()
    assert late == pytest.approx(31 * (done.tallies[1, 0] // every), abs=31)  # the 32nd has its answer
