"""A gap is a time without readings of more than two periods: of the meter, or of its readings if these are longer."""

import pytest
from msgspec.structs import replace

from stend.findings.look import metered
from stend.model.events import Event, MeterFacts, Reading
from stend.model.record import Run
from tests.meter_courses import results


def measured(period_s: float, each_s: float, rests: list[float]) -> Run:
    """A run whose readings cover `each_s`, with a rest after each."""
    begun, _ = results()
    facts = MeterFacts(spec="cmd:fake", name="fake", period_s=period_s)
    told, t = list[Event]([replace(begun, meters=(facts,))]), 0.0
    for rest in [*rests, 0.0]:
        t += each_s
        told.append(Reading(t=t, quantity="watts", value=5.0, seconds=each_s, most=5.0))
        t += rest
    return Run(told)


@pytest.mark.parametrize(("period_s", "each_s"), [(1.0, 1.0), (1.0, 0.25), (0.25, 1.0), (0.125, 4.0)])
def test_a_gap_is_longer_than_two_periods(period_s: float, each_s: float) -> None:
    limit = 2 * max(period_s, each_s)
    rests = [share * limit for share in (0.0, 0.5, 1.0, 1.25, 0.25, 8.0, 0.0)]
    found = metered.gaps(measured(period_s, each_s, rests))
    assert [gap.end_s - gap.begin_s for gap in found] == [1.25 * limit, 8.0 * limit]
    assert [gap.stretch for gap in found] == [0, 0]


def test_without_readings_or_a_meter_there_is_none() -> None:
    run = measured(1.0, 1.0, [9.0])
    assert metered.gaps(run, "temperature") == ()
