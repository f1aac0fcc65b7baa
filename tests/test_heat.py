"""The heat test: when a load throttles a drive, what is left of its rate, and where its temperature settles."""

import math
from typing import Any

import msgspec
import pytest

from stend import findings
from stend.devices.virtual import VirtualDevice
from stend.findings import look
from stend.findings.look import heat
from stend.model import warming
from stend.model.events import Event, Result, Started, Telemetry
from stend.model.record import Run
from stend.sentences import finding_said
from stend.sim import Spec, load
from stend.sim.drive import Drive
from stend.words import Language
from tests.rehearsal import rehearsed

SCALE = 8
SETTLED_C = 45.0
"""5 W at 4 K/W above air of 25 °C."""


def spec(**thermal: Any) -> Spec:
    """A drive of which each IO stands for eight: whole minutes of load cost little."""
    small = load("small")
    whole = small.capacity_bytes * SCALE
    return msgspec.structs.replace(
        small, capacity_bytes=whole, scale=SCALE, thermal=msgspec.structs.replace(small.thermal, **thermal)
    )


def ran(drive: Spec, **settings: Any) -> list[Event]:
    return list(rehearsed(VirtualDevice("sim:small", drive), "heat", tests={"heat": settings} if settings else {}))


def found(events: list[Event]) -> list[tuple[str, dict[str, Any]]]:
    """(key, values) of what is found, writes first, each said in both languages."""
    every = [finding for finding in findings.find(Run(events)) if finding.name == "heat"]
    assert all(finding_said(finding, Language(lang)) for finding in every for lang in ("en", "ru"))
    return [(finding.key, finding.values) for finding in every]


def test_a_drive_that_settles_ends_the_load_ten_minutes_later() -> None:
    (key, writes), (same, reads) = found(ran(spec(seconds=60)))
    assert key == same == "steady"
    assert writes["level"] == pytest.approx(SETTLED_C, abs=0.5)
    near_s = 60 * math.log((SETTLED_C - 29) / warming.STEADY_K)
    assert near_s <= writes["after_s"] <= near_s + 120
    assert writes["minutes_s"] <= writes["after_s"] + 11 * 60
    assert reads["rate"] > writes["rate"]


def test_throttling_is_told_with_its_time_and_its_levels() -> None:
    limit_c = 40.0
    (key, writes), _ = found(ran(spec(seconds=60, limit_c=limit_c, throttle_pct=30)))
    true_s = 60 * math.log((SETTLED_C - 29) / (SETTLED_C - limit_c))
    assert key == "throttled"
    assert writes["from_s"] <= true_s <= writes["to_s"] <= writes["from_s"] + 61
    assert 0.25 < writes["share"] < 0.8
    assert writes["moved"] == pytest.approx(writes["was"] * writes["from_s"], rel=0.02)


def test_a_drive_that_still_warms_up_at_the_end_is_told_so() -> None:
    assert [key for key, _ in found(ran(spec(seconds=2000), minutes=15))] == ["rising", "rising"]


def test_without_a_temperature_nothing_is_concluded() -> None:
    events = ran(spec(seconds=2000), minutes=32)
    mute = [msgspec.structs.replace(e, values={"a": 1}) if isinstance(e, Telemetry) else e for e in events]
    assert [key for key, _ in found(mute)] == ["silent", "silent"]
    assert [warming.heated(Run(every), "heat", "heat-writes") for every in (events, mute)] == [False, True]


def unthrottled(seen: dict[str, Any]) -> dict[str, Any]:
    """What a drive reports that does not report throttling."""
    return {name: value for name, value in seen.items() if not name.startswith("throttle")}


def test_a_rate_that_falls_while_it_warms_up_is_no_throttling() -> None:
    """A drive that hides its throttling looks like one whose cache ends."""
    events = ran(spec(seconds=300, limit_c=40.0, throttle_pct=30), minutes=30)
    hidden = [
        msgspec.structs.replace(e, values=unthrottled(e.values)) if isinstance(e, Telemetry) else e for e in events
    ]
    every = [finding for finding in findings.find(Run(hidden)) if finding.name == "heat"]
    assert {(finding.key, finding.confidence) for finding in every} <= {("fell", "low")}


@pytest.mark.parametrize(
    ("degrees", "steady"), [([40.0] * 10, False), ([40.0] * 11, True), ([*[40.0] * 10, 41.5], False)]
)
def test_a_temperature_is_steady_after_ten_rounds_within_a_kelvin(degrees: list[float], steady: bool) -> None:
    assert warming.steady(degrees) is steady


def hidden(events: list[Event], *phases: str) -> list[tuple[str, str]]:
    """What is found if only these phases were measured."""
    kept = [
        e
        for e in events
        if not isinstance(e, Result) or not e.where.phase.startswith("heat") or e.where.phase in phases
    ]
    return [(f.key, f.confidence) for f in findings.find(Run(kept)) if f.name == "heat"]


def test_a_fall_of_reads_at_the_highest_temperature_is_likely_throttling_and_one_of_writes_alone_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """20 K/W bring 5 W to 125 °C: reads and writes end at the 75 °C from which the drive slows down unsaid."""
    told = Drive.health
    monkeypatch.setattr(Drive, "health", lambda drive: unthrottled(told(drive)))
    events = ran(spec(seconds=600, kelvin_per_w=20, limit_c=75.0, throttle_pct=30), minutes=30)
    assert hidden(events, "heat-writes", "heat-reads") == [("likely", "medium")] * 2
    assert hidden(events, "heat-writes") == [("fell", "low")]
    assert hidden(events, "heat-reads") == [("likely", "medium")]


def test_the_label_of_a_run_names_its_cooling() -> None:
    events = ran(spec(seconds=60))
    named = [msgspec.structs.replace(e, label="heatsink, 2 m/s") if isinstance(e, Started) else e for e in events]
    assert ("label", {"label": "heatsink, 2 m/s"}) in found(named)


def counted(events: list[Event], phase: str, seconds: int) -> list[Event]:
    """Return the events with a counter of throttling that is read first after the first round of a phase, with its
    readings since the load before that are left out."""
    begin = next(n for n, e in enumerate(events) if isinstance(e, Result) and e.where.phase == phase)
    last = max(n for n, e in enumerate(events[:begin]) if isinstance(e, Result) and e.where.phase == "heat-writes")
    kept = [(n, e) for n, e in enumerate(events) if not isinstance(e, Telemetry) or not last - 2 <= n < begin]
    return [
        msgspec.structs.replace(e, values=e.values | {"throttle_s": seconds * (n > begin)})
        if isinstance(e, Telemetry)
        else e
        for n, e in kept
    ]


def test_a_counter_that_grew_in_the_load_before_does_not_end_or_doubt_the_next_one() -> None:
    events = counted(ran(spec(seconds=2000), minutes=15), "heat-reads", 18)
    run = Run(events)
    assert not warming.heated(run, "heat", "heat-reads")
    _, (key, reads) = found(events)
    assert key == "rising"
    assert "disturbed" not in reads
    assert heat.throttled_s(run, look.records(run, "heat")) == 18
