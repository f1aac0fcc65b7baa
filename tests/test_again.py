"""Going on after an interruption: where from, and whether a virtual drive repeats what was recorded."""

from collections.abc import Generator, Iterable

import msgspec
import pytest

from stend.base.errors import StepFailed
from stend.model.events import Ended, Event, Judged, Note, Position, Result, Sample, Started
from stend.model.record import Run
from stend.runner.resume import announced, rerun, resume_point
from stend.words import text
from tests.still import StillEngine
from tests.test_run import drawn, play


@pytest.fixture(scope="module")
def whole() -> list[Event]:
    return play(drawn("iops", minute_s=1, rounds=5), StillEngine())


def given(events: Iterable[Event]) -> Generator[Event, None, None]:
    yield from events


def test_what_is_recorded_already_is_dropped_and_the_rest_told(whole: list[Event]) -> None:
    for cut in (1, 10, len(whole) // 2, len(whole) - 1):
        told = list(rerun(given(whole), whole[:cut]))
        assert isinstance(told[0], Started)
        assert [*whole[:cut], *told[1:]] == whole


@pytest.mark.parametrize("kind", [Sample, Result, Judged])
def test_a_drive_that_does_something_else_is_found_out_at_any_kind_of_event(
    whole: list[Event], kind: type[Sample] | type[Result] | type[Judged]
) -> None:
    at = [n for n, event in enumerate(whole) if isinstance(event, kind)][2]
    another = [*whole[:at], msgspec.structs.replace(whole[at], t=0.125), *whole[at + 1 :]]
    with pytest.raises(StepFailed, match="no longer does what the run recorded"):
        list(rerun(given(another), whole[: at + 1]))
    missing = [*whole[:at], *whole[at + 1 :]]
    with pytest.raises(StepFailed, match="no longer does"):
        list(rerun(given(missing), whole[: at + 1]))


def test_a_remark_may_be_worded_otherwise_and_what_was_said_of_an_interruption_is_not_repeated(
    whole: list[Event],
) -> None:
    remark, stop = Note(t=0.0, text=text("so"), kind="remark"), Note(t=0.0, text=text("moved"), kind="interruption")
    recorded = [whole[0], remark, stop, *whole[1:20]]
    again = [whole[0], msgspec.structs.replace(remark, text=text("otherwise")), *whole[1:]]
    assert list(rerun(given(again), recorded))[1:] == whole[20:]


def test_a_repeat_that_ends_too_early_is_another_way_unless_it_was_stopped(whole: list[Event]) -> None:
    begun, ended = whole[:10], Ended(t=9.0, outcome="stopped", reason=text("by the operator"))
    assert list(rerun(given([*begun, ended]), whole[:30])) == [whole[0], ended]
    with pytest.raises(StepFailed, match="no longer does"):
        list(rerun(given([*begun, msgspec.structs.replace(ended, outcome="complete")]), whole[:30]))


def test_what_must_be_said_comes_after_the_first_event(whole: list[Event]) -> None:
    told = list(announced(given(whole), [text("moved")]))
    assert told == [whole[0], Note(t=0.0, text=text("moved"), kind="interruption"), *whole[1:]]


def at(phase: str, round_: int, ended_by: str = "") -> Judged:
    return Judged(where=Position(test="iops", phase=phase, round=round_), t=1.0, ended_by=text(ended_by))


@pytest.mark.parametrize(("whole_rounds", "again"), [(0, 1), (2, 3), (20, 21), (21, 1), (24, 1)])
def test_a_run_goes_on_after_the_last_whole_round_if_a_window_fits_into_those_that_remain(
    whole_rounds: int, again: int
) -> None:
    """Of 25 rounds five make a window, and it begins after the interruption."""
    start = play(drawn("iops", minute_s=1), StillEngine())[0]
    phases = {phase.name: phase for _, phase in Run([start]).phases()}
    assert (phases["rounds"].boundary, phases["rounds"].rounds) == ("round", 25)
    ends = [at(name, 1, "all done") for name in phases if name != "rounds"]
    done = [at("rounds", n) for n in range(1, whole_rounds + 1)]
    assert resume_point(Run([start, *ends, *done])) == Position(test="iops", phase="rounds", round=again)
    assert resume_point(Run([start, *ends, at("rounds", 3, "steady state")])) is None


def test_a_test_in_one_piece_is_begun_again_at_the_first_round_of_its_first_phase() -> None:
    start = play(drawn("write-saturation", minute_s=1), StillEngine())[0]
    phases = [phase for _, phase in Run([start]).phases()]
    assert phases[1].boundary == "test"
    places = [Position(test="write-saturation", phase=phase.name, round=1) for phase in phases]
    ends = [Judged(where=place, t=1.0, ended_by=text("all done")) for place in places]
    point = resume_point(Run([start, ends[0]]))
    assert point == Position(test="write-saturation", phase=phases[0].name, round=1)


def test_a_phase_in_one_piece_is_begun_again(whole: list[Event]) -> None:
    first = next(phase for _, phase in Run(whole).phases() if phase.boundary == "phase")
    before = [p.name for _, p in Run(whole).phases()]
    ends = [at(name, 1, "all done") for name in before[: before.index(first.name)]]
    point = resume_point(Run([whole[0], *ends, at(first.name, 4)]))
    assert point == Position(test="iops", phase=first.name, round=1)


@pytest.mark.parametrize(
    ("killed", "again"),
    [
        ("sizes", "precondition"),
        ("reads", "precondition-reads"),
        ("half-full", "half-full"),
        ("fill-trimmed", "fill-trimmed"),
    ],
)
def test_a_phase_that_trims_is_begun_again_at_the_fill_before_it(killed: str, again: str) -> None:
    start = play(drawn("trim", minute_s=1), StillEngine())[0]
    names = [phase.name for _, phase in Run([start]).phases()]
    places = [Position(test="trim", phase=name, round=1) for name in names[: names.index(killed)]]
    ends = [Judged(where=place, t=1.0, ended_by=text("all done")) for place in places]
    assert resume_point(Run([start, *ends])) == Position(test="trim", phase=again, round=1)
