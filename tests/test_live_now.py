"""The state of a run while it lasts, after each event of a plan of two phases."""

from typing import Any

import pytest
from msgspec.structs import replace

from stend.live import metrics
from stend.live.course import Course, Passed
from stend.live.metrics import STATES
from stend.live.now import Stage, Tracked, now
from stend.live.state import State
from stend.model.counts import Counts
from stend.model.definition import Hold, Idle, Purge, Seconds
from stend.model.events import Ended, Event, Judged, Note, Reading, Sample, Telemetry, Verdict
from stend.model.stats import bin_index
from stend.model.tally import Tally
from stend.runner.progress import ToGo
from stend.words import NO_WORDS, Sentence
from tests.test_progress_exact import OTHER_TEN, PAUSE, STEADY, TEN, WRITES, at, begun, done, judged, phase, written

REST, PURGE = Idle(seconds=2.5), Purge()
PHASES = [phase(TEN, REST, PURGE, rounds=2), phase(OTHER_TEN, TEN, rounds=25, until=(STEADY,), name="b")]
START = begun(PHASES)
RUNNING, CUT = State("running", "running (process 7)"), State("cut off", "cut off", "stend resume x")


def course(*events: Event) -> Course:
    return Course([START, *events])


ROUND = [done(TEN, 10.0, written(10.0)), done(REST, 12.5), done(PURGE, 20.0), judged(21.0)]
SECOND = [
    done(TEN, 31.0, written(10.0), 2),
    done(REST, 33.5, None, 2),
    done(PURGE, 40.0, None, 2),
    judged(41.0, 2, end=True),
]


@pytest.mark.parametrize(
    ("events", "steps", "doing", "rests", "place"),
    [
        ([], (0, 3), WRITES.label, False, at(1)),
        (ROUND[:1], (1, 3), "rest of 2.5 s", True, at(1)),
        (ROUND[:2], (2, 3), "purge", True, at(1)),
        (ROUND[:3], (3, 3), "", False, at(1)),
        (ROUND, (0, 3), WRITES.label, False, at(2)),
        ([*ROUND, *SECOND], (0, 2), OTHER_TEN.workload.label, False, at(1, "b")),
        ([*ROUND, *SECOND, done(OTHER_TEN, 51.0, name="b")], (1, 2), WRITES.label, False, at(1, "b")),
        ([*ROUND, *SECOND, judged(51.0, 1, "b", end=True)], (0, 0), "", False, None),
        ([Ended(t=1.0, outcome="stopped")], (0, 0), "", False, None),
    ],
)
def test_a_course_is_at_the_step_after_the_last_result(
    events: list[Event], steps: tuple[int, int], doing: str, rests: bool, place: object
) -> None:
    here = course(*events)
    assert (here.steps, here.doing, here.rests, here.at) == (steps, doing, rests, place)
    shown = now("x", here, RUNNING)
    if place:
        assert (shown.test, shown.phase, shown.round) == ("t", here.at and here.at.phase, here.at and here.at.round)
        assert (shown.rounds, shown.steps) == ((2, 3) if shown.phase == "a" else (25, 2))
        assert (shown.step, shown.doing) == (min(steps[0] + 1, steps[1]), doing)
    else:
        assert (shown.test, shown.phase, shown.round, shown.rounds, shown.step, shown.steps) == ("", "", 0, 0, 0, 0)


def test_before_a_run_has_begun_nothing_is_known() -> None:
    nothing = Course()
    assert (nothing.place, nothing.at, nothing.steps, nothing.doing, nothing.rests) == (None, None, (0, 0), "", False)
    assert (nothing.ahead, nothing.temperature_c, nothing.remaining) == ([], None, ToGo(0, 0, 0))
    assert (nothing.t, nothing.began_s, nothing.base_s) == (0.0, 0.0, 0.0)
    assert now("x", nothing, RUNNING).drive == ""


def test_a_rate_that_results_choose_is_unknown_until_the_step_is_done() -> None:
    rate = Hold(workload=replace(WRITES, rate_iops=100.0), amount=Seconds(seconds=10))
    for choose, doing in (("at_rates", "a rate chosen from the results"), ("", rate.workload.label)):
        assert Course([begun([replace(phase(rate), choose=choose)])]).doing == doing
    assert Course([begun([replace(phase(TEN), choose="at_rates")])]).doing == WRITES.label


def test_the_phases_ahead_are_those_after_the_present_one() -> None:
    assert course().ahead == [("t", "b")]
    assert course(*ROUND, *SECOND).ahead == []


def test_the_load_of_a_second_is_that_of_its_step_and_is_not_shown_during_a_rest() -> None:
    second = Sample(t=9.0, counts=Counts(2.0, 0.0, Tally(), Tally(10, 40960, 5000, 0, 900)))
    here = course(second)
    shown = now("x", here, RUNNING)
    assert (shown.load, shown.iops, shown.bytes_per_s) == ("", 5.0, 20480.0)
    assert (shown.mean_s, shown.max_s) == pytest.approx((500e-9, 900e-9))
    for event in ROUND[:1]:
        here.add(event)
    assert now("x", here, RUNNING).iops is None
    for event in ROUND[1:3]:
        here.add(event)
    assert now("x", here, RUNNING).load == WRITES.label, "between the last step of a round and its judgement"
    here.add(Ended(t=21.0, outcome="complete"))
    assert now("x", here, RUNNING).iops is None


def test_the_last_completed_step_is_named_if_it_was_a_load() -> None:
    assert now("x", course(), RUNNING).finished == ""
    assert now("x", course(*ROUND[:1]), RUNNING).finished == WRITES.label
    assert now("x", course(*ROUND[:2]), RUNNING).finished == ""


def test_percentiles_of_the_last_step_are_those_that_its_ios_support() -> None:
    """Ten IOs must be beyond one: of 1,000 IOs p99 is the highest."""
    waits = Counts(10.0, 0.0, Tally(), Tally(1000, 4096, 10**9, 10**15, 10**6, {bin_index(10**6): 1000}))
    assert now("x", course(done(TEN, 10.0, waits)), RUNNING).quantiles.keys() == {"50", "99"}


def test_points_of_the_page_have_the_phase_and_the_round_of_their_last_sample() -> None:
    second = Sample(t=9.0, counts=Counts(1.0, 0.0, Tally(), Tally(10, 40960, 5000, 0, 900)))
    events = [second, *ROUND, replace(second, t=29.0), *SECOND, replace(second, t=49.0)]
    points = course(*events).buckets.since()
    assert [(point.t, point.place, point.round) for point in points] == [(9.0, 0, 1), (29.0, 0, 2), (49.0, 1, 1)]


def test_stages_are_the_phases_that_are_done_the_present_one_and_the_later_ones() -> None:
    waits = 7 * (20 + 2 * PAUSE)
    first, second = now("x", course(*ROUND), RUNNING).stages
    assert first == Stage(test="t", phase="a", began_s=0.0, left_s=first.left_s, rounds=1)
    assert first.left_s == pytest.approx(10 + 2.5 + 7.5, abs=0.1)
    assert second == Stage(test="t", phase="b", left_s=second.left_s)
    assert second.left_s == pytest.approx(waits, rel=0.01)
    passed, present = now("x", course(*ROUND, *SECOND), RUNNING).stages
    assert passed == Stage(test="t", phase="a", began_s=0.0, ended_s=41.0, rounds=2, ended_by=passed.ended_by)
    assert present == Stage(test="t", phase="b", began_s=41.0, left_s=present.left_s)
    stopped = now("x", course(*ROUND, *SECOND, Ended(t=50.0, outcome="stopped")), State("ended", "stopped"))
    assert stopped.stages[1] == Stage(test="t", phase="b", began_s=41.0, ended_s=50.0)
    once = Course([begun([phase(TEN), phase(TEN, name="b")]), judged(10.0, end=True)])
    assert now("x", once, RUNNING).stages[0].rounds == 0, "a phase of one round does not repeat"


def test_a_search_that_ended_was_steady_or_not_and_other_phases_are_neither() -> None:
    for steady in (True, False):
        last = judged(99.0, 25, "b", steady=steady, end=True)
        assert [passed.steady for passed in course(*ROUND, *SECOND, last).passed] == [None, steady]


def test_a_run_that_goes_on_adds_to_its_time_and_takes_back_phases() -> None:
    again = course(*ROUND, *SECOND, done(OTHER_TEN, 50.0, name="b"))
    again.add(begun(PHASES, at(1, "b")))
    again.add(done(OTHER_TEN, 11.0, name="b"))
    assert (again.t, again.began_s, len(again.passed)) == (61.0, 41.0, 1)
    again.add(begun(PHASES, at(2, "a")))
    again.add(judged(30.0, 2, end=True))
    assert again.passed == [Passed("t", "a", 0.0, 91.0, 2, again.passed[0].ended_by)]
    assert again.began_s == 91.0
    again.add(Note(t=20.0, text=Sentence("operator")))
    assert again.t == 91.0, "the clock never goes back"


def test_notes_of_a_run_are_counted_by_kind_and_the_latest_sixty_are_kept() -> None:
    notes = [Note(t=float(n), text=Sentence("operator"), kind="repeat" if n % 3 else "remark") for n in range(90)]
    here = course(*notes)
    assert here.noted == {"remark": 30, "repeat": 60}
    assert [note.t for note in here.notes] == [float(n) for n in range(30, 90)]
    shown = now("x", here, RUNNING)
    assert shown.repeats == 60
    assert shown.notes[-1][:2] == (89.0, "repeat")
    assert now("x", course(), RUNNING).repeats == 0


@pytest.mark.parametrize(
    ("values", "shown"), [({"temperature_c": 41}, 41.0), ({"temperature_c": "hot"}, None), ({}, None)]
)
def test_the_temperature_is_the_number_that_the_drive_reported_last(
    values: dict[str, Any], shown: float | None
) -> None:
    here = course(Telemetry(t=1.0, values={"temperature_c": 7}), Telemetry(t=2.0, values=values))
    assert now("x", here, RUNNING).temperature_c == shown


def test_the_power_is_the_last_reading_in_watts() -> None:
    readings = [Reading(t=1.0, quantity=name, value=v, seconds=1.0) for name, v in (("watts", 5.5), ("volts", 12.0))]
    assert now("x", course(*readings), RUNNING).power_w == 5.5


def test_a_run_that_was_cut_off_has_its_own_time_and_the_time_that_is_left_of_its_plan() -> None:
    here = course(*ROUND)
    shown = now("x", here, CUT)
    assert (shown.elapsed_s, shown.t_s, shown.command) == (21.0, 21.0, "stend resume x")
    assert (shown.low_s, shown.likely_s, shown.high_s) == here.remaining
    here.add(Ended(t=22.0, outcome="failed"))
    ended = now("x", here, State("ended", "failed"))
    assert (ended.elapsed_s, ended.low_s, ended.likely_s, ended.high_s) == (22.0, 0, 0, 0)


def test_a_virtual_run_without_work_has_no_known_time_left() -> None:
    shown = now("x", course(), State("elsewhere", "written by y"))
    assert (shown.low_s, shown.likely_s, shown.high_s) == (None, None, None)


@pytest.mark.parametrize(("average", "shares"), [(200.0, (0.25, 0.5, 0.05, 0.1)), (0.0, (0.0, 0.0, 0.0, 0.0))])
def test_a_window_is_shown_in_shares_of_its_mean(average: float, shares: tuple[float, float, float, float]) -> None:
    verdict = Verdict(
        rule="pts", label="x", quantity="iops", rounds=(1, 2), values=(150.0, 250.0), average=average, excursion=50.0,
        excursion_allowed=100.0, slope_excursion=10.0, slope_excursion_allowed=20.0, fit=(0.0, 0.0), correlation=0.0,
        steady=True,
    )  # fmt: skip
    last = Judged(where=at(1, "a"), t=21.0, verdicts=(verdict, replace(verdict, excursion_allowed=None)))
    both = now("x", course(last), RUNNING).window
    assert both[0] == Tracked(
        label="x", quantity="iops", rounds=(1, 2), values=(150.0, 250.0), excursion=shares[0],
        excursion_allowed=shares[1], slope=shares[2], slope_allowed=shares[3], steady=True,
    )  # fmt: skip
    assert both[1].excursion_allowed is None
    ended = course(last, replace(last, ended_by=Sentence("done")))
    assert (now("x", ended, RUNNING).window, last.ended_by) == ((), NO_WORDS)


def test_metrics_of_a_run_are_those_of_its_state() -> None:
    """A state is 1 and the others 0; only a run that lasts has figures."""
    here = course(Telemetry(t=1.0, values={"temperature_c": 41}))
    lines = metrics.text(
        [now("one", here, CUT), now("two", here, RUNNING)], ["complete", "failed", "complete"]
    ).decode()
    for run, state in (("one", "cut off"), ("two", "running")):
        for name in STATES:
            assert f'stend_run_state{{run="{run}",state="{name}"}} {float(name == state)}' in lines
    assert 'stend_runs{outcome="complete"} 2.0\nstend_runs{outcome="failed"} 1.0' in lines
    assert lines.count("stend_temperature_celsius{") == 1
    assert 'stend_temperature_celsius{drive="still",phase="a",run="two",serial="STILL",test="t"} 41.0' in lines
    assert "stend_iops{" not in lines
