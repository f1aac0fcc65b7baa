"""The time to go: near enough early on, a range that holds the truth, and nothing left at the end."""

import itertools
from collections.abc import Sequence
from functools import cache
from typing import Any

import pytest
from msgspec.structs import replace

from stend.base.units import GiB, KiB
from stend.devices import virtual
from stend.model.counts import Counts
from stend.model.definition import Bytes, Hold, Seconds, Workload
from stend.model.events import Event, Judged, Position, Result, Sample, Started
from stend.model.record import Run
from stend.model.tally import Tally
from stend.planning import plan as planning
from stend.runner.loop import run
from stend.runner.progress import QUICK, SLOW, USUAL, Learned, Progress, ToGo, View, rounds_to_steady
from tests.rehearsal import rehearsed
from tests.still import IDENTITY, StillDevice, StillEngine, StillLoad

pytestmark = pytest.mark.together


@cache
def on_a_cliff(asked: str, profile: str, past: Run | None = None) -> tuple[Event, ...]:
    """A gigabyte whose random writes fall to a third of their rate when it has been written over."""
    written = [0.0]

    def rate(workload: Workload, t: float) -> float:
        if workload.read_pct == 100:
            return 3000
        fresh = 60 if workload.random_pct else 300
        written[0] += 5 * fresh * workload.block_bytes
        return fresh if written[0] < 1.3 * GiB or not workload.random_pct else fresh / 3

    names, chosen, told = planning.gather([asked], profile, {})
    engine = StillEngine(rate, interval_s=5)
    plan = planning.draw(names, chosen, IDENTITY, deviations=told)
    return tuple(run(plan, StillDevice(), engine, seed=1, at=0.0, past=past))


def told(events: Sequence[Event], share: float) -> tuple[float, ToGo]:
    """(when the run really ended, when it was expected to) as seen after a share of it."""
    end = events[-1].t  # type: ignore[union-attr]
    progress = Progress()
    for event in events:
        progress.add(event)
        t = 0.0 if isinstance(event, Started) else event.t
        if t >= share * end:
            return end, ToGo(*(t + left for left in progress.to_go()))
    raise AssertionError


def test_a_phase_that_is_never_steady_is_expected_to_end_at_its_time() -> None:
    """A saturation of six hours, whose drive is neither steady nor written over before, and then 20 minutes."""
    names, chosen, _ = planning.gather(["write-saturation"], "enterprise-2.0.2", {})
    engine = StillEngine(lambda workload, t: 60 - t / 500, interval_s=60)
    progress, expected, t = Progress(), dict[int, float](), 0.0
    for event in run(planning.draw(names, chosen, IDENTITY), StillDevice(), engine, seed=1, at=0.0):
        progress.add(event)
        t = 0.0 if isinstance(event, Started) else event.t
        if t >= 4 * 3600:
            expected.setdefault(int(t // 3600), t + progress.to_go().likely_s)
    assert t == pytest.approx(6 * 3600 + 20 * 60)
    assert [expected[hour] for hour in (4, 5)] == pytest.approx([t, t], abs=60)


RUNS = [
    ("sim:kc2000", "write-saturation", "enterprise-2.0.2"),
    ("sim:saber1000", "write-saturation", "enterprise-2.0.2"),
    ("sim:kc2000", "write-saturation", "review"),
    ("sim:kc2000", "slc-cache", "review"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("target", "asked", "profile"), RUNS)
def test_after_a_tenth_the_end_is_known_within_fifteen_percent_on_drives_with_a_cliff(
    target: str, asked: str, profile: str
) -> None:
    end, expected = told(list(rehearsed(virtual.find(target), asked, profile, interval_s=5.0)), 0.1)
    assert expected.likely_s == pytest.approx(end, rel=0.15)
    assert expected.low_s <= end * 1.02


@pytest.mark.slow
@pytest.mark.parametrize("asked", ["iops", "idle-recovery", "cross-stimulus", "composite"])
@pytest.mark.parametrize("share", [0.02, 0.1, 0.3, 0.6, 0.9])
def test_the_range_holds_the_truth_at_any_time(asked: str, share: float) -> None:
    end, expected = told(on_a_cliff(asked, "enterprise-2.0.2"), share)
    assert expected.low_s <= end * 1.05
    assert expected.high_s >= end * 0.95


def test_nothing_is_left_at_the_end() -> None:
    progress = Progress()
    for event in on_a_cliff("iops", "enterprise-2.0.2"):
        progress.add(event)
    assert progress.to_go() == ToGo(0, 0, 0)


def test_while_the_drive_is_filled_what_is_left_falls_by_what_has_passed() -> None:
    """Twice its gigabyte in order at 64 MiB/s, before rounds of which nothing is known yet."""
    names, chosen, told = planning.gather(["iops"], "enterprise-2.0.2", {})
    engine = StillEngine(lambda w, t: 512, interval_s=1)
    progress, left = Progress(), {}
    for event in run(planning.draw(names, chosen, IDENTITY, deviations=told), StillDevice(), engine, seed=1, at=0.0):
        progress.add(event)
        if isinstance(event, Sample):
            left[event.t] = progress.to_go().likely_s
        elif left:
            break
    assert len(left) == 32
    for (t, before), (later, after) in itertools.pairwise(left.items()):
        assert before - after == pytest.approx(later - t, abs=0.1)


class Pausing(StillEngine):
    """A drive whose loads all move a gigabyte in 40 s, a second after they are asked for."""

    def __init__(self) -> None:
        super().__init__(lambda load, t: GiB / 40 / load.block_bytes, interval_s=20)

    def start(self, workload: Workload, **asked: Any) -> StillLoad:
        self.clock += 1
        return super().start(workload, **asked)


@pytest.mark.parametrize(
    ("asked", "profile"), [("throughput", "enterprise-2.0.2"), ("iops", "review"), ("latency", "review")]
)
def test_where_nothing_changes_a_phase_is_expected_to_end_when_it_does(asked: str, profile: str) -> None:
    """Rates and pauses are those of the loads before; rounds of a search are known once three have been measured."""
    names, chosen, told = planning.gather([asked], profile, {})
    plan = planning.draw(names, chosen, IDENTITY, deviations=told)
    events = list(run(plan, StillDevice(), Pausing(), seed=1, at=0.0))
    ends = [event.t for event in events if isinstance(event, Judged) and event.ended_by]
    progress, expected = Progress(), list[tuple[float, float]]()
    for event in events:
        progress.add(event)
        if isinstance(event, Sample | Judged) and progress.at < len(ends):
            _, phase = progress.places[progress.at]
            if progress.present.rounds >= 3 or (isinstance(event, Sample) and not phase.steady):
                expected.append((progress.phases_s()[0], ends[progress.at] - event.t))
    assert len(expected) > 20
    assert all(left <= likely <= left + 1 for likely, left in expected)


@pytest.mark.parametrize(
    ("values", "round_"),
    [
        ([100, 100], 5),  # it stands still: the first full window
        ([100, 60, 50], 7),  # settling by a third each time
        ([200, 100, 60], 14),  # settling slowly
        ([100, 60, 95, 62, 97], 9),  # to and fro: steady once the swings have left the window
        ([100, 102, 98, 101, 99], 5),  # it is steady now
    ],
)
def test_rounds_to_steady_state_follow_the_window(values: list[float], round_: int) -> None:
    points = list(enumerate(values, start=1))
    assert rounds_to_steady(points, "pts", 25) == round_
    most = max(len(values), round_ - 1)
    assert rounds_to_steady(points, "pts", most) == most


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_after_a_resume_the_time_to_go_is_that_of_the_rest(share: float) -> None:
    events = on_a_cliff("iops", "enterprise-2.0.2")
    cut = next(i for i, e in enumerate(events) if getattr(e, "t", 0) > share * events[-1].t)  # type: ignore[union-attr]
    again = on_a_cliff("iops", "enterprise-2.0.2", Run(events[:cut]))
    progress = Progress()
    for event in [*events[:cut], *again[:2]]:
        progress.add(event)
    end, to_go = again[-1].t, progress.to_go()  # type: ignore[union-attr]
    assert to_go.likely_s == pytest.approx(end, rel=0.45)
    assert to_go.low_s <= end * 1.05
    assert to_go.high_s >= end * 0.95


def test_a_virtual_drive_that_goes_on_is_where_its_record_ends() -> None:
    events = on_a_cliff("iops", "enterprise-2.0.2")
    progress = Progress()
    for event in events[: len(events) // 2]:
        progress.add(event)
    before = progress.to_go()
    progress.add(events[0])  # it repeats from the start; what is recorded is dropped
    assert progress.to_go() == before


def measured(learned: Learned, load: Workload, amount: Bytes | Seconds, bytes_per_s: int) -> None:
    """Add a step of a load that took 10 s."""
    step, counts = Hold(workload=load, amount=amount), Counts(seconds=10, write=Tally(ios=1, bytes=10 * bytes_per_s))
    learned.add(Result(where=Position("a", "b", 1), index=0, step=step, t=1.0, counts=counts), 10, load)


FILL = Workload(random_pct=0, read_pct=0, block_bytes=128 * KiB, threads=2, depth=8)
OTHER = replace(FILL, random_pct=100)
ALL, TIMED = Bytes(bytes=GiB), Seconds(seconds=10)


@pytest.mark.parametrize(
    ("past", "expected"),
    [
        ([(FILL, ALL, 100), (replace(FILL, depth=9), ALL, 90), (FILL, TIMED, 80), (OTHER, ALL, 70)], 4 * 100),
        ([(replace(FILL, depth=7), ALL, 90), (FILL, TIMED, 80), (OTHER, ALL, 70)], 6 * 90),
        ([(replace(FILL, threads=1, depth=16), ALL, 90)], 6 * 90),
        ([(replace(FILL, depth=9), ALL, 90), (FILL, TIMED, 80)], 9 * 90),
        ([(replace(FILL, threads=4, depth=5), ALL, 90), (replace(FILL, depth=9), ALL, 30)], 9 * 60),
        ([(FILL, TIMED, 80), (OTHER, ALL, 70)], 9 * 80),
        ([(OTHER, ALL, 70), (replace(OTHER, block_bytes=KiB), ALL, 60), (OTHER, TIMED, 10)], 9 * 60),
        ([(OTHER, TIMED, 10)], 9 * 50),
    ],
)
def test_a_fill_is_expected_at_the_rate_of_the_nearest_load_that_was_measured(
    past: list[tuple[Workload, Bytes | Seconds, int]], expected: float
) -> None:
    """Fills of its kind count before others; more outstanding IOs than were measured are less of a risk than fewer."""
    learned = Learned()
    for load, amount, bytes_per_s in past:
        measured(learned, load, amount, bytes_per_s)
    assert learned.bytes_per_s(FILL, View(known=4, unknown=9), 50) == pytest.approx(expected)


def test_the_rest_of_a_fill_is_expected_at_the_rate_of_the_last_half_minute() -> None:
    """A gigabyte at 16 MiB/s, and one at 8: at best it goes on as fast as on average, at worst half as fast as now."""
    names, chosen, told = planning.gather(["iops"], "enterprise-2.0.2", {})
    engine = StillEngine(lambda w, t: 128 if t <= 64 else 64, interval_s=1)
    progress, rows = Progress(), dict[float, tuple[float, float, float]]()
    for event in run(planning.draw(names, chosen, IDENTITY, deviations=told), StillDevice(), engine, seed=1, at=0.0):
        progress.add(event)
        if isinstance(event, Sample):
            views = (USUAL, QUICK, SLOW)
            rows[event.t] = tuple(progress._seconds(view)[0] for view in views)  # type: ignore[assignment]
        elif rows:
            break
    for t, (usual, quick, slow) in rows.items():
        left = 64 + 128 - t
        if 64 + 30 <= t < 192:
            average_s = t / (2048 - 8 * left)
            assert (usual, quick, slow) == pytest.approx((left, 0.85 * 8 * left * average_s, 2 * left))
    assert max(rows) == 192


def test_one_synced_write_before_a_rest_is_no_fill() -> None:
    """A journal writes one block before its rest: at that block's rate a trim of half the drive would take days."""
    learned, where = Learned(), Position("journal", "rest", 1)
    fill = Workload(random_pct=0, read_pct=0, block_bytes=128 * KiB)
    synced = Workload(random_pct=0, read_pct=0, block_bytes=4 * KiB, sync="flush")
    for load, size, seconds in ((fill, GiB, 1.0), (synced, 4 * KiB, 100.0)):
        counts = Counts(seconds=seconds, write=Tally(ios=1, bytes=size))
        step = Hold(workload=load, amount=Bytes(bytes=size))
        learned.add(Result(where=where, index=0, step=step, t=1.0, counts=counts), seconds, None)
    trimmed = Workload(random_pct=0, read_pct=0, block_bytes=1024 * KiB, depth=8)
    assert learned.bytes_per_s(trimmed, View(), 1.0) == GiB
