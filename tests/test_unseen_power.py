"""Boundaries of conclusions on rests and power, with values that follow on paper."""

from types import SimpleNamespace
from typing import Any

import pytest

from stend.base.units import GB, KiB
from stend.findings import Finding, idle_recovery, power
from stend.findings.look.metered import Level
from stend.findings.look.powered import Rest
from stend.model.events import MeterFacts
from stend.model.workload import Workload


def rung(depth: int, iops: float, mean: float = 0.001, test: str = "latency-curve", **more: Any) -> Any:
    """A row of a ladder."""
    load = Workload(**{"random_pct": 100, "read_pct": 100, "block_bytes": 4 * KiB, "depth": depth} | more)
    numbers = {"iops": iops, "mean": mean, "throughput": iops * load.block_bytes}
    return SimpleNamespace(test=test, phase="p", workload=load, iops=iops, steady=True, number=numbers.__getitem__)


def told(found: Any) -> list[tuple[str, dict[str, Any]]]:
    return [(one.key, one.values) for one in found]


@pytest.mark.parametrize(
    ("levels", "fresh", "key", "needed"),
    [
        ({5.0: 500, 60.0: 900}, 1000, "recovers", 60.0),
        ({5.0: 899, 60.0: 899}, 1000, "partly", None),
        ({5.0: 111, 60.0: 120}, 1000, "partly", None),
        ({5.0: 109, 60.0: 109}, 1000, "none", None),
        ({5.0: 109, 60.0: 109}, 111, "none", None),
        ({5.0: 109, 60.0: 109}, 109, "unfallen", None),
        ({5.0: 111, 60.0: 109}, 109, "from_below", None),
        ({5.0: 100, 60.0: 100}, 109, "late", None),
    ],
)
def test_a_drive_recovers_if_a_rest_brings_nine_tenths_of_fresh(
    levels: dict[float, float], fresh: float, key: str, needed: float | None
) -> None:
    """Before the first rests it did 100 (in the last case 99 before the second): from a tenth more on it gained."""
    befores = {5.0: 100.0, 60.0: 99.0 if key == "late" else 100.0}
    values = {"fresh": fresh, "befores": {f"{rest:g}": rate for rest, rate in befores.items()},
              "levels": {f"{rest:g}": rate for rest, rate in levels.items()}}  # fmt: skip
    found: Finding = idle_recovery._recovery("t", values, levels, befores)
    assert (found.key, found.values.get("needed")) == (key, needed)
    assert found.side == {"recovers": "pro", "none": "con"}.get(key, "")


# Power


@pytest.mark.parametrize(
    ("facts", "key", "values"),
    [
        ({"estimated": True}, "estimated", {}),
        ({}, "meter_unknown", {}),
        ({"error_pct": 0}, "meter_exact", {}),
        ({"error_pct": 2.0}, "meter", {"error": 0.02}),
    ],
)
def test_a_meter_states_its_error_as_far_as_it_is_known(
    facts: dict[str, Any], key: str, values: dict[str, float]
) -> None:
    found = power._meter("power", MeterFacts(spec="x", name="M", period_s=0.5, **facts))
    assert (found.key, found.values) == (key, {"name": "M", "period": 0.5} | values)


def rests(**watts: float) -> list[Rest]:
    return [Rest(float(name[1:]), Level(mean, mean, 1.0, 1.0), 0.5) for name, mean in watts.items()]


@pytest.mark.parametrize(
    ("idle", "key", "lowest", "rest"),
    [
        (rests(s1=2.0, s10=1.59, s60=1.7), "idle", 1.59, 10.0),
        (rests(s0=2.0, s10=1.59), "idle_active", 1.59, 10.0),
        (rests(s1=2.0, s10=1.61), "idle_level", 1.61, 10.0),
        (rests(s0=2.0, s1=1.9), "idle_level", 1.9, 1.0),
    ],
)
def test_rests_save_power_below_four_fifths_of_the_first(
    idle: list[Rest], key: str, lowest: float, rest: float
) -> None:
    ((found, values),) = told(power._idle("power", idle))
    assert (found, values["watts"], values["rest"], values["longest"]) == (key, lowest, rest, idle[-1].rest_s)
    assert (values["first"], values["first_rest"]) == (2.0, idle[0].rest_s)
    assert told(power._idle("power", rests(s0=2.0))) == told(power._idle("power", [])) == [("idle_unknown", {})]


def loaded(watts: float, depth: int = 1, **more: Any) -> Any:
    row = rung(depth, 1000.0, **more)
    numbers = {
        "watts": watts,
        "watts_max": 2 * watts,
        "iops_per_watt": 1000.0 / watts,
        "bytes_per_joule": 1e9 / watts,
        "iops": 1000.0,
    }
    row.number = row.value = numbers.__getitem__
    return row


@pytest.mark.parametrize(
    ("most", "error_pct", "key"),
    [
        (12.0, None, "machine"),
        (11.0, None, "machine_none"),
        (12.0, 100.0, "machine_none"),
        (1e4, None, "machine_still"),
        (12.0, 10.0, "machine"),
    ],
)
def test_a_whole_machine_shows_what_a_load_adds_beyond_two_deviations_of_the_rest(
    most: float, error_pct: float | None, key: str
) -> None:
    """At rest it takes 10 W, with a deviation of 0.5 W."""
    facts = MeterFacts(spec="x", name="M", scope="machine", error_pct=error_pct)
    (found,) = power._above("power", facts, rests(s1=10.5, s10=10.0), [loaded(most), loaded(5.0)])
    error = 1.0 + (most - 10.0) * (error_pct or 0.0) / 100
    values = {"more": most - 10.0, "error": pytest.approx(error), "load": "RND 4K 100/0 T1 Q1", "idle": 10.0}
    assert (found.key, found.values, found.confidence) == (key, values, "low" if key == "machine_none" else "medium")
    for idle, held in (([], [loaded(5.0)]), (rests(s1=10.0), [])):
        assert told(power._above("power", facts, idle, held)) == [("machine_unknown", {})]


def test_the_load_with_the_highest_mean_and_the_highest_value_of_any_are_stated() -> None:
    rows = [loaded(5.0), loaded(7.0, read_pct=0), loaded(6.0)]
    assert told(power._load("power", rows)) == [("load", {"watts": 7.0, "load": "RND 4K 0/100 T1 Q1", "peak": 14.0})]
    assert told(power._load("power", [])) == []


def test_efficiency_is_that_of_random_ios_per_watt_and_of_streams_per_gigabyte() -> None:
    run: Any = SimpleNamespace(plan=SimpleNamespace(device=SimpleNamespace(facts={})))
    rows = [
        loaded(5.0),
        loaded(4.0, depth=8),
        loaded(8.0, read_pct=0),
        loaded(2.0, random_pct=0),
        loaded(4.0, random_pct=0, read_pct=0),
    ]
    assert told(power._efficiency(run, "power", rows)) == [
        ("random", {"reads": 250.0, "reads_at": 8, "writes": 125.0, "writes_at": 1}),
        ("streams", {"reads": 5e8, "writes": 2.5e8, "reads_gb": GB / 5e8, "writes_gb": GB / 2.5e8}),
    ]
    assert told(power._efficiency(run, "power", rows[:2])) == []
