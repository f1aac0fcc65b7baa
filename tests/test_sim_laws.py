"""Laws that every virtual drive keeps under every load: Little's, and what a mix of reads and writes can do at most."""

import itertools
import zlib
from collections.abc import Iterator
from typing import NamedTuple

import msgspec
import numpy as np
import pytest
from benchmarks.calibrate.experiments import Bench, Sum

from stend.base.units import KiB, MiB
from stend.model.stats import bin_index
from stend.sim import Pattern, account, build, load, profiles
from stend.sim.disk import PASSED_BY
from stend.sim.drive import Drive
from stend.sim.requests import ledger
from stend.sim.spec import Tail

LENGTHS_S = (5, 30, 60)
SETTLED_S = 30
"""When write memories are full."""
WITHIN = 0.02
SIMULATED = 100
"""Simulated IOs of a record of a scaled drive from which its response times are known to WITHIN."""
SIZES = (512, 4 * KiB, 8 * KiB, 64 * KiB, 128 * KiB, MiB)
POINTS = ((1, 1), (1, 4), (1, 32), (4, 32), (16, 16))
MIXES = (100, 65, 0)
LOADS = list(itertools.product((100, 0), SIZES, POINTS))
APART = {
    "ideal": "its link carries both directions at once, each at its full rate",
    "small": "its link carries both directions at once, and reads find dies free that writes do not fill",
    "kc2000": "in order, reads alone wait for the flash and writes alone for the buffer, a mix for neither in full",
    **dict.fromkeys(
        ("st600mx0052", "st1800mm0088"),
        "writes wait in its memory: its arm has more to choose from than alone",
    ),
}
"""Drives whose mixes may exceed both pure loads, and why; neither direction then does more than alone."""


class Cell(NamedTuple):
    """A minute of a load: IOPS of its second half, and IOPS x response time / outstanding by length of record.

    Records of a scaled drive with fewer than SIMULATED IOs are left out.
    """

    name: str
    iops: float
    little: dict[int, float]

    def off(self) -> dict[int, float]:
        """Return the records in which Little's law does not hold."""
        return {s: v for s, v in self.little.items() if abs(v - 1) > WITHIN}


def used(name: str) -> Drive:
    """A drive that was filled, and those of flash overwritten at random."""
    drive = build(load(name))
    size = drive.capacity_bytes
    fills = [(0, 128 * KiB, size)] + [(100, 4 * KiB, 2 * size)] * (drive.spec.flash is not None)
    if drive.spec.disk or drive.spec.array:
        fills = [(0, 128 * KiB, size // 64)]
    for random_pct, block, limit in fills:
        drive.start(pattern(drive, random_pct, block, 0, (1, 32), limit_bytes=limit))
        while drive.advance(600).more:
            pass
        drive.stop()
    return drive


def pattern(
    drive: Drive, random_pct: int, block: int, read_pct: int, point: tuple[int, int], limit_bytes: int = 0
) -> Pattern:
    seed = zlib.crc32(repr((random_pct, block, read_pct, point)).encode())
    return Pattern(
        random_pct=random_pct,
        read_pct=read_pct,
        sizes=((block, 1.0),),
        range_bytes=drive.capacity_bytes,
        threads=point[0],
        depth=point[1],
        limit_bytes=limit_bytes,
        seed=seed,
    )


def minute(drive: Drive, random_pct: int, block: int, read_pct: int, point: tuple[int, int]) -> Cell:
    drive.start(pattern(drive, random_pct, block, read_pct, point))
    waited, ios, late, little = 0.0, 0.0, 0.0, {}
    for second in range(1, LENGTHS_S[-1] + 1):
        told = drive.advance(1).tallies
        waited += told[:, 2].sum()
        ios += told[:, 0].sum()
        late += told[:, 0].sum() * (second > SETTLED_S)
        if second in LENGTHS_S and ios >= SIMULATED * (drive.spec.scale if drive.spec.scale > 1 else 0):
            usual_ns = 1e9 * point[0] * point[1] / max(told[:, 0].sum(), 1)
            little[second] = (waited + overtaken_ns(drive, usual_ns)) / 1e9 / second / (point[0] * point[1])
    drive.stop()
    kind = "RND" if random_pct else "SEQ"
    name = f"{kind} {block} {read_pct}% T{point[0]}Q{point[1]}"
    return Cell(name, late / (LENGTHS_S[-1] - SETTLED_S), little)


def overtaken_ns(drive: Drive, usual_ns: float) -> float:
    """Return the waiting of IOs in flight that later ones have overtaken at a disk's head: no answer has reported it.

    A disk serves the request that its head reaches first. At the end of a record several may wait, up to two seconds.
    """
    if drive._loop is None or not drive.spec.disk:
        return 0.0
    waited = drive.inner_ns - drive._loop.issued[drive._loop.size != 0]
    return float(np.maximum(waited - PASSED_BY * usual_ns, 0).sum())


def cells(drive: Drive, loads: list[tuple[int, int, tuple[int, int]]]) -> Iterator[list[Cell]]:
    """Reads, the mix and writes of each load."""
    for random_pct, block, point in loads:
        yield [minute(drive, random_pct, block, read_pct, point) for read_pct in MIXES]


def checked(name: str, loads: list[tuple[int, int, tuple[int, int]]]) -> None:
    found = list(cells(used(name), loads))
    off = {c.name: wrong for three in found for c in three if (wrong := c.off())}
    assert not off
    assert not beyond(found)
    assert name in APART or not exceeding(found)


def exceeding(found: list[list[Cell]]) -> dict[str, float]:
    """Mixes that do more than their reads alone and their writes alone, and by how much."""
    return {m.name: m.iops / max(r.iops, w.iops) for r, m, w in found if m.iops > 1.05 * max(r.iops, w.iops)}


def beyond(found: list[list[Cell]]) -> dict[str, tuple[float, float]]:
    """Of those, the ones in which one direction does more than alone: each as a part of what it does alone."""
    share, above = MIXES[1] / 100, exceeding(found)
    parts = {m.name: (share * m.iops / r.iops, (1 - share) * m.iops / w.iops) for r, m, w in found if m.name in above}
    return {name: both for name, both in parts.items() if max(both) > 1.1}


@pytest.mark.slow
@pytest.mark.parametrize("name", profiles())
def test_outstanding_is_iops_times_response_time_and_no_mix_beats_both_its_parts(name: str) -> None:
    number = profiles().index(name)
    checked(name, [*LOADS[number :: 2 * len(profiles())], (100, 128 * KiB, (4, 32))])


@pytest.mark.soak
@pytest.mark.parametrize("name", profiles())
def test_the_same_of_every_load(name: str) -> None:
    checked(name, LOADS)


def test_a_queue_of_the_host_stands_before_the_drives_own() -> None:
    """Four times as many outstanding wait four times as long on average, but the longest waits do not grow as much."""
    drive = used("saber1000")
    worst = {}
    for threads in (1, 4):
        drive.start(pattern(drive, 100, 4 * KiB, 100, (threads, 32)))
        drive.advance(10)
        done = drive.advance(120)
        drive.stop()
        edge = int(np.searchsorted(np.cumsum(done.bins[0]), 0.9999 * done.bins[0].sum()))
        worst[threads] = (done.tallies[0, 2] / done.tallies[0, 0], (edge & 63 | 64) << (edge >> 6))
    assert worst[4][0] == pytest.approx(4 * worst[1][0], rel=0.02)
    assert worst[4][1] < 2.5 * worst[1][1]  # stalls meet four times as many


@pytest.mark.parametrize(("name", "least"), [("x25e-raid", 500), ("st600mx0052", 80), ("st1800mm0088", 60)])
def test_no_read_starves_behind_a_cache_that_is_written_out(name: str, least: float) -> None:
    drive = build(load(name))
    drive.start(pattern(drive, 100, 4 * KiB, 0, (16, 16)))
    drive.advance(60)
    drive.stop()
    drive.start(pattern(drive, 100, 4 * KiB, 100, (1, 1)))
    assert min(drive.advance(1).tallies[0, 0] for _ in range(10)) > least


@pytest.mark.parametrize(("block", "read_pct"), [(4 * KiB, 100), (MiB, 0)])
def test_an_array_sees_several_sequential_streams(block: int, read_pct: int) -> None:
    iops = {}
    for threads in (1, 4):
        drive = build(load("x25e-raid"))
        drive.start(pattern(drive, 0, block, read_pct, (threads, 32)))
        drive.advance(10)
        iops[threads] = drive.advance(10).tallies[:, 0].sum()
    assert iops[4] == pytest.approx(iops[1], rel=0.1)


def test_no_write_of_an_erased_array_waits_for_what_was_in_its_cache_before() -> None:
    """A full cache of sequential writes keeps the members busy for seconds; erasing drops that work with the data."""
    drive = build(load("x25e-raid?array.level=10&array.cache_bytes=4294967296"))
    drive.start(pattern(drive, 0, 128 * KiB, 0, (1, 32)))
    drive.advance(30)
    drive.stop()
    drive.format()
    drive.start(pattern(drive, 100, 4 * KiB, 0, (8, 16)))
    assert drive.advance(30).tallies[1, 4] < 1e9


@pytest.mark.parametrize("mib", [64, 512, 2048])
def test_a_cache_of_an_array_takes_its_size_in_small_writes(mib: int) -> None:
    """Its list of writes ended at 65,536: a cache of 2 GiB took 256 MiB of 4 KiB writes."""
    drive = build(load(f"x25e-raid?array.cache_bytes={mib * MiB}"))
    drive.start(pattern(drive, 100, 4 * KiB, 0, (8, 16)))
    writes = [int(drive.advance(0.5).tallies[1, 0]) for _ in range(30)]
    taken = sum(n - writes[-1] for n in writes)
    assert taken * 4 * KiB == pytest.approx(mib * MiB, rel=0.1)


def test_a_disk_does_no_more_than_its_commands_take() -> None:
    drive = build(load("sas15k"))
    drive.start(pattern(drive, 0, 512, 100, (1, 32)))
    drive.advance(5)
    assert drive.advance(10).tallies[0, 0] / 10 <= 1e6 / drive.spec.host.read_command_us * 1.001


def test_a_pause_costs_the_ios_of_its_time() -> None:
    drive = used("saber1000")
    drive.start(pattern(drive, 0, 4 * KiB, 0, (1, 4)))
    rates, longest = [], []
    for _ in range(240):
        told = drive.advance(1).tallies
        rates.append(told[1, 0])
        longest.append(told[1, 4] / 1e6)
    assert max(longest) > 400
    assert np.min(rates) < 0.8 * np.median(rates)


def after_writes(step_s: float, pause_every: int = 0) -> Sum:
    """Reads of a drive that was written over, and cleans while it reads."""
    spec = load("saber1000")
    assert spec.flash
    flash = msgspec.structs.replace(spec.flash, pause_every_writes=pause_every, tail=Tail())
    bench = Bench(msgspec.structs.replace(spec, flash=flash), {"threads": 1, "depth": 32})
    bench.fill(2)
    bench.run(bench.pattern(0, 4 * KiB), 1200)
    return bench.run(bench.pattern(100, 4 * KiB), 20, step_s)


def test_response_times_do_not_depend_on_how_often_a_drive_is_asked() -> None:
    often, seldom = after_writes(1), after_writes(20)
    assert often.percentile_us(99) == pytest.approx(seldom.percentile_us(99), rel=0.05)
    assert often.mean_us() == pytest.approx(seldom.mean_us(), rel=0.02)


def test_a_pause_is_told_whole_by_a_few_and_by_nobody_else() -> None:
    spec = load("saber1000")
    assert spec.flash
    flash = msgspec.structs.replace(spec.flash, pause_every_writes=2000, tail=Tail())
    bench = Bench(msgspec.structs.replace(spec, flash=flash), {})
    told = bench.run(bench.pattern(0, 4 * KiB), 60).bins[1]
    low, high = (bin_index(ns) for ns in (5e6, 200e6))
    assert told[high:].sum() > 0
    assert told[low:high].sum() == 0


def test_ios_told_early_whose_bins_a_pause_moved_leave_no_bin_below_zero() -> None:
    done, old = ledger(), ledger()
    done.bins[1, [500, 600]] = 3
    done.sums[1, 0], old.sums[1, 0], old.bins[1, 400] = 6, 5, 5
    account._exchange(done, old, ledger())
    assert done.bins.min() >= 0
    assert done.bins.sum() == done.sums[1, 0] == 1
