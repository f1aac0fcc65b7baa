"""When a drive slowed itself down for heat and how warm it was, on the clock of the records of a phase."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from stend.findings.look import Record
from stend.findings.look.moments import Moment, began, ended, looks
from stend.findings.look.once import once
from stend.model.events import Telemetry
from stend.model.record import Run
from stend.runner.telemetry import slowed

COLDEST_C, HOTTEST_C = -40.0, 150.0
"""No drive works at or beyond these temperatures, and exactly 0 is what a sensor without a value gives."""
SENSORS, NO_SENSOR = ("temperature", "sensor"), ("_min", "_s", "_events")
"""How the names of values begin that are temperatures, and how those end that count time or events instead."""


def throttled(run: Run, records: Sequence[Record]) -> list[tuple[float, float]]:
    """[(from, to)] in seconds from the start of the phase; as exact as the drive was asked often."""
    found: list[tuple[float, float]] = []
    for record in records:
        begin, end = began(run, record.result), ended(run, record.result)
        shift = record.start_s - begin[1]
        for before, now in slow(run):
            first, last = max(before[0], begin), min(now[0], end)
            if first >= last:
                continue
            span = (max(first[1] + shift, record.start_s), min(last[1] + shift, record.end_s))
            if found and span[0] - found[-1][1] < 1:
                found[-1] = (found[-1][0], span[1])
            else:
                found.append(span)
    return found


@once
def slow(run: Run) -> tuple[tuple[tuple[Moment, Telemetry], tuple[Moment, Telemetry]], ...]:
    """Neighbouring looks at the drive, on one clock, between which it slowed itself down."""
    same = ((a, b) for a, b in pairwise(looks(run)) if a[0][0] == b[0][0])
    return tuple((before, now) for before, now in same if slowed(before[1], now[1]))


def celsius(look: Telemetry) -> float | None:
    """Return the highest temperature of all sensors of one look that can be one; None if there is none."""
    told = (value for name, value in look.values.items() if name.startswith(SENSORS) and not name.endswith(NO_SENSOR))
    return max((c for value in told for c in _possible(value)), default=None)


def _possible(value: Any) -> Sequence[float]:
    """Numbers of a value, one or a list of them, that a working drive can have."""
    every = value if isinstance(value, list | tuple) else [value]
    numbers = [float(c) for c in every if isinstance(c, int | float) and not isinstance(c, bool)]
    return [c for c in numbers if COLDEST_C < c < HOTTEST_C and c != 0]


def warmest(run: Run) -> float | None:
    """Return the highest temperature of the whole run; None if no sensor gave one that can be."""
    return max((c for _, look in looks(run) if (c := celsius(look)) is not None), default=None)


def hottest(run: Run, records: Sequence[Record]) -> float | None:
    """Return the highest temperature from the look before the records to the look after them; None if none was told."""
    if not records:
        return None
    told = [(moment, c) for moment, look in looks(run) if (c := celsius(look)) is not None]
    begin, end = began(run, records[0].result), ended(run, records[-1].result)
    first = max((moment for moment, _ in told if moment <= begin), default=begin)
    last = min((moment for moment, _ in told if moment >= end), default=end)
    return max((c for moment, c in told if first <= moment <= last), default=None)


def hot_from(run: Run, records: Sequence[Record], limit: float) -> Moment | None:
    """Return the last look before the drive was at a temperature or beyond it while these records ran; None if
    never."""
    told = [(moment, c) for moment, look in looks(run) if (c := celsius(look)) is not None]
    begin, end = began(run, records[0].result), ended(run, records[-1].result)
    for place, (moment, c) in enumerate(told):
        before = told[place - 1][0] if place else moment
        after = told[place + 1][0] if place + 1 < len(told) else moment
        if c >= limit and before < end and after > begin:
            return before
    return None
