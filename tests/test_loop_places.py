"""Places of the main loop on a still drive: pauses of the host, silence, steps ahead, and readings of the drive."""

from typing import Any

import pytest
from msgspec.structs import replace

from stend.base.errors import LoadFailed, StepFailed
from stend.model.definition import Hold, Idle, Phase, Plan, Purge, Seconds
from stend.model.events import Ended, Event, Note, Result, Started, Telemetry
from stend.model.record import Run
from stend.runner.loop import Runner, quiet, run, step_seed
from tests.still import StillDevice, StillEngine
from tests.test_progress_exact import OTHER_TEN, READS, STEADY, TEN, WRITES, at, begun, phase

DEEP = replace(TEN, workload=replace(WRITES, depth=32))
REST = Idle(seconds=5)


def planned(*phases: Phase) -> Plan:
    start = begun(phases)
    assert isinstance(start, Started)
    return start.plan


def notes(events: list[Event], kind: str) -> list[str]:
    return [event.text.key for event in events if isinstance(event, Note) and event.kind == kind]


class Sleepy(StillEngine):
    """A host that sleeps for so long in each load."""

    def __init__(self, sleeps_s: float) -> None:
        super().__init__()
        self.sleeps_s = sleeps_s

    def slept_s(self) -> float:
        return 100 + self.sleeps_s * sum(line.startswith(("start", "idle")) for line in self.log)


@pytest.mark.parametrize(("sleeps_s", "said"), [(0.5, []), (0.6, ["asleep"]), (7.4, ["asleep"])])
def test_a_host_that_slept_for_more_than_half_a_second_in_a_step_is_noted(sleeps_s: float, said: list[str]) -> None:
    events = list(run(planned(phase(TEN)), StillDevice(), Sleepy(sleeps_s), seed=1, at=0.0))
    assert notes(events, "stall") == said
    for event in events:
        if isinstance(event, Note) and event.kind == "stall":
            assert event.text.values == {"test": "t", "phase": "a", "round": 1, "s": round(sleeps_s)}


@pytest.mark.parametrize(("interval_s", "said"), [(10.0, 0), (11.0, 1)])
def test_a_load_without_counts_for_more_than_ten_seconds_is_noted(interval_s: float, said: int) -> None:
    engine = StillEngine(interval_s=interval_s)
    events = list(run(planned(phase(TEN)), StillDevice(), engine, seed=1, at=0.0))
    assert notes(events, "stall") == ["silent"] * said


def runner(device: Any = None, engine: StillEngine | None = None) -> Runner:
    return Runner(Run(), device or StillDevice(), engine or StillEngine(), 7, lambda: False, lambda *_: ())


@pytest.mark.parametrize(
    ("round_", "index", "steps", "after", "choose", "ahead"),
    [
        (1, 0, "abc", "", "", [("a", 1, 1), ("a", 1, 2)]),
        (1, 1, "abc", "", "", [("a", 1, 2), ("a", 2, 0)]),
        (1, 2, "abc", "", "", [("a", 2, 0), ("a", 2, 1)]),
        (2, 2, "abc", "", "", []),
        (2, 1, "abc", "", "", [("a", 2, 2)]),
        (2, 2, "abc", "xy", "", [("b", 1, 0), ("b", 1, 1)]),
        (2, 1, "abc", "xy", "", [("a", 2, 2), ("b", 1, 0)]),
        (2, 2, "abc", "x", "", [("b", 1, 0)]),
        (1, 0, "a", "", "", [("a", 2, 0)]),
        (1, 2, "abc", "", "some", [("a", 2, 0), ("a", 2, 1)]),
        (1, 1, "ab", "", "some", []),
    ],
)
def test_the_two_steps_ahead_are_those_of_the_round_the_next_one_or_the_next_phase(
    round_: int, index: int, steps: str, after: str, choose: str, ahead: list[tuple[str, int, int]]
) -> None:
    """A round that results choose is expected again only if it is the planned one."""
    known = {letter: Idle(seconds=number) for number, letter in enumerate("abcxy", 1)}
    chosen = tuple(known[letter] for letter in steps)
    here = replace(phase(*(known[letter] for letter in "abc"), rounds=2), choose=choose)
    if not choose:
        here = replace(here, round=chosen)
    plan = planned(here, phase(*(known[letter] for letter in after), name="b"))
    following = (plan.tests[0], plan.tests[0].phases[1]) if after else None
    made = runner().ahead(at(round_), index, chosen, here, following)
    letters = {"a": chosen, "b": plan.tests[0].phases[1].round}
    assert [each.step for each in made] == [letters[name][place] for name, _, place in ahead]
    assert [each.seed for each in made] == [step_seed(7, at(number, name), place) for name, number, place in ahead]


@pytest.mark.parametrize(
    ("last", "following", "rests"),
    [(DEEP, None, False), (DEEP, DEEP, False), (REST, None, True), (REST, DEEP, True), (DEEP, REST, True)],
)
def test_the_drive_is_not_read_where_that_would_disturb_a_rest(last: Any, following: Any, rests: bool) -> None:
    plan = planned(phase(last), phase(*([following] if following else []), name="b"))
    after = (plan.tests[0], plan.tests[0].phases[1]) if following else None
    here = runner()
    assert here.resting(last, after) is rests
    assert here.resting(DEEP, (plan.tests[0], phase())) is False
    for load, disturbed in ((DEEP.workload, False), (WRITES, True)):
        here.bench.workload = load
        assert here.resting(DEEP, None) is disturbed


def test_a_step_is_quiet_if_it_rests_or_has_one_io_outstanding() -> None:
    two = Hold(workload=replace(WRITES, threads=2), amount=Seconds(seconds=1))
    assert [quiet(step) for step in (REST, TEN, DEEP, two, Purge())] == [True, True, False, False, False]


class Telling(StillDevice):
    """A drive with values, which takes a fifth of a second to answer, until it fails."""

    def __init__(self, engine: StillEngine, fails_after: int = 1000) -> None:
        super().__init__()
        self.engine, self.left = engine, fails_after

    def health(self) -> dict[str, Any]:
        self.engine.clock += 0.25
        self.left -= 1
        if self.left < 0:
            raise StepFailed("no answer")
        return {"temperature_c": 40}


def looks(*phases: Phase, writes: bool = True, fails_after: int = 1000) -> tuple[list[Event], list[int]]:
    """The events of a run, and how many results came before each reading of the drive."""
    engine = StillEngine()
    device = Telling(engine, fails_after)
    device.door.writes = writes
    events = list(run(planned(*phases), device, engine, seed=1, at=0.0))
    places = [n for n, event in enumerate(events) if isinstance(event, Telemetry)]
    assert all(event.took_s == 0.25 for event in events if isinstance(event, Telemetry))
    return events, [sum(isinstance(event, Result) for event in events[:n]) for n in places]


@pytest.mark.parametrize(
    ("phases", "expected"),
    [
        ([phase(DEEP, DEEP)], [0, 2]),
        ([phase(DEEP, rounds=3, until=(Seconds(seconds=1e9),))], [0, 1, 2, 3]),
        ([phase(TEN, rounds=3, until=(Seconds(seconds=1e9),))], [0, 3]),
        ([phase(DEEP), phase(DEEP, name="b")], [0, 1, 2]),
        ([phase(DEEP), phase(REST, DEEP, name="b")], [0, 3]),
    ],
)
def test_a_drive_is_read_before_the_first_step_between_rounds_and_after_phases(
    phases: list[Phase], expected: list[int]
) -> None:
    assert looks(*phases)[1] == expected


def test_a_drive_that_is_only_read_is_read_once_more_at_the_end_and_need_not_answer() -> None:
    reads = phase(Hold(workload=replace(READS, depth=32), amount=Seconds(seconds=5)))
    assert looks(reads, writes=False)[1] == [0, 1, 1]
    events, seen = looks(reads, writes=False, fails_after=2)
    assert seen == [0, 1]
    assert notes(events, "remark") == ["unread"]
    assert isinstance(events[-1], Ended)
    assert events[-1].outcome == "complete"


def test_writes_to_a_drive_that_was_opened_for_reading_fail_and_reads_do_not() -> None:
    for step, outcome in ((TEN, "failed"), (OTHER_TEN, "complete")):
        events, _ = looks(phase(step), writes=False)
        assert isinstance(events[-1], Ended)
        assert (events[-1].outcome, bool(events[-1].reason)) == (outcome, outcome == "failed")


def test_a_search_that_is_not_steady_is_the_outcome_of_the_run() -> None:
    rates = iter([1000, 100] * 50)
    engine = StillEngine(lambda w, t: next(rates), interval_s=10)
    search = phase(DEEP, rounds=6, until=(replace(STEADY, track=(DEEP.workload,)),))
    events = list(run(planned(search), StillDevice(), engine, seed=1, at=0.0))
    assert isinstance(events[-1], Ended)
    assert events[-1].outcome == "not steady"


@pytest.mark.parametrize(
    ("writes", "found", "reason"),
    [
        (True, None, "the load broke"),
        (True, "the load broke", "the load broke"),
        (True, "the drive shrank", "the drive shrank; the load broke"),
        (None, "the drive shrank", "the load broke"),
    ],
)
def test_what_is_wrong_with_the_drive_precedes_the_error_of_the_load(
    writes: bool | None, found: str | None, reason: str
) -> None:
    def check() -> None:
        if found:
            raise StepFailed(found)

    device = StillDevice()
    device.door.writes = writes
    device.door.check = check  # type: ignore[method-assign]
    assert str(runner(device).reason(LoadFailed("the load broke"))) == reason
