"""The power test: what it finds is what the meter read, and what a meter cannot show is not stated."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from stend import findings
from stend.charts import of
from stend.devices.virtual import VirtualDevice
from stend.findings import power
from stend.findings.judgement.evidence import evidence
from stend.findings.look.figures import figures, listed
from stend.findings.look.powered import rests
from stend.model.definition import Hold, Idle
from stend.model.events import Event, MeterFacts, Reading, Started
from stend.model.record import Run
from stend.planning import plan
from stend.sentences import finding_said
from stend.sim import load
from stend.words import Language
from tests.metering import BUSY_W, IDLE_W, METER, SLEEP_W
from tests.rehearsal import rehearsed
from tests.synthetic import events

MACHINE_W = 80.0


@pytest.fixture(scope="module")
def told() -> list[Event]:
    return events(["power"], rounds=5, minute_s=30.0, second_s=1.0, interval_s=1.0)


def changed(told: list[Event], meter: MeterFacts | None, change: Callable[[Reading], Reading | None]) -> Run:
    """The run with another meter and other readings."""
    kept: list[Event] = []
    for event in told:
        if isinstance(event, Started):
            kept.append(msgspec.structs.replace(event, meters=(meter,) if meter else ()))
        elif not isinstance(event, Reading):
            kept.append(event)
        elif meter and (reading := change(event)):
            kept.append(reading)
    return Run(kept)


def found(run: Run) -> dict[str, dict[str, Any]]:
    every = [finding for finding in findings.find(run) if finding.name == "power"]
    assert all(finding_said(finding, Language(lang)) for finding in every for lang in ("en", "ru"))
    return {finding.key: finding.values for finding in every}


def test_power_at_rest_falls_with_the_rest_and_is_that_of_its_end(told: list[Event]) -> None:
    run = Run(told)
    idle = found(run)["idle"]
    assert (idle["rest"], idle["watts"]) == (10.0, pytest.approx(SLEEP_W))
    assert (idle["first_rest"], idle["first"]) == (1.0, pytest.approx(IDLE_W))
    assert [rest.rest_s for rest in rests(run, "power")] == [1.0, 10.0, 60.0]


def test_work_per_watt_is_the_work_over_the_energy(told: list[Event]) -> None:
    run = Run(told)
    random = found(run)["random"]
    rows = [r for r in figures(run) if r.phase == "loads-read" and r.workload.random_pct and r.direction == "both"]
    best = max(rows, key=lambda row: row.iops)
    assert random["reads"] == pytest.approx(best.iops / best.number("watts"))
    assert 0 < best.number("watts") <= BUSY_W
    assert found(run)["streams"]["reads_gb"] == pytest.approx(1e9 / found(run)["streams"]["reads"])


@pytest.mark.parametrize(("level", "above"), [("raid5", 0.99), ("raid5", 1.01), ("", 0.99)])
def test_random_writes_into_the_cache_of_an_array_have_no_work_per_watt(
    told: list[Event], level: str, above: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    (started,) = (event for event in told if isinstance(event, Started))
    device = msgspec.structs.replace(started.plan.device, facts={"level": level})
    arranged = msgspec.structs.replace(started.plan, device=device)
    run = Run([msgspec.structs.replace(e, plan=arranged) if isinstance(e, Started) else e for e in told])
    held = [row for row in figures(run) if row.phase == "loads-write" and row.workload.random_pct]
    best = max(held, key=lambda row: row.number("iops_per_watt"))
    (steady,) = listed(run, "power", "condition")
    monkeypatch.setattr(power, "CACHED", above * best.iops / steady.iops)
    values = found(run)
    assert ("random_cached" in values) == ("random" not in values) == (bool(level) and above < 1)
    known = evidence(run, {}, list(findings.find(run))).figures
    assert "reads_per_watt" in known
    assert ("writes_per_watt" in known) == ("random" in values)
    assert ("writes_at_rate" in values) == ("random" in values)
    assert "reads_at_rate" in values
    if "random_cached" in values:
        assert (values["random_cached"]["rate"], values["random_cached"]["lasts"]) == (best.iops, steady.iops)


def test_rates_are_parts_of_the_highest_ones(told: list[Event]) -> None:
    run = Run(told)
    rates = [r.step.workload.rate_iops for r in run.of("power", "rates") if isinstance(r.step, Hold)]
    best = max(r.counts.iops for r in run.of("power", "loads-read") if r.step.workload.random_pct)  # type: ignore[union-attr]
    assert rates[:2] == [pytest.approx(best * part, rel=0.01) for part in (0.1, 0.5)]
    assert len(rates) == 4
    assert found(run)["reads_at_rate"]["part"] == pytest.approx(0.1, rel=0.02)


@pytest.mark.parametrize(("period_s", "key"), [(1.0, "second"), (1e-3, "pcm1"), (1e-6, "pcm2")])
def test_measures_of_ocp_are_named_only_where_the_meter_is_fast_enough(
    told: list[Event], period_s: float, key: str
) -> None:
    meter = msgspec.structs.replace(METER, period_s=period_s)
    keys = found(changed(told, meter, lambda reading: reading))
    assert {"second", "pcm1", "pcm2", "no_second"} & keys.keys() == {key}


def test_readings_of_five_seconds_have_no_highest_second(told: list[Event]) -> None:
    assert "no_second" in found(changed(told, METER, lambda one: msgspec.structs.replace(one, seconds=5.0)))


def test_of_a_whole_machine_only_the_difference_is_told(told: list[Event]) -> None:
    meter = msgspec.structs.replace(METER, scope="machine", error_pct=2.0)
    run = changed(told, meter, lambda one: msgspec.structs.replace(one, value=one.value + MACHINE_W))
    keys = found(run)
    assert not keys.keys() & {"idle", "idle_active", "idle_level", "load", "random", "streams", "reads_at_rate"}
    assert keys["machine"]["more"] <= BUSY_W
    assert (
        not {"idle_watts", "load_watts", "reads_per_watt"} & evidence(run, {}, list(findings.find(run))).figures.keys()
    )


def test_a_difference_within_the_scatter_is_none(told: list[Event]) -> None:
    meter = msgspec.structs.replace(METER, scope="machine")
    wild = changed(told, meter, lambda one: msgspec.structs.replace(one, value=MACHINE_W + 20 * (int(one.t) % 2)))
    assert "machine_none" in found(wild)


def test_a_difference_of_readings_that_do_not_scatter_has_no_error(told: list[Event]) -> None:
    """A meter of whole watts at rest: "± 0.00 mW" is more than it knows."""
    meter = msgspec.structs.replace(METER, scope="machine", error_pct=None)
    keys = found(changed(told, meter, lambda one: msgspec.structs.replace(one, value=MACHINE_W + round(one.value))))
    assert keys.keys() & {"machine", "machine_still", "machine_none"} == {"machine_still"}
    assert keys["machine_still"]["more"] > 0


def test_power_that_rests_hardly_lower_has_the_bound_of_that(told: list[Event]) -> None:
    run = changed(told, METER, lambda one: msgspec.structs.replace(one, value=max(one.value, IDLE_W)))
    (level,) = (one for one in findings.find(run) if one.key == "idle_level")
    assert "lower that by less than 20%." in finding_said(level, Language("en"))


def test_without_readings_nothing_is_told(told: list[Event]) -> None:
    assert found(changed(told, METER, lambda _: None)).keys() == {"short"}
    assert found(changed(told, None, lambda _: None)).keys() == {"short"}
    assert not list(of(changed(told, None, lambda _: None), Run(told).plan.tests[0]))


def test_the_first_second_of_a_rest_alone_is_no_power_at_rest(
    told: list[Event], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A meter that fails after it: "rests of up to 0 s" lower nothing."""
    run = Run(told)
    first, *_ = rests(run, "power")
    monkeypatch.setattr("stend.findings.power.rests", lambda run, test: (first._replace(rest_s=0.0),))
    assert found(run).keys() & {"idle", "idle_active", "idle_level", "idle_unknown"} == {"idle_unknown"}


def test_gaps_are_counted_and_their_loads_have_no_watts(told: list[Event]) -> None:
    run = Run(told)
    (first, *_) = run.of("power", "loads-read")
    begin, end = first.t - first.counts.seconds, first.t
    held = changed(told, METER, lambda one: None if begin < one.t <= end else one)
    assert found(held)["gaps"]["n"] == 1
    rows = {r.workload: r for r in figures(held) if r.phase == "loads-read" and r.direction == "both"}
    assert rows[first.step.workload].value("watts") is None  # type: ignore[union-attr]
    assert all(row.value("watts") for load, row in rows.items() if load != first.step.workload)  # type: ignore[union-attr]


@pytest.mark.slow
def test_watts_of_a_virtual_drive_are_those_of_its_model() -> None:
    """The states of the twin after 0.1 and 2 s, and its idle power in the first second of a rest."""
    spec = load("kc2000")
    changes: dict[str, Any] = {"minute_s": 2.0, "second_s": 1.0, "rounds": 5, "shorten": 30}
    changes["tests"] = {"power": {"rests_s": [0.2, 10.0, 60.0]}}
    meter = MeterFacts(spec="own", name="model", period_s=0.5)
    device, kept = VirtualDevice("sim:kc2000", spec), list[Event]()
    power = device.sim.drive.power
    for event in rehearsed(device, "power", interval_s=1.0, **changes):
        kept.append(msgspec.structs.replace(event, meters=(meter,)) if isinstance(event, Started) else event)
        kept += [Reading(t=t, quantity="watts", value=w, seconds=s, most=m) for t, s, w, m in power.read()]
    run = Run(kept)
    after = {rest.rest_s: rest.level.mean for rest in rests(run, "power")}
    light, deep = spec.power.states
    assert after[0.2] == pytest.approx(light.watts, rel=0.02)
    assert after[10.0] == after[60.0] == pytest.approx(deep.watts, rel=0.02)


def test_each_rest_is_ended_by_single_reads_as_those_that_the_wake_test_times() -> None:
    """More than one outstanding IO would hide how long leaving a power state takes."""
    names, profile, _ = plan.gather(["power"], None, {})
    (drawn,) = plan.draw(names, profile, VirtualDevice("sim:small", load("small")).identity).tests
    (idle,) = (phase for phase in drawn.phases if phase.name == "idle")
    loads = [step.workload for step in idle.round if isinstance(step, Hold)]
    assert len(loads) == sum(isinstance(step, Idle) for step in idle.round) > 1
    assert {load.label for load in loads} == {"RND 4K 100/0 T1 Q1"}
