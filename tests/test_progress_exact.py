"""The time remaining of plans that are small enough to add up on paper."""

import math
from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from stend.base.units import GiB, KiB
from stend.model.counts import Counts
from stend.model.definition import (
    Bytes,
    Hold,
    Idle,
    Phase,
    Plan,
    PlannedTest,
    Purge,
    Rule,
    Seconds,
    Steady,
    Step,
    Workload,
)
from stend.model.events import Event, Judged, Note, Position, Result, Sample, Started
from stend.model.tally import Tally
from stend.planning import plan as planning
from stend.runner.progress import Progress, ToGo, moved_bytes
from stend.words import NO_WORDS, Sentence
from tests.still import IDENTITY

WRITES = Workload(random_pct=100, read_pct=0, block_bytes=4 * KiB)
READS = replace(WRITES, read_pct=100)
FILL = Workload(random_pct=0, read_pct=0, block_bytes=128 * KiB)
MINUTE = Hold(workload=WRITES, amount=Seconds(seconds=60))
TEN = Hold(workload=WRITES, amount=Seconds(seconds=10))
OTHER_TEN = Hold(workload=READS, amount=Seconds(seconds=10))
FILLS = Hold(workload=FILL, amount=Bytes(bytes=5_000_000_000))
"""At the 500 MB/s that are assumed of an unknown drive it takes 10 s."""
STEADY = Steady(track=(WRITES,))
PROFILE = planning.load_profile("enterprise-2.0.2")
PAUSE = 0.05
"""Seconds between two loads until a pause has been measured."""


def phase(*steps: Step, rounds: int = 1, until: tuple[Rule, ...] = (), name: str = "a") -> Phase:
    return Phase(name=name, round=steps, rounds=rounds, until=until)


def begun(phases: Sequence[Phase], again: Position | None = None) -> Event:
    test = PlannedTest(name="t", title="", clause="", phases=tuple(phases), profile=PROFILE)
    plan = Plan(
        tests=(test,), profile=PROFILE, device=IDENTITY, range_bytes=GiB, write_bytes=0, longest_s=1, expected_s=1
    )
    return Started(at=0.0, version="1", plan=plan, seed=1, continues=again)


def at(round_: int = 1, name: str = "a") -> Position:
    return Position(test="t", phase=name, round=round_)


def after(*events: Event) -> Progress:
    progress = Progress()
    for event in events:
        progress.add(event)
    return progress


def written(seconds: float, size: int = 0) -> Counts:
    return Counts(seconds=seconds, write=Tally(ios=1, bytes=size))


def done(step: Step, t: float, counts: Counts | None = None, round_: int = 1, name: str = "a") -> Result:
    return Result(where=at(round_, name), index=0, step=step, t=t, counts=counts or Counts())


def judged(t: float, round_: int = 1, name: str = "a", *, steady: bool = False, end: bool = False) -> Event:
    ended_by = Sentence("steady" if steady else "done") if end or steady else NO_WORDS
    return Judged(where=at(round_, name), t=t, steady=steady, ended_by=ended_by)


def range_of(low: float, likely: float, high: float) -> object:
    """A hundredth more either way than these estimates."""
    return pytest.approx((0.99 * low, likely, 1.01 * high))


@pytest.mark.parametrize(
    ("phases", "expected"),
    [
        ([phase(MINUTE)], (60, 60 + PAUSE, 60 + 2 * PAUSE)),
        ([phase(MINUTE, rounds=3)], (180, 180 + PAUSE, 180 + 2 * PAUSE)),
        ([phase(TEN, OTHER_TEN, rounds=3)], (60, 60 + 6 * PAUSE, 60 + 12 * PAUSE)),
        ([phase(TEN, TEN)], (20, 20 + PAUSE, 20 + 2 * PAUSE)),
        ([phase(TEN), phase(TEN, name="b")], (20, 20 + 2 * PAUSE, 20 + 4 * PAUSE)),
        ([phase(Idle(seconds=100))], (100, 100, 100)),
        ([phase(TEN, Idle(seconds=100), TEN)], (120, 120 + 2 * PAUSE, 120 + 4 * PAUSE)),
        ([phase(Purge())], (60, 60, 60)),
        ([phase(FILLS)], (5, 10 + PAUSE, 50 + 2 * PAUSE)),
        ([phase(MINUTE, rounds=4, until=(Seconds(seconds=100),))], (100, 100, 100)),
        ([phase(MINUTE, rounds=9, until=(Bytes(bytes=5_000_000_000),))], (5, 10, 50)),
        ([phase(Idle(seconds=100), until=(Bytes(bytes=5_000_000_000),))], (10, 10, 10)),
        ([phase(rounds=3)], (0, 0, 0)),
    ],
)
def test_before_anything_is_measured_speeds_and_pauses_are_assumed(
    phases: list[Phase], expected: tuple[float, float, float]
) -> None:
    """An unknown drive writes 500 MB/s, twice as much at best and a fifth at worst. A purge takes a minute."""
    assert after(begun(phases)).to_go() == range_of(*expected)


def test_the_likely_time_of_each_phase_has_its_rests_in_full() -> None:
    progress = after(begun([phase(TEN, Idle(seconds=30)), phase(Idle(seconds=7), name="b")]))
    assert progress.phases_s() == pytest.approx([40 + PAUSE, 7])


def test_the_present_rate_is_that_of_the_last_30_seconds() -> None:
    present = after(begun([phase(FILLS)]), *(Sample(t=n, counts=written(1.0, 100 * n)) for n in range(41))).present
    assert [counts.write.bytes for counts in present.recent] == [100 * n for n in range(11, 41)]
    assert present.seconds_a_byte() == pytest.approx(30 / (100 * sum(range(11, 41))))


def test_the_time_under_load_is_that_of_all_results() -> None:
    rests = after(begun([phase(TEN, Idle(seconds=5))]), done(TEN, 10.5, written(10.0)), done(Idle(seconds=5), 15.5))
    assert rests.loaded_s == 10.0
    assert (Progress().at, Progress().loaded_s) == (0, 0.0)


def test_a_run_that_has_not_begun_or_is_done_has_no_time_left() -> None:
    assert after().to_go() == ToGo(0, 0, 0)
    assert after().phases_s() == []
    over = after(begun([phase(TEN)]), done(TEN, 10.0), judged(10.0, end=True))
    assert over.to_go() == ToGo(0, 0, 0)
    assert over.phases_s() == []


def test_a_simulated_rest_takes_the_share_of_a_second_that_its_simulation_takes() -> None:
    progress = after(begun([phase(TEN, Idle(seconds=100), rounds=2)]))
    assert progress.to_go(rest=0.25) == range_of(70, 70 + 2 * PAUSE, 70 + 4 * PAUSE)
    for event in (done(TEN, 10.0), done(Idle(seconds=100), 110.0), judged(110.0)):
        progress.add(event)
    assert progress.to_go() == range_of(110, 110, 110), "the load took 10 s with its pause, so that pauses are none"
    assert progress.to_go(rest=0.25) == range_of(35, 35, 35)


def test_a_search_for_steady_state_is_expected_to_take_two_rounds_more_than_its_window() -> None:
    """PTS needs five rounds; the first window, and the limit of rounds, are the ends of the range."""
    search = phase(MINUTE, rounds=25, until=(STEADY,))
    progress = after(begun([search]))
    assert progress.expected_rounds() == 7
    assert progress.to_go() == range_of(300, 420 + PAUSE, 420 + 2 * PAUSE + 18 * 60)
    two = after(begun([search, replace(search, name="b")]))
    assert two.to_go().high_s == pytest.approx(1.01 * (840 + 4 * PAUSE + math.sqrt(2) * 18 * 60))
    short = after(begun([replace(search, rounds=3)]))
    assert short.to_go() == range_of(180, 180 + PAUSE, 180 + 2 * PAUSE)
    review = after(begun([phase(MINUTE, rounds=25, until=(Steady(track=(WRITES,), rule="fit-90-110"),))]))
    assert review.expected_rounds() == 6


def searched(*rounds: int, before: int = 0) -> Progress:
    """Searches that were steady after so many rounds, and one more to come."""
    names = "abcdefgh"[: len(rounds) + 1]
    phases = [phase(TEN, rounds=25, until=(STEADY,), name=name) for name in names]
    events: list[Event] = [begun(phases, at(before + 1) if before else None)]
    events += [judged(0.0, number, name, steady=True) for number, name in zip(rounds, names, strict=False)]
    return after(*events)


@pytest.mark.parametrize(
    ("rounds", "before", "expected"),
    [((9,), 0, 8), ((13,), 0, 10), ((9, 9, 9, 9), 0, 9), ((9,), 3, 7), ((5,), 0, 6), ((5, 5, 5), 0, 5)],
)
def test_the_next_search_is_expected_to_take_as_many_rounds_more_as_the_past_ones(
    rounds: tuple[int, ...], before: int, expected: int
) -> None:
    """The mean of what they took beyond five, and of 2, which counts as one of them."""
    assert searched(*rounds, before=before).expected_rounds() == expected


def test_a_search_that_was_not_steady_teaches_nothing() -> None:
    search = phase(TEN, rounds=25, until=(STEADY,))
    progress = after(begun([search, replace(search, name="b")]), judged(0.0, 25, end=True))
    assert progress.expected_rounds() == 7
    plain = phase(TEN, rounds=2)
    assert after(begun([plain, search]), judged(0.0, 2, steady=True)).expected_rounds() == 7


def test_a_round_under_way_is_measured_to_its_end_though_the_search_could_have_ended_before() -> None:
    """After eight rounds that were not steady the ninth is done, and at best none after it."""
    rounds = [judged(60.0 * n, n) for n in range(1, 9)]
    progress = after(begun([phase(MINUTE, rounds=25, until=(STEADY,))]), *rounds)
    assert progress.to_go().low_s == pytest.approx(0.99 * 60)
    progress.add(Sample(t=490.0, counts=written(10.0)))
    assert progress.to_go().low_s == pytest.approx(0.99 * 50)


def test_rounds_to_come_take_as_long_as_past_ones_and_pauses_as_those_that_were_measured() -> None:
    """At worst a pause takes twice the mean, where that is more than the middle one: pauses of 1, 1 and 4 s."""
    both = phase(TEN, OTHER_TEN, rounds=4)
    first = [begun([both]), done(TEN, 11.0), done(OTHER_TEN, 22.0), judged(24.0)]
    assert after(*first).to_go() == range_of(20 + 48, 22 + 48, 24 + 48)
    second = [*first, done(TEN, 36.0, round_=2)]
    assert after(*second).to_go() == range_of(10 + 48, 11 + 48, 14 + 48)
    assert after(*second).to_go(rest=0.5) == range_of(10 + 40, 11 + 44, 14 + 56)
    third = [*second, done(OTHER_TEN, 47.0, round_=2), judged(50.0, 2)]
    assert after(*third).to_go() == range_of(20 + 25, 22 + 25, 20 + 4 * 1.75 + 25)


def test_a_load_that_goes_on_and_a_rest_have_no_pause() -> None:
    steps = phase(TEN, TEN, Idle(seconds=5), TEN, rounds=2)
    results = [done(TEN, 12.0), done(TEN, 22.5), done(Idle(seconds=5), 27.5), done(TEN, 41.5)]
    assert after(begun([steps]), *results).learned.pauses == [2.0, 4.0]
    assert after(begun([steps]), done(TEN, 9.5)).learned.pauses == [0.0]


def test_the_clock_of_a_run_that_goes_on_starts_again() -> None:
    both = phase(TEN, OTHER_TEN, rounds=4)
    past = [begun([both]), done(TEN, 11.0), done(OTHER_TEN, 22.0), judged(22.0), done(TEN, 40.0, round_=2)]
    progress = after(*past, begun([both], at(2)))
    assert progress.to_go().likely_s == pytest.approx(3 * (20 + 2 * 1.0)), "the middle one of pauses of 1, 1 and 8 s"
    for event in (done(TEN, 11.0, round_=2), done(OTHER_TEN, 22.0, round_=2), judged(23.0, 2)):
        progress.add(event)
    assert progress.learned.pauses == [1.0, 1.0, 8.0, 1.0, 1.0]
    assert progress.to_go().likely_s == pytest.approx(22 + 23)


def test_a_run_that_goes_on_begins_with_its_phase_and_round() -> None:
    phases = [phase(MINUTE), phase(TEN, rounds=5, name="b")]
    assert after(begun(phases, at(3, "b"))).to_go().likely_s == pytest.approx(30 + PAUSE)
    assert after(begun(phases, at(1, "b"))).phases_s() == pytest.approx([50 + PAUSE])
    assert after(begun(phases)).phases_s() == pytest.approx([60 + PAUSE, 50 + PAUSE])


def test_a_window_begins_after_the_interruption() -> None:
    """Five rounds after the third, though the first three were equal."""
    search, even = phase(MINUTE, rounds=25, until=(STEADY,)), Counts(seconds=60, write=Tally(ios=60, bytes=60))
    past: list[Event] = [begun([search])]
    for number in (1, 2, 3):
        past += [done(MINUTE, 60.0 * number, even, number), judged(60.0 * number, number)]
    assert after(*past).expected_rounds() == 5
    progress = after(*past, begun([search], at(4)))
    assert progress.expected_rounds() == 8
    assert progress.to_go().low_s == pytest.approx(0.99 * 300)


def test_a_timed_step_under_way_takes_the_rest_of_its_time() -> None:
    progress = after(begun([phase(MINUTE, Idle(seconds=7))]), Sample(t=25.0, counts=written(25.0)))
    assert progress.to_go() == range_of(35 + 7, 35 + PAUSE + 7, 35 + 2 * PAUSE + 7)
    progress.add(Sample(t=61.0, counts=written(36.0)))
    assert progress.to_go() == range_of(7, 7, 7)
    progress.add(Note(t=61.0, text=Sentence("operator")))
    progress.add(done(MINUTE, 61.0, written(61.0)))
    assert progress.to_go() == range_of(7, 7, 7)


def test_a_limit_of_time_counts_all_steps_of_its_phase_and_the_one_under_way() -> None:
    limited = phase(MINUTE, rounds=9, until=(Seconds(seconds=200),))
    progress = after(begun([limited]), done(MINUTE, 60.0, written(60.0)), judged(60.0))
    assert progress.to_go().likely_s == pytest.approx(140)
    progress.add(Sample(t=70.0, counts=written(10.0)))
    assert progress.to_go().likely_s == pytest.approx(130)
    progress.add(Sample(t=205.0, counts=written(135.0)))
    assert progress.to_go().likely_s == 0


def test_a_fill_is_expected_at_its_measured_rate_within_15_and_30_percent() -> None:
    fill = phase(FILLS)
    events = [begun([fill, replace(fill, name="b")]), done(FILLS, 100.0, written(100.0, 5_000_000_000))]
    assert after(*events, judged(100.0, end=True)).to_go() == range_of(100 / 1.15, 100, 130)


def test_a_fill_of_another_kind_is_expected_at_between_a_fifth_and_twice_the_rate_that_was_measured() -> None:
    other = Hold(workload=WRITES, amount=FILLS.amount)
    events = [begun([phase(other), phase(FILLS, name="b")]), done(other, 100.0, written(100.0, 5_000_000_000))]
    progress = after(*events, judged(100.0, end=True))
    assert progress.to_go() == range_of(50, 100 + PAUSE, 500 + 2 * PAUSE)


def test_a_purge_is_expected_to_take_as_long_as_the_one_before() -> None:
    events = [begun([phase(Purge()), phase(Purge(), name="b")]), done(Purge(), 7.0), judged(7.0, end=True)]
    assert after(*events).to_go() == range_of(7, 7, 7)


def test_a_fill_that_reads_is_measured_by_what_it_read() -> None:
    looks = Hold(workload=replace(FILL, read_pct=100), amount=FILLS.amount)
    half = Counts(seconds=20.0, read=Tally(ios=1, bytes=2_500_000_000), write=Tally(ios=1, bytes=1))
    progress = after(begun([phase(looks)]), Sample(t=20.0, counts=half))
    assert progress.to_go() == range_of(0.85 * 20, 20, 40)
    assert moved_bytes(half, looks.workload) == 2_500_000_000
    assert moved_bytes(half, WRITES) == 1


def test_a_fill_that_is_beyond_its_size_has_no_time_left() -> None:
    progress = after(begun([phase(FILLS)]), Sample(t=20.0, counts=written(20.0, 5_000_000_001)))
    assert progress.to_go() == ToGo(0, 0, 0)


def test_a_fill_without_a_byte_is_one_that_has_not_begun() -> None:
    progress = after(begun([phase(FILLS)]), Sample(t=20.0, counts=Counts(seconds=20.0)))
    assert progress.to_go() == range_of(5, 10 + PAUSE, 50 + 2 * PAUSE)
