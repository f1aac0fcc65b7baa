"""Why some response times of a virtual drive are long, and whether that holds where nothing was fitted."""

import math
from collections.abc import Iterable

import msgspec
import numpy as np
import numpy.typing as npt
import pytest
from benchmarks import data
from benchmarks.calibrate import fit, percentiles
from benchmarks.calibrate.__main__ import compared
from benchmarks.calibrate.experiments import Bench, Sum
from benchmarks.calibrate.fit import Row
from hypothesis import given
from hypothesis import strategies as st

from stend.base.errors import BadInput
from stend.base.units import KiB
from stend.model.published import published
from stend.sim import Pattern, build, load
from stend.sim.requests import ROWS, Weighted
from stend.sim.spec import Spec, Tail
from stend.sim.stalls import LONGEST, SHAPE, Stalls, write_share

HOUR = 3600
STALLING = Tail(stalls_per_s=2, write_stalls_per_s=1, stall_ms=3)


def tailed(**tail: float) -> Spec:
    """The small drive, which has no tail of its own, with one."""
    spec = load("small")
    assert spec.flash
    return msgspec.structs.replace(spec, flash=msgspec.structs.replace(spec.flash, tail=Tail(**tail)))


def minute(spec: Spec, read_pct: int, kib: int = 4, depth: int = 1) -> Sum:
    bench = Bench(spec, {})
    bench.fill(1)
    return bench.run(bench.pattern(read_pct, kib * KiB, depth=depth), 60)


def fresh(spec: Spec, read_pct: int) -> Sum:
    """Run 10 s on a drive that need not clean: cleaning would absorb the wait of a write."""
    bench = Bench(msgspec.structs.replace(spec, capacity_bytes=16 << 30), {})
    return bench.run(bench.pattern(read_pct, 4 * KiB, threads=1, depth=1), 10)


def requests(read_pct: int, weighted: tuple[Weighted, ...] = ()) -> Pattern:
    return Pattern(random_pct=100, read_pct=read_pct, sizes=((4096, 1.0),), range_bytes=1 << 27, weighted=weighted)


def drawn_ms(write: float) -> npt.NDArray[np.float64]:
    stalls = Stalls(STALLING, seed=3)
    stalls.write_share = write
    for _ in range(HOUR):
        stalls.drawn_s(1)
    return stalls.waits_ns((1, 0.0))[0] / 1e6


@pytest.mark.parametrize("write", [0, 0.35, 1])
def test_stalls_come_as_often_as_the_share_of_writes_says(write: float) -> None:
    assert len(drawn_ms(write)) == pytest.approx((2 + write) * HOUR, rel=0.05)


def test_a_drive_may_stall_under_writes_only() -> None:
    stalls = Stalls(Tail(write_stalls_per_s=5), seed=3)
    assert not stalls.drawn_s(HOUR)
    stalls.write_share = 1
    assert stalls.drawn_s(HOUR)


@pytest.mark.parametrize("times", [1.2, 1.5, 2, 4])
def test_stalls_last_by_paretos_distribution_between_their_bounds(times: float) -> None:
    told = drawn_ms(0)
    assert told.min() >= STALLING.stall_ms
    assert told.max() <= LONGEST * STALLING.stall_ms
    rest = LONGEST**-SHAPE
    share = (times**-SHAPE - rest) / (1 - rest)
    assert np.mean(told > times * STALLING.stall_ms) == pytest.approx(share, abs=0.005)


@given(seconds=st.floats(1e-3, 100), rate=st.floats(0, 1e5), outstanding=st.integers(1, 300))
def test_what_is_lost_is_what_each_outstanding_io_tells(seconds: float, rate: float, outstanding: int) -> None:
    stalls = Stalls(Tail(stalls_per_s=rate, stall_ms=0.1), seed=1)
    lost_s = stalls.drawn_s(min(seconds, 1e4 / max(rate, 1)))
    assert stalls.waits_ns((outstanding, 0.0))[0].sum() / 1e9 == pytest.approx(lost_s * outstanding)
    assert not len(stalls.waits_ns((outstanding, 0.0))[0])


def test_ios_that_come_at_their_own_times_wait_for_what_is_left_of_a_stall() -> None:
    stalls = Stalls(STALLING, seed=3)
    lost_s = stalls.drawn_s(HOUR)
    waits_ns = stalls.waits_ns((0, 10_000.0))[0]
    assert len(waits_ns) == pytest.approx(10_000 * lost_s, rel=0.01)
    assert waits_ns.max() < LONGEST * STALLING.stall_ms * 1e6


def test_a_patterns_share_of_writes_is_that_of_its_requests() -> None:
    kinds = (Weighted(3, True, True, 4096, 0, 1), Weighted(1, True, False, 4096, 0, 1))
    assert write_share(requests(65)) == pytest.approx(0.35)
    assert write_share(requests(100, kinds)) == 0.25


@pytest.mark.slow
def test_a_stall_costs_the_ios_of_its_time_and_is_told_by_all_that_is_outstanding() -> None:
    drives = {rate: build(tailed(stalls_per_s=rate, stall_ms=10)) for rate in (0, 10)}
    iops, waited = {}, {}
    for rate, drive in drives.items():
        drive.start(requests(100))
        told = drive.advance(600).tallies
        iops[rate], waited[rate] = told[:, 0].sum() / 600, told[:, 2].sum() / 600e9
    mean_ms = 10 * SHAPE / (SHAPE - 1) * (1 - LONGEST ** (1 - SHAPE)) / (1 - LONGEST**-SHAPE)
    assert iops[10] / iops[0] == pytest.approx(1 - 10 * mean_ms / 1e3, abs=0.03)
    assert waited[10] == pytest.approx(1, rel=0.01)


def test_reads_at_a_rate_wait_for_stalls_beside_another_load_as_they_do_alone() -> None:
    """A stall hits every request that arrives in it, and each that its neighbour keeps outstanding."""
    longest, waits = {}, {}
    due = msgspec.structs.replace(requests(100), rate_iops=1000.0, depth=256)
    for name, beside in (("alone", ()), ("beside", (msgspec.structs.replace(requests(100), depth=8),))):
        drive = build(tailed(stalls_per_s=2, stall_ms=10))
        if beside:
            drive.start(msgspec.structs.replace(due, beside=beside))
        else:
            drive.arrive(due, 1000.0, even=False)
        counts = drive.advance(60).ledger
        longest[name] = [counts.sums[load, 4] / 1e6 for load in range(0, len(counts.sums), ROWS)]
        waits[name] = counts.sums[0, 2] / counts.sums[0, 0] / 1e6
    assert min(longest["alone"] + longest["beside"]) > 10
    assert waits["beside"] == pytest.approx(waits["alone"], rel=0.3)


def test_fills_meet_no_stalls() -> None:
    drive = build(tailed(stalls_per_s=10, stall_ms=10))
    drive.start(msgspec.structs.replace(requests(0), limit_bytes=1 << 27))
    assert drive.advance(600).tallies[1, 4] < 10e6


@pytest.mark.parametrize("percent", [99, 99.99])
def test_jitter_is_of_exponential_distribution(percent: float) -> None:
    still, jittering = (minute(tailed(read_jitter_us=us), 100) for us in (0, 20))
    later = jittering.percentile_us(percent) - still.percentile_us(50)
    assert later == pytest.approx(20 * math.log(100 / (100 - percent)), rel=0.1)


def test_large_reads_meet_more_retries_for_they_sense_more() -> None:
    late = {}
    for kib in (4, 128):
        plain, retried = (minute(tailed(retry_pct=pct, retry_us=2000), 100, kib) for pct in (0, 2))
        late[kib] = retried.mean_us() - plain.mean_us()
    assert late[4] == pytest.approx(0.02 * 2000, rel=0.15)
    assert late[128] > 1.5 * late[4]


def test_reads_soon_after_writes_wait_for_dies_at_work_and_others_do_not() -> None:
    means = {
        (read_pct, pct): minute(tailed(busy_pct=pct, busy_us=1000), read_pct).mean_us(0)
        for read_pct in (100, 65)
        for pct in (0, 50)
    }
    assert means[100, 50] == pytest.approx(means[100, 0], rel=1e-3)
    assert means[65, 50] - means[65, 0] == pytest.approx(0.5 * 500, rel=0.1)


def test_each_direction_of_a_mix_waits_the_fixed_time_and_pure_loads_do_not() -> None:
    for read_pct, extra_us in ((100, 0), (65, 80), (0, 0)):
        plain, mixed = (fresh(tailed(mixed_us=us), read_pct) for us in (0, 80))
        for way in (0, 1):
            if plain.sums[way, 0]:
                assert mixed.mean_us(way) - plain.mean_us(way) == pytest.approx(extra_us, abs=2)


def test_background_work_makes_a_shelf_of_reads_and_leaves_writes_alone() -> None:
    plain, worked = (minute(tailed(background_pct=pct, busy_us=2000), 100) for pct in (0, 0.5))
    assert worked.percentile_us(99) == pytest.approx(plain.percentile_us(99), rel=0.02)
    shelf = worked.percentile_us(99.9) - plain.percentile_us(50)
    assert shelf == pytest.approx(2000 * (1 - 0.1 / 0.5), rel=0.05)  # even up to busy_us: a fifth of 0.5 % lies above
    still, writing = (minute(tailed(background_pct=pct, busy_us=2000), 0).mean_us() for pct in (0, 0.5))
    assert writing == pytest.approx(still, rel=1e-3)


def test_reads_behind_a_read_that_waits_for_background_work_wait_too() -> None:
    alone, deep = (minute(tailed(background_pct=1, busy_us=2000), 100, depth=depth) for depth in (1, 64))
    means = [minute(tailed(), 100, depth=depth).mean_us() for depth in (1, 64)]
    assert alone.mean_us() - means[0] == pytest.approx(0.01 * 1000, rel=0.1)
    assert deep.mean_us() - means[1] > 1.2 * (alone.mean_us() - means[0])


@pytest.mark.parametrize("share_pct", [5, 100])
def test_a_share_of_writes_waits_for_the_controller(share_pct: float) -> None:
    still, jittering = (fresh(tailed(write_jitter_us=us, write_jitter_pct=share_pct), 0) for us in (0, 50))
    assert jittering.mean_us() - still.mean_us() == pytest.approx(50 * share_pct / 100, rel=0.1)
    later = jittering.percentile_us(99) - still.percentile_us(50)
    assert later == pytest.approx(50 * math.log(share_pct), rel=0.1)


def held(simulated: dict[str, float]) -> bool:
    return percentiles.held([Row("saber1000", cell, 100, value, True) for cell, value in simulated.items()])


def test_what_is_required_of_the_known_percentiles() -> None:
    near = {f"latency p99 4K {mix}": 110.0 for mix in percentiles.MIXES}
    assert held(near)
    assert not held(near | {"latency p99 4K 0": 210})
    assert not held(near | {"latency p99 4K 0": 45})
    assert not held(dict.fromkeys(near, 130))
    known = [Row("saber1000", cell, 100, value, True) for cell, value in near.items()]
    assert percentiles.held([*known, Row("saber1000", "latency p99.9 4K 0", math.nan, 900, True)])


def cells_of(names: Iterable[str]) -> list[percentiles.Cell]:
    return [cell for cell, _ in percentiles.cells(Row("", name, 1, 1, False) for name in names)]


@pytest.mark.parametrize("name", percentiles.drives())
def test_percentiles_are_fitted_or_unseen_by_kind_and_unseen_ones_have_no_value(name: str) -> None:
    facts = published()[name]
    known = cells_of(f"latency {cell}" for cell in facts["latency"])
    unseen = cells_of(facts["unseen"]["cells"])
    assert {cell.fitted for cell in known} == {True}
    assert {cell.fitted for cell in unseen} == {False}
    assert len(unseen) == len(facts["unseen"]["cells"]) == 6
    assert not any(cell.startswith("latency p") for cell in facts["kept"]["cells"])


def test_a_table_has_errors_by_kind_and_simulated_values_of_unseen_cells() -> None:
    rows = [
        Row("sn150", "latency p99 4K 100", 100, 110, False),
        Row("sn150", "latency p99 4K 0", 100, 80, False),
        Row("sn150", "latency p99 8K 100", math.nan, 123, True),
    ]
    lines = percentiles.table(rows).splitlines()
    assert "| sn150 | 8K 99 % QD1 | reads | not known here | 123 | | not fitted |" in lines
    assert "| 4K 99 % QD1 | 2 | 2 | yes | 15.0% | 1.25 |" in lines
    assert "| 8K 99 % QD1 | 1 | 0 | no | - | - |" in lines
    assert "| all | 3 | 2 | in part | 15.0% | 1.25 |" in lines
    assert "| 8K 99 % QD1 | 1 | 1 | no | 23.0% | 1.23 |" in percentiles.table(
        [*rows[:2], Row("sn150", "latency p99 8K 100", 100, 123, True)]
    )


@pytest.mark.parametrize("name", percentiles.drives())
def test_no_number_of_a_tail_is_without_a_source(name: str) -> None:
    spec = load(name)
    assert spec.flash
    given = {place for places in spec.sources.values() for place in places}
    used = {f"flash.tail.{f}" for f in Tail.__struct_fields__ if getattr(spec.flash.tail, f) != getattr(Tail(), f)}
    assert used <= given
    fitted = used & set(spec.sources["fitted"])
    assert len(fitted) < len(cells_of(f"latency {cell}" for cell in published()[name]["latency"]))
    assert fitted <= set(fit.free(spec))


@pytest.mark.soak
def test_percentiles_are_as_near_as_required_and_as_documented() -> None:
    rows = [row for name in percentiles.drives() for row in percentiles.rows(load(name))]
    assert percentiles.held(rows)
    printed = data.tables(percentiles.table(rows), ["percentiles", "percentile-kinds"])
    assert printed == {name: data.read(name) for name in printed}


def test_drives_without_published_percentiles_are_refused_by_name() -> None:
    with pytest.raises(BadInput, match="no published percentiles of kc2000; choose from sn150"):
        compared(["kc2000"], tails=True)
