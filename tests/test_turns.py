"""Turns of runs on one host: a run that would have to wait is one that notices here that its end is requested."""

from pathlib import Path

import pytest

from stend.model.definition import Plan
from stend.runner.bench import Stopped
from stend.session import Request
from stend.session.together import roll, turns
from stend.session.together.group import Group, Member
from stend.session.together.turns import Turns
from stend.words import Sentence
from tests.test_together_limits import FRESH, LOUD, QUIET, planned


@pytest.fixture(autouse=True)
def _locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEND_RUNTIME", str(tmp_path / "locks"))


def member(name: str, lane: str = "") -> Member:
    return Member(name, Request(["iops"], name), lane)


def turn(folder: Path, name: str, plan: Plan, *, lane: str = "", quiet: bool = True, barrier: bool = False) -> Turns:
    """The turns of a member whose operator wants it to end: it raises Stopped where it would wait."""
    own = member(name, lane)
    group = Group((own, member("other")), quiet=quiet, barrier=barrier)
    return Turns(folder, group, own, plan, lambda: True)


def begins(here: Turns, plan: Plan) -> bool:
    """Return True if the next test may begin at once."""
    try:
        list(here.before(plan.tests[0], FRESH, lambda: None))
    except Stopped:
        return False
    return True


LOUD_PLAN, QUIET_PLAN = planned((LOUD,)), planned((QUIET,))


def test_a_quiet_test_waits_for_loud_ones_and_they_for_it(tmp_path: Path) -> None:
    one, two = (turn(tmp_path, name, LOUD_PLAN) for name in ("one", "two"))
    alone = turn(tmp_path, "alone", QUIET_PLAN)
    assert begins(one, LOUD_PLAN)
    assert begins(two, LOUD_PLAN)
    assert not begins(alone, QUIET_PLAN)
    one.close()
    assert not begins(alone, QUIET_PLAN)
    two.close()
    assert begins(alone, QUIET_PLAN)
    assert not begins(one, LOUD_PLAN)
    alone.close()
    assert begins(one, LOUD_PLAN)
    one.close()


def test_a_run_that_waits_for_its_turn_is_in_no_others_way(tmp_path: Path) -> None:
    here = turn(tmp_path, "one", LOUD_PLAN)
    assert begins(here, LOUD_PLAN)
    with turns.Lock() as door, turns.Lock() as room:
        assert not room.take("room")
        assert door.take("door")
        assert not begins(here, LOUD_PLAN)
        assert room.take("room")
    here.close()


def test_the_others_of_a_member_are_all_but_itself(tmp_path: Path) -> None:
    here = turn(tmp_path, "one", LOUD_PLAN)
    assert here.others == ["other"]
    assert roll.lives(tmp_path, "one")
    here.close()


def test_runs_of_a_lane_are_one_after_another_and_those_of_other_lanes_are_not(tmp_path: Path) -> None:
    first, second = (turn(tmp_path, name, LOUD_PLAN, lane="x", quiet=False) for name in ("one", "two"))
    third = turn(tmp_path, "three", QUIET_PLAN, lane="y", quiet=False)
    with turns.Lock() as door:
        assert door.take("door"), "a group that is not quiet has no door"
        assert [begins(each, LOUD_PLAN) for each in (first, second, third)] == [True, False, True]
    first.close()
    assert begins(second, LOUD_PLAN)
    second.close()
    third.close()


def test_a_member_that_waits_for_a_common_moment_has_reached_it(tmp_path: Path) -> None:
    """The process that starts the others exists, so that they may come."""
    here = turn(tmp_path, "one", LOUD_PLAN, quiet=False, barrier=True)
    roll.enter(tmp_path, roll.BEGINNER)
    assert [roll.coming(tmp_path, "one", moment) for moment in (0, 1)] == [False, True]
    with pytest.raises(Stopped):
        list(here.before(LOUD_PLAN.tests[0], LOUD, lambda: None))
    assert [roll.coming(tmp_path, "one", moment) for moment in (1, 2)] == [False, True]
    stops = list[int]()
    with pytest.raises(Stopped):
        list(here.before(LOUD_PLAN.tests[0], LOUD, lambda: stops.append(1)))
    assert stops == [1]
    assert [roll.coming(tmp_path, "one", moment) for moment in (2, 3)] == [False, True]
    for name in turns.PREPARING:
        named = planned((LOUD,)).tests[0].phases[0]
        assert (
            list(here.before(LOUD_PLAN.tests[0], type(named)(name=f"{name}-x", round=named.round), stops.clear)) == []
        )
    assert stops == [1], "phases that measure nothing have no common moment"
    here.close()


@pytest.mark.parametrize(("disturbed", "kind"), [(True, "interference"), (False, "beside")])
def test_the_notes_of_a_member_come_before_its_first_phase_and_its_load_stops_before_a_turn(
    disturbed: bool, kind: str, tmp_path: Path
) -> None:
    """The first note states the disturbance. A turn comes before the first phase and before each purge."""
    notes = (Sentence("operator"), Sentence("shared", drives=["a"], kind="bridge", name="b"))
    member = Member("a", Request(["iops"], "a"), "lane", notes, disturbed)
    plan, stops = planned((LOUD, FRESH)), list[str]()
    here = Turns(tmp_path, Group((member,), quiet=True), member, plan, lambda: False)
    first = list(here.before(plan.tests[0], LOUD, lambda: stops.append("first")))
    assert first == [(notes[0], kind), (notes[1], "beside")]
    assert list(here.before(plan.tests[0], LOUD, lambda: stops.append("second"))) == []
    assert list(here.before(plan.tests[0], FRESH, lambda: stops.append("third"))) == []
    assert stops == ["first", "third"]
    here.close()
    assert (here.lane.fd, here.room.fd) == (-1, -1)


def test_a_test_that_runs_alone_waits_for_the_others_and_they_for_it(tmp_path: Path) -> None:
    with turns.Lock() as one, turns.Lock() as other:
        assert one.take("room", shared=True)
        assert other.take("room", shared=True)
        assert not other.take("room")
        one.free()
        assert other.take("room")
        assert not one.take("room", shared=True)
    assert (one.fd, other.fd) == (-1, -1)
