"""Elapsed and remaining time of a simulation by the clock on the wall, added up on paper."""

import os
import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from stend.live import clock, state
from stend.live.clock import COST_SPREAD, REST_COST, Mark, Times
from stend.live.course import Course
from stend.model.definition import Idle
from stend.model.events import Event, Sample, Started
from stend.runner.progress import ToGo
from tests.test_progress_exact import MINUTE, PAUSE, begun, done, phase, written

UNKNOWN = ToGo(float("inf"), float("inf"), float("inf"))


def course(*events: Event, target: str = "sim:small") -> Course:
    """A simulation that began at 1,000 s."""
    shown, (start, *more) = Course(), events
    assert isinstance(start, Started)
    plan = replace(start.plan, device=replace(start.plan.device, target=target))
    for event in (replace(start, at=1000.0, plan=plan), *more):
        shown.add(event)
    return shown


PLAN = begun([phase(MINUTE, Idle(seconds=100), MINUTE)])


def test_a_second_of_rest_is_the_twelfth_part_of_the_work_of_a_second_of_load() -> None:
    at = course(PLAN, Sample(t=25.0, counts=written(25.0)))
    assert clock.work(at) == 25
    for event in (done(MINUTE, 61.0, written(60.0)), done(Idle(seconds=100), 161.0)):
        at.add(event)
    assert clock.work(at) == pytest.approx(60 + 0.08 * 101)
    at.add(Sample(t=171.0, counts=written(10.0)))
    assert clock.work(at) == pytest.approx(70 + 0.08 * 101)
    assert clock.mark(at, 7.0) == Mark(7.0, clock.work(at))
    assert clock.begin(at) == Mark(1000.0, 0.0)


def test_what_is_left_takes_as_long_as_the_work_so_far_within_a_factor_of_its_cost() -> None:
    """60 s of load took 30 s of the wall; 60 s of load and 100 s of rest are left."""
    at = course(PLAN, done(MINUTE, 60.0, written(60.0)))
    times = clock.times(at, now=1030.0)
    assert times.elapsed_s == 30
    low, likely, high = at.progress.to_go(REST_COST)
    assert likely == pytest.approx(60 + 0.08 * 100, abs=2 * PAUSE)
    assert times.left == pytest.approx((low / 2 / COST_SPREAD, likely / 2, high / 2 * COST_SPREAD))
    assert times.simulated == "1 min of about 3 min 40 s"


def test_a_drive_at_a_fixed_pace_rests_as_long_as_it_works() -> None:
    at = course(PLAN, done(MINUTE, 60.0, written(60.0)), target="sim:small?pace=2")
    assert clock.times(at, now=1030.0).left == pytest.approx(tuple(0.5 * s for s in at.progress.to_go()))


def test_the_cost_of_the_simulation_is_measured_since_a_mark() -> None:
    at = course(PLAN, done(MINUTE, 60.0, written(60.0)))
    since = clock.times(at, now=1030.0, since=Mark(1010.0, 20.0))
    assert since.elapsed_s == 30
    assert since.left.likely_s == pytest.approx(at.progress.to_go(REST_COST).likely_s * 20 / 40)


@pytest.mark.parametrize(("mark", "elapsed"), [(Mark(1010.0, 60.0), 30), (Mark(1010.0, 61.0), 30)])
def test_before_any_work_since_the_mark_the_rest_is_unknown(mark: Mark, elapsed: float) -> None:
    at = course(PLAN, done(MINUTE, 60.0, written(60.0)))
    assert clock.times(at, now=1030.0, since=mark)[:2] == (elapsed, UNKNOWN)
    assert clock.times(at, now=990.0, since=mark)[:2] == (0.0, UNKNOWN), "a clock that was set back"
    assert clock.times(at, now=990.0).elapsed_s == 0.0


def test_a_real_drive_and_a_run_that_has_not_begun_have_the_time_of_their_events() -> None:
    shown = Course()
    assert clock.times(shown, now=1030.0) == Times(0.0, ToGo(0, 0, 0), "")
    start = PLAN
    assert isinstance(start, Started)
    plan = replace(start.plan, device=replace(start.plan.device, virtual=False))
    for event in (replace(start, plan=plan), done(MINUTE, 60.0, written(60.0))):
        shown.add(event)
    assert clock.times(shown, now=1030.0) == Times(60.0, shown.remaining, "")
    assert shown.remaining.likely_s == pytest.approx(160)


@pytest.mark.parametrize(("elapsed", "left", "share"), [(30.0, 90.0, 0.25), (0.0, 0.0, 0.0), (5.0, 0.0, 1.0)])
def test_the_share_of_a_run_is_the_elapsed_part_of_its_whole(elapsed: float, left: float, share: float) -> None:
    assert Times(elapsed, ToGo(0.0, left, 1e9), "").share == share


@pytest.mark.parametrize(
    ("left", "words"),
    [
        (UNKNOWN, "not known yet"),
        (ToGo(100, 100, 109.9), "about 1 min 40 s"),
        (ToGo(95, 100, 105), "about 1 min 40 s (1 min 35 s to 1 min 45 s)"),
        (ToGo(60, 100, 200), "about 1 min 40 s (1 min to 3 min 20 s)"),
    ],
)
def test_a_range_of_a_tenth_of_the_time_or_more_is_shown(left: ToGo, words: str) -> None:
    assert clock.span(left) == words
    assert clock.remaining(left) == f"remaining: {words}"


@pytest.mark.parametrize(
    ("ago", "words"),
    [
        (-5, ("last event 0 s ago", False)),
        (0, ("last event 0 s ago", False)),
        (20.4, ("last event 20 s ago", False)),
        (120, ("last event 2 min ago", False)),
        (121, ("no new event for 2 min 1 s: it may have ended there", True)),
    ],
)
def test_a_record_that_has_not_grown_for_two_minutes_may_be_that_of_a_run_that_has_ended(
    ago: float, words: tuple[str, bool], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = tmp_path / "events.jsonl"
    record.touch()
    os.utime(record, (5000, 5000))
    monkeypatch.setattr(time, "time", lambda: 5000 + ago)
    assert state._age(tmp_path) == words
    assert state._age(tmp_path / "none") == ("its record cannot be read", True)
