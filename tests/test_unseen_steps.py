"""Boundaries of the steps that single tests draw: places, sizes, times, rates."""

from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from stend.base.errors import BadInput, NotOnDrive
from stend.base.units import GiB, KiB, MiB
from stend.model.counts import Counts
from stend.model.definition import Bytes, Hold, Identity, Idle, Phase, Profile, Seconds
from stend.model.tally import Tally
from stend.planning import plan
from stend.suite import (
    inspect,
    latency_curve,
    load,
    media,
    neighbours,
    power,
    service_map,
    slc_cache,
    trim,
    wake,
)

FILE = Identity(kind="file", target="/x", path="/x", capacity_bytes=8 * GiB)
DRIVE = replace(FILE, kind="block", facts={"trim_max_bytes": 2 * GiB})


def profile(test: str, **settings: Any) -> Profile:
    whole, _ = plan.adjust(plan.load_profile("enterprise-2.0.2"), {"tests": {test: settings}} if settings else {})
    return whole.for_test(test, load(test))


def holds(phase: Phase) -> list[Hold]:
    return [step for step in phase.round if isinstance(step, Hold)]


def counted(iops: int, mean_s: float) -> Counts:
    return Counts(1.0, 0.0, Tally(ios=iops, latency_ns=round(iops * mean_s * 1e9)))


@pytest.mark.parametrize(
    ("victims", "others", "refilled"),
    [
        (["reads", "synced-writes"], ["read"], {}),
        (["reads", "synced-writes"], ["trim"], {"precondition-2": (4 * GiB, 4 * GiB)}),
        ([{"random_pct": 0, "read_pct": 100, "block_bytes": 4096, "trim_pct": 50}, "reads"], ["read"],
         {"precondition-2": (0, 4 * GiB)}),
        ([{"random_pct": 0, "read_pct": 100, "block_bytes": 4096, "trim_pct": 50}, "reads"], ["trim"],
         {"precondition-2": (0, 8 * GiB)}),
    ],
)  # fmt: skip
def test_the_halves_that_a_victim_trimmed_are_filled_again_before_the_next(
    victims: list[Any], others: list[str], refilled: dict[str, tuple[int, int]]
) -> None:
    phases = neighbours.phases(profile("neighbours", victims=victims, neighbours=others), DRIVE)
    fills = {phase.name: holds(phase)[0] for phase in phases if phase.name.startswith("precondition-")}
    places = {name: (hold.workload.start_bytes, hold.workload.range_bytes) for name, hold in fills.items()}
    assert places == refilled
    for hold in fills.values():
        assert hold.amount == Bytes(bytes=hold.workload.range_bytes)
        assert hold.workload.label.startswith("SEQ 128K 0/100")
    assert [phase.name for phase in phases if phase.name.startswith("beside")] == [
        f"beside-{victim}" if isinstance(victim, str) else "beside-load-1" for victim in victims
    ]


@pytest.mark.parametrize(("rates", "rotational", "label"), [
    ([1000, 50], False, "RND 4K 100/0 T1 Q256 1000/s"),
    ([1000, 50], True, "RND 4K 100/0 T1 Q256 50/s"),
    ([0, 50], False, "RND 4K 100/0 T1 Q1"),
])  # fmt: skip
def test_a_victim_works_in_the_first_half_and_its_neighbours_in_the_second(
    rates: list[int], rotational: bool, label: str
) -> None:
    drive = replace(FILE, rotational=rotational)
    *_, reads, synced = neighbours.phases(profile("neighbours", rates_iops=rates, depths=[1, 8]), drive)
    settle, alone, *beside, last = holds(reads)
    assert (settle.ramp, settle.amount, alone.ramp) == (True, Seconds(seconds=10), False)
    assert settle.workload == alone.workload == last.workload
    assert (alone.workload.label, alone.workload.start_bytes, alone.workload.range_bytes) == (label, 0, 4 * GiB)
    others = [hold.workload.beside[0] for hold in beside]
    assert {(load.start_bytes, load.range_bytes) for load in others} == {(4 * GiB, 4 * GiB)}
    assert [load.label for load in others] == [
        "RND 4K 100/0 T1 Q1", "RND 4K 100/0 T1 Q8", "SEQ 128K 0/100 T1 Q1", "SEQ 128K 0/100 T1 Q8",
        "RND 4K 0/100 T1 Q1", "RND 4K 0/100 T1 Q8",
    ], "a file has no trims"  # fmt: skip
    assert holds(synced)[1].workload.label == "RND 4K 0/100 T1 Q1 FLUSH"


def test_a_victim_that_trims_needs_a_drive_with_trims() -> None:
    trims = {"random_pct": 0, "read_pct": 100, "block_bytes": 4096, "trim_pct": 50}
    with pytest.raises(NotOnDrive):
        neighbours.phases(profile("neighbours", victims=[trims]), FILE)
    with pytest.raises(BadInput, match="has no loads beside it: the test adds them"):
        neighbours.phases(profile("neighbours", victims=[trims | {"trim_pct": 0, "beside": [trims]}]), DRIVE)
    kept = neighbours._workload(trims | {"range_bytes": MiB}, {"start_bytes": 5 * MiB, "range_bytes": 7 * MiB})
    assert (kept.start_bytes, kept.range_bytes) == (0, MiB)


@pytest.mark.parametrize(
    ("gib", "part_bytes", "rounds"),
    [(8, 256 * MiB, 32), (16, 256 * MiB, 64), (32, 512 * MiB, 64), (0.25, 256 * MiB, 1), (0.125, 128 * MiB, 1)],
)
def test_the_whole_drive_is_written_and_read_in_at_most_sixty_four_parts(
    gib: float, part_bytes: int, rounds: int
) -> None:
    write, read = media.phases(profile("media"), replace(FILE, capacity_bytes=int(gib * GiB)))
    for phase, read_pct in ((write, 0), (read, 100)):
        (hold,) = holds(phase)
        assert (hold.amount, phase.rounds) == (Bytes(bytes=part_bytes), rounds)
        assert (hold.workload.read_pct, hold.workload.range_bytes) == (read_pct, gib * GiB)


def test_a_sample_of_the_drive_ends_with_its_last_block() -> None:
    """8 GiB and a sector: the teeth are as far apart as the first part is long, the root of 8 GiB times 4 KiB."""
    quick = plan.quicken(plan.load_profile("enterprise-2.0.2"))[0].for_test("media", load("media"))
    drive = replace(FILE, capacity_bytes=8 * GiB + 512)
    write, comb, read, read_comb = media.phases(quick, drive)
    assert [phase.name for phase in (write, comb, read, read_comb)] == ["write", "write-comb", "read", "read-comb"]
    first, teeth = holds(write)[0].workload, holds(comb)[0].workload
    every = 6 * MiB  # 5.66 MiB in whole ones
    assert (first.start_bytes, first.range_bytes, first.block_bytes) == (0, every, MiB)
    assert teeth.verify
    assert (teeth.verify.every_bytes, teeth.block_bytes) == (every, 4 * KiB)
    assert teeth.start_bytes + teeth.range_bytes == drive.capacity_bytes
    last = teeth.start_bytes + (teeth.range_bytes - 4 * KiB) // every * every
    assert drive.capacity_bytes - 8 * KiB < last + 4 * KiB <= drive.capacity_bytes
    assert 0 <= teeth.start_bytes < every
    with pytest.raises(BadInput, match="null stores nothing"):
        media.phases(quick, replace(drive, kind="null"))


@pytest.mark.parametrize(
    ("rest_s", "reads", "seconds"),
    [
        (0.001, 10_000, 10.0),
        (0.01, 10_000, 100.0),
        (0.1, 1000, 100.0),
        (1.0, 100, 100.0),
        (10.0, 20, 200.0),
        (60.0, 20, 1200.0),
    ],
)
def test_reads_after_a_rest_are_twenty_or_a_hundred_seconds_and_at_most_ten_thousand(
    rest_s: float, reads: int, seconds: float
) -> None:
    (phase,) = wake.phases(profile("wake"), FILE)
    first, *rests = holds(phase)
    assert (first.workload.label, first.amount) == ("RND 4K 100/0 T1 Q1", Seconds(seconds=10))
    ramps = [hold for hold in rests if hold.ramp]
    held = {round(1 / hold.workload.rate_iops, 9): hold for hold in rests if not hold.ramp}
    assert len(ramps) == len(held) == 6
    assert isinstance(held[rest_s].amount, Seconds)
    assert held[rest_s].amount.seconds == pytest.approx(seconds)  # type: ignore[union-attr]
    assert held[rest_s].amount.seconds * held[rest_s].workload.rate_iops == pytest.approx(reads)  # type: ignore[union-attr]
    (ramp,) = (hold for hold in ramps if hold.workload == held[rest_s].workload)
    assert ramp.amount == Seconds(seconds=rest_s + 2)


def test_a_map_of_services_has_whole_ios_and_no_stream_of_none() -> None:
    """15 MB/s are 114.4 writes of 128 KiB a second."""
    own = profile("service-map")
    both = service_map.load(own, 1000.4, 15e6)
    assert (both.rate_iops, both.read_pct, both.depth, both.threads) == (1114, round(100_000 / 1114), 1024, 1)
    assert [stream.label for stream in both.streams] == ["RND 4K R", "SEQ 128K W"]
    alone = service_map.load(own, 1000, 65_000)
    assert (alone.rate_iops, alone.read_pct, len(alone.streams)) == (1000, 100, 1)
    _, _, limits, cells = service_map.phases(own, FILE)
    assert (cells.rounds, [hold.workload.label for hold in holds(limits)[::3]]) == (
        60, ["RND 4K 100/0 T4 Q32", "SEQ 128K 0/100 T1 Q32"],
    )  # fmt: skip
    assert [hold.amount for hold in holds(limits)] == [Seconds(seconds=s) for s in (10, 25, 25)] * 2
    assert service_map.phases(replace(own, shorten=60), FILE)[3].rounds == 24
    for empty in ("limits_ms", "percentiles"):
        with pytest.raises(BadInput, match="at least one limit and one percentile"):
            service_map.phases(replace(own, options=own.options | {empty: []}), FILE)


def test_points_at_rates_follow_the_highest_rate_of_their_curve() -> None:
    own = profile("latency-curve", mixes=[100], blocks_kib=[4], threads_ladder=[1], depths=[1, 2], open_pcts=[25, 90])
    curve, opened = latency_curve.phases(own, FILE)[2:]
    results = [
        SimpleNamespace(step=hold, counts=counted(iops, 0.001))
        for hold, iops in zip(holds(curve)[1::2], (700, 1234), strict=True)
    ]
    run: Any = SimpleNamespace(of=lambda test, phase: results if phase == curve.name else [])
    test: Any = SimpleNamespace(name="latency-curve", phases=(curve, opened), profile=own)
    points = [step for step in latency_curve.open_points(run, test) if isinstance(step, Hold)]
    assert [hold.workload.rate_iops for hold in points] == [310.0, 310.0, 1100.0, 1100.0]
    assert [hold.amount for hold in points] == [Seconds(seconds=5), Seconds(seconds=30)] * 2
    assert points[0].workload.depth == 1024
    results.clear()
    assert latency_curve.open_points(run, test) == ()


def test_the_points_at_rates_are_those_of_the_first_curve_that_has_none() -> None:
    own = profile("latency-curve", mixes=[100, 65], blocks_kib=[4], threads_ladder=[1], depths=[1], open_pcts=[50])
    phases = latency_curve.phases(own, FILE)[2:]
    ran = {
        phase.name: [SimpleNamespace(step=hold, counts=counted(1000 * n, 0.001)) for hold in holds(phase)]
        for n, phase in enumerate(phases[:3], 1)
    }
    run: Any = SimpleNamespace(of=lambda test, phase: ran.get(phase, []))
    test: Any = SimpleNamespace(name="latency-curve", phases=phases, profile=own)
    points = [step for step in latency_curve.open_points(run, test) if isinstance(step, Hold)]
    assert [(hold.workload.read_pct, hold.workload.rate_iops) for hold in points] == [(65, 1500.0)] * 2
    ran[phases[3].name] = ran[phases[1].name]
    assert latency_curve.open_points(run, test) == ()


def test_rates_of_the_power_test_are_parts_of_the_highest_of_each_direction() -> None:
    own = profile("power")
    *_, reads, writes, rates = power.phases(own, FILE)
    done = {
        phase.name: [
            SimpleNamespace(step=hold, counts=counted(1000 * n + 1, 0.001)) for n, hold in enumerate(holds(phase), 1)
        ]
        for phase in (reads, writes)
    }
    run: Any = SimpleNamespace(of=lambda test, phase: done.get(phase, []))
    test: Any = SimpleNamespace(name="power", profile=own, phase=lambda name: rates)
    found = [step for step in power.at_rates(run, test) if isinstance(step, Hold)]
    assert [(hold.workload.label, hold.amount) for hold in found] == [
        (f"RND 4K {mix} T1 Q256 {rate}/s even", Seconds(seconds=60))
        for mix in ("100/0", "0/100")
        for rate in (600, 3000)
    ]
    done[rates.name] = done[reads.name]
    assert power.at_rates(run, test) == ()
    idle = power.phases(own, FILE)[1].round
    assert [step.seconds for step in idle if isinstance(step, Idle)] == [6, 15, 65]


def test_trims_that_no_part_or_no_trim_of_the_drive_holds_are_left_out() -> None:
    own = profile("trim", blocks_kib=[64, 1024], depths=[1, 32])
    every = [load.label for load in trim._sizes(own, DRIVE)]
    assert every == [f"SEQ TRIM {size}K T1 Q{depth}" for depth in (1, 32) for size in (64, 1024)]
    quarter = [(load.start_bytes, load.range_bytes) for load in trim._sizes(own, DRIVE)]
    assert quarter == [(n * 2 * GiB, 2 * GiB) for n in range(4)]
    for most, sizes in ((MiB, 4), (MiB - 1, 2), (64 * KiB, 2), (64 * KiB - 1, 0)):
        assert len(trim._sizes(own, replace(DRIVE, facts={"trim_max_bytes": most}))) == sizes
    shares = [(load.trim_pct, load.trim_bytes) for load in trim._reads(own)]
    assert shares == [(0, 0), (5, 4096), (20, 4096), (50, 4096)]
    fill = next(phase for phase in trim.phases(own, DRIVE) if phase.name == "fill-trimmed")
    half = holds(fill)[0]
    assert (half.workload.start_bytes, half.workload.range_bytes) == (4 * GiB, 4 * GiB)
    assert (half.workload.label, half.amount) == ("SEQ TRIM 1024K T1 Q8", Bytes(bytes=4 * GiB))


def test_a_partly_full_drive_is_filled_and_the_rest_of_it_written_after_a_rest() -> None:
    phases = {phase.name: phase for phase in slc_cache.phases(profile("slc-cache", full_pct=[25]), FILE)}
    places = {
        name: (hold.workload.start_bytes, hold.workload.range_bytes)
        for name, phase in phases.items()
        for hold in holds(phase)
    }
    whole = (0, 8 * GiB)
    assert places == {"fresh": whole, "rested": whole, "fill-25": (0, 2 * GiB), "full-25": (2 * GiB, 6 * GiB)}
    assert [phases[name].round for name in ("rest", "rest-25")] == [(Idle(seconds=1800),)] * 2
    assert [*phases] == ["purge", "fresh", "rest", "rested", "purge-25", "fill-25", "rest-25", "full-25"]


@pytest.mark.parametrize(("mib", "rounds"), [(8192, 64), (1024, 64), (1023, 63), (32, 2), (31, 1), (8, 1)])
def test_every_block_is_read_in_at_most_sixty_four_slices_of_sixteen_mebibytes_or_more(mib: int, rounds: int) -> None:
    drive = replace(FILE, capacity_bytes=mib * MiB + 4096)
    surface = inspect.phases(profile("inspect", survey_minutes=0.0), drive)[0]
    assert (surface.rounds, surface.choose) == (rounds, "one_slice")
    slices = [inspect._slice(drive.capacity_bytes, n, rounds) for n in range(1, rounds + 1)]
    assert slices[0].workload.start_bytes == 0
    for before, now in pairwise(slices):
        assert before.workload.start_bytes + before.workload.range_bytes == now.workload.start_bytes
    assert slices[-1].workload.start_bytes + slices[-1].workload.range_bytes == drive.capacity_bytes
    assert all(hold.amount == Bytes(bytes=hold.workload.range_bytes) for hold in slices)


@pytest.mark.parametrize(("gib", "starts"), [(8, [0, 3.5, 7]), (1, [0]), (0.5, [0]), (2, [0, 0.5, 1])])
def test_streams_of_an_inspection_are_at_both_ends_and_in_the_middle(gib: float, starts: list[float]) -> None:
    drive = replace(FILE, capacity_bytes=int(gib * GiB))
    found = [hold.workload for hold in inspect._streams(profile("inspect"), drive) if isinstance(hold, Hold)]
    assert [load.start_bytes / GiB for load in found] == starts
    assert {load.range_bytes for load in found} == {min(GiB, int(gib * GiB))}
