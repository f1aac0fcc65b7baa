"""What would end a plan sooner: what each way leaves out, and that the hours and changes told are those of the runs."""

import msgspec
import pytest

from stend.devices.virtual import find
from stend.model.definition import Hold, Phase, Plan, Seconds
from stend.planning import plan as planning
from stend.session import sooner
from tests.still import IDENTITY

TESTS = ("iops", "latency", "throughput")


def drawn(*names: str, target: str = "sim:small", **changes: object) -> Plan:
    profile, told = planning.adjust(planning.load_profile("enterprise-2.0.2"), dict(changes))
    return planning.draw(names or TESTS, profile, find(target).identity, deviations=told)


def seconds(plan: Plan, test: str, read_pct: int) -> set[float]:
    own = next(one for one in plan.tests if one.name == test)
    holds = [s for phase in own.phases if phase.name.startswith("rounds") for s in phase.round if isinstance(s, Hold)]
    return {h.amount.seconds for h in holds if isinstance(h.amount, Seconds) and h.workload.read_pct == read_pct}


def phases(plan: Plan, test: str) -> list[str]:
    return [phase.name for one in plan.tests if one.name == test for phase in one.phases]


def test_short_reads_are_those_of_cells_that_only_read() -> None:
    changed = sooner.reads_short(drawn())
    assert (seconds(changed, "iops", 100), seconds(changed, "iops", 95)) == ({15.0}, {60.0})
    assert seconds(sooner.half_minutes(drawn()), "iops", 95) == {30.0}


def test_a_state_is_gone_on_from_only_where_the_test_before_leaves_it() -> None:
    assert phases(sooner.latency_after_iops(drawn()), "latency") == ["rounds-q1", "histogram-q1"]
    assert sooner.latency_after_iops(drawn("latency", "iops")) == drawn("latency", "iops")
    assert sooner.latency_after_iops(drawn("latency")) == drawn("latency")
    kept = phases(sooner.throughput_together(drawn()), "throughput")
    assert [name for name in kept if name.startswith("purge")] == ["purge-1024k-t1q32"]
    assert len([name for name in kept if name.startswith("rounds")]) == 2


def test_a_plan_without_rounds_has_nothing_to_shorten() -> None:
    plan = drawn("slc-cache")
    assert [name for name, way in sooner.WAYS.items() if way(plan) != plan] == []


def test_the_worst_change_is_that_of_the_cell_that_changed_most_up_or_down() -> None:
    cells = {("iops", "rounds", "a"): 100.0, ("iops", "rounds", "b"): 100.0, ("iops", "rounds", "c"): 0.0}
    others = {("iops", "rounds", "a"): 110.0, ("iops", "rounds", "b"): 70.0, ("iops", "rounds", "c"): 5.0}
    change, which = sooner.worst(cells, others)
    assert (round(change, 6), which) == (0.3, "iops, b")


@pytest.mark.parametrize(("model", "found"), [("", ""), ("HGST Ultrastar SN150 HUSPR3216AHP301", "sim:sn150")])
def test_a_drive_has_the_twin_of_its_model(model: str, found: str) -> None:
    identity = type(IDENTITY)(kind="nvme", target="x", path="x", capacity_bytes=1 << 30, serial="1", model=model)
    assert sooner.twin(identity) == found
    assert sooner.twin(find("sim:small").identity) == "sim:small"


def test_a_plan_is_played_to_its_end_and_its_cells_are_those_of_its_rules() -> None:
    plan, told = drawn("latency", minute_s=0.05, rounds=2), list[float]()
    hours, cells = sooner.played(plan, "sim:small", 1, told.append)
    assert told == sorted(told)
    assert told[0] == 0.0 < told[-1] <= hours
    assert {(test, phase) for test, phase, _ in cells} == {("latency", "rounds-q1")}
    assert len(cells) == 9
    assert all(1e-6 < mean_s < 1e-2 for mean_s in cells.values())
    assert sooner.played(plan, "sim:small", 1) == (hours, cells), "a seed gives the same figures"


@pytest.mark.parametrize(
    ("tests", "ways"),
    [
        (("iops",), ["cells that only read last 15 s"]),
        (("throughput",), ["cells that only read last 15 s", "throughput of 128 KiB starts from 1 MiB"]),
        (("iops", "latency"), ["cells that only read last 15 s", "latency starts from the state of IOPS"]),
    ],
)
def test_ways_are_combined_where_there_are_several(tests: tuple[str, ...], ways: list[str]) -> None:
    """A single way is not tried twice under two names, and no name counts ways that are not in the list."""
    together = ["the ways above together"] if len(ways) > 1 else []
    assert list(sooner.applicable(drawn(*tests))) == [*ways, *together, "minutes of 30 s"]


@pytest.mark.slow
def test_each_way_saves_the_hours_that_it_tells() -> None:
    plan = drawn("iops", "latency", target="sim:x25e", minute_s=2, rounds=6)
    told = {one.name: one for one in sooner.tried(plan, "sim:x25e")}
    both = told["the ways above together"]
    assert "throughput of 128 KiB starts from 1 MiB" not in told
    assert both.hours < min(told[name].hours for name in list(told)[:2]) < both.planned_hours
    assert all(one.worst > 0 and one.stated > one.chance > 0 for one in told.values())


def test_the_hours_of_a_plan_are_those_of_its_clock() -> None:
    whole, told = drawn("fresh"), list[float]()
    reads = msgspec.structs.replace(drawn("iops").tests[0].phases[-1].holds[0].workload, read_pct=100)
    phase = Phase(name="reads", round=(Hold(workload=reads, amount=Seconds(seconds=90)),))
    plan = msgspec.structs.replace(whole, tests=(msgspec.structs.replace(whole.tests[0], phases=(phase,)),))
    hours, _ = sooner.played(plan, "sim:small", 7, told.append)
    assert told[0] == 0.0
    assert told[-1] == pytest.approx(90 / 3600, rel=0.01)
    assert hours == pytest.approx(90 / 3600, rel=0.01)
