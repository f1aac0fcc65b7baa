"""A load that met the rule of its steady state and was slower later in its test has no known steady state."""

from functools import cache
from typing import Any

import msgspec
import pytest

from stend import findings
from stend.findings import Finding
from stend.findings.look import is_histogram
from stend.model.definition import Hold
from stend.model.events import Event, Result
from stend.model.record import Run
from stend.sentences import finding_said
from stend.words import LANGUAGES, Language
from tests.synthetic import Truth, events


@cache
def whole() -> tuple[Event, ...]:
    """A drive whose writes are as fast after hours as on the first day."""
    truth = Truth(fresh_iops=20_000, steady_iops=20_000, pool_fills=0.1)
    return tuple(events(["latency"], truth, interval_s=20.0, shorten=60, rounds=6))


def slower(event: Event, times: float, read_pct: int) -> Event:
    """A result of a histogram of this mix with response times this many times as long."""
    if not isinstance(event, Result) or not isinstance(event.step, Hold) or not is_histogram(event.where.phase):
        return event
    if event.step.workload.read_pct != read_pct:
        return event
    counts = event.counts
    ways: dict[str, Any] = {
        way: msgspec.structs.replace(tally, latency_ns=round(tally.latency_ns * times))
        for way, tally in (("read", counts.read), ("write", counts.write))
    }
    return msgspec.structs.replace(event, counts=msgspec.structs.replace(counts, **ways))


def of(times: float, read_pct: int = 0) -> list[Finding]:
    run = Run(slower(event, times, read_pct) for event in whole())
    return [finding for finding in findings.named("steady_state", run, {}) if finding.test == "latency"]


@pytest.mark.parametrize(
    ("times", "read_pct", "key"),
    [
        (0.5, 0, "reached"),
        (1.0, 0, "reached"),
        (1.1, 0, "reached"),
        (1.6, 0, "early"),
        (1.6, 100, "reached"),  # the rule of this test judges its writes
    ],
)
def test_a_steady_state_is_in_doubt_if_the_same_load_is_slower_later(times: float, read_pct: int, key: str) -> None:
    (finding,) = of(times, read_pct)
    assert finding.key == key
    if key == "early":
        because = finding.values["because"]
        assert because.key == "slowed_after"
        assert because.values["times"] == pytest.approx(times, rel=0.1)
        assert because.values["share"] == pytest.approx(1 / times, rel=0.1)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_it_is_said_by_how_much(lang: str) -> None:
    (finding,) = of(1.6)
    assert {"en": "1.6", "ru": "1,6"}[lang] in finding_said(finding, Language(lang))
