"""What a drive reports of itself is evidence: no finding across it is sure, and its sentence names it."""

from typing import Any

import pytest

from stend import findings
from stend.charts.parts import binned
from stend.findings import Finding
from stend.findings.look import grounds, heat, moments
from stend.findings.look.saturated import saturated
from stend.model.events import Event, Started, Telemetry
from stend.model.record import Run
from stend.sentences import finding_said
from stend.words import LANGUAGES, Language
from tests.synthetic import Truth, events
from tests.test_watch import run_with

WORDS: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"link": "16 GT/s x4"}, {"link": "2.5 GT/s x4"}, "link"),
    ({"crc_errors": 0}, {"crc_errors": 3}, "crc_errors"),
    ({"media_errors": 0}, {"media_errors": 3}, "media_errors"),
    ({"degraded": 0}, {"degraded": 1}, "degraded"),
    ({}, {"resync": "recover, 3 %"}, "resync"),
    ({"critical_warning": 0}, {"critical_warning": 16}, "critical_warning"),
    ({"critical_warning": 0}, {"critical_warning": 2}, "heat_warning"),
]


def saturation(before: dict[str, Any], now: dict[str, Any], since_s: float) -> Run:
    """A saturation with a knee during which a drive tells another thing from a moment on."""
    truth = Truth(capacity_bytes=120 * 10**9, fresh_iops=100_000)
    changes = {"tests": {"write-saturation": {"minutes": 120}}}
    told: list[Event] = events(["write-saturation"], truth, profile="review", interval_s=10.0, **changes)
    cool = {"temperature_c": 45}
    new = [
        Telemetry(t=e.t, values=cool | (now if e.t > since_s else before)) if isinstance(e, Telemetry) else e
        for e in told
    ]
    return Run(new)


def said(run: Run, name: str = "saturation") -> Finding:
    return next(f for f in findings.find(run, {}) if f.name == name)


@pytest.mark.parametrize(("before", "now", "key"), WORDS, ids=[key for *_, key in WORDS])
def test_a_knee_at_which_something_happened_is_not_the_drives_own(
    before: dict[str, Any], now: dict[str, Any], key: str
) -> None:
    quiet, struck = said(saturation(before, before, 0)), said(saturation(before, now, 300))
    assert (quiet.key, quiet.confidence) == ("knee", "high")
    assert (struck.confidence, struck.values["because"].key) == ("can't tell", key)
    assert all(finding_said(struck, Language(lang)) for lang in LANGUAGES)


def test_what_lies_before_the_event_may_be_stated() -> None:
    found = said(saturation({"media_errors": 0}, {"media_errors": 3}, 5400))
    assert (found.key, found.values["because"].key) == ("unsettled", "media_errors")
    assert found.values["knee_bytes"] == pytest.approx(1.2 * 120e9, rel=0.05)


def test_other_findings_are_not_sure_either_and_name_the_event() -> None:
    run = saturation({"crc_errors": 0}, {"crc_errors": 3}, 5400)
    tail = said(run, "tail")
    assert tail.confidence != "high"
    assert "CRC errors" in finding_said(tail, Language("en"))


def test_the_start_is_the_first_record() -> None:
    run = saturation({}, {}, 0)
    told = saturated(run, "write-saturation", "saturate")
    assert told
    assert told.start == run.of("write-saturation", "saturate")[0].counts.iops


@pytest.mark.parametrize("value", [-273, -40, 0, 150, None])
def test_a_temperature_that_cannot_be_is_none(value: float | None) -> None:
    run = run_with({"temperature_c": value})
    assert heat.warmest(run) is None
    assert [f.key for f in findings.file("thermal").find(run, {})] == ["silent"]


def test_the_warmest_sensor_counts() -> None:
    run = run_with({"temperature_c": 62, "temperature_sensor_2_c": 82})
    assert heat.warmest(run) == 82
    assert [f.key for f in findings.file("thermal").find(run, {})] == ["hot"]


@pytest.mark.parametrize(("top", "key"), [(45, "cool"), (66, "warm"), (71, "hot")])
def test_a_temperature_near_the_limit_is_not_surely_cool(top: int, key: str) -> None:
    run = run_with({"temperature_c": top})
    assert [f.key for f in findings.file("thermal").find(run, {})] == [key]
    assert top < grounds.limit_c(run) or key == "hot"


def test_a_warning_of_temperature_counts_as_heat() -> None:
    run = run_with({"temperature_c": 50, "critical_warning": 2})
    assert [f.key for f in findings.file("thermal").find(run, {})] == ["warned"]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(("name", "key"), [("critical_warning", "warned"), ("throttled", "throttled")])
def test_heat_without_a_temperature_is_said_without_one(name: str, key: str, lang: str) -> None:
    (found,) = findings.named("thermal", run_with({name: 0}, {name: 2}), {})
    assert found.key == key
    assert not set("–{}") & set(finding_said(found, Language(lang)))


@pytest.mark.parametrize(("top", "key"), [(-10, "warned_cold"), (5, "warned_cold"), (20, "warned")])
def test_a_warning_of_a_cold_drive_does_not_count_as_heat(top: int, key: str) -> None:
    (found,) = findings.named("thermal", run_with({"temperature_c": top, "critical_warning": 2}), {})
    assert (found.key, found.side) == (key, "" if key == "warned_cold" else "con")
    assert "-" not in finding_said(found, Language("en"))


def test_looks_are_in_the_order_of_time_and_a_new_clock_comes_later() -> None:
    run = run_with({"a": 0}, {"a": 1})
    run.add(Telemetry(t=100, values={"a": 2}))
    run.add(Started(at=0, version="0", plan=run.plan, seed=1))
    run.add(Telemetry(t=1, values={"a": 3}))
    assert [look.values["a"] for _, look in moments.looks(run)] == [0, 2, 1, 3]


def test_a_plateau_shorter_than_a_bucket_of_a_chart_stays_one() -> None:
    points = [{"x": float(i), "y": 1300.0 if i < 34 else 134.0 if i % 3 else 0.0} for i in range(6000)]
    kept = binned(points, "x", "y", 320)
    assert {point["y"] for point in kept} <= {1300.0, 134.0}
    assert [point["y"] for point in kept][:2] == [1300.0, 1300.0]
