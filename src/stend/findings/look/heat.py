"""Thermal throttling and temperature of a drive, on the clock of the records of a phase."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from stend.findings.look import Record
from stend.findings.look.moments import Moment, began, ended, looks
from stend.findings.look.once import once
from stend.model.events import Telemetry
from stend.model.record import Run
from stend.model.warming import celsius, growth, slowed

HEATING = ("heat-writes", "heat-reads")
"""Phases of the heat test that heat the drive."""
COUNTER = "throttle_s"
"""Seconds of throttling by the drive's own counter (NVMe SMART log, Thermal Management Temperature 1 and 2)."""


def throttled(run: Run, records: Sequence[Record]) -> list[tuple[float, float]]:
    """Return [(from, to)] in seconds from the start of the phase. Precision depends on how often telemetry was read."""
    spans = list[tuple[float, float]]()
    for span, _ in _pieces(run, records):
        if spans and abs(span[0] - spans[-1][1]) < 1:  # the next phase starts at 0 again
            spans[-1] = (spans[-1][0], span[1])
        else:
            spans.append(span)
    return spans


def throttled_s(run: Run, records: Sequence[Record]) -> float:
    """Return the most seconds of the records in which the drive throttled: by its own counter where that moved."""
    between = dict[int, float]()
    for (first, last), stretch in _pieces(run, records):
        between[stretch] = between.get(stretch, 0.0) + last - first
    counted = [growth(before.values, now.values, COUNTER) for (_, before), (_, now) in slow(run)]
    return sum(min(seconds, counted[stretch] or seconds) for stretch, seconds in between.items())


def _pieces(run: Run, records: Sequence[Record]) -> Iterator[tuple[tuple[float, float], int]]:
    """Yield (from, to) of each part of a record between readings of `slow`, with the number of that pair."""
    stretches = slow(run)
    for record in records if stretches else ():
        begin, end = began(run, record.result), ended(run, record.result)
        shift = record.start_s - begin[1]
        for number, (before, now) in enumerate(stretches):
            first, last = max(before[0], begin), min(now[0], end)
            if first < last:
                yield (max(first[1] + shift, record.start_s), min(last[1] + shift, record.end_s)), number


@once
def slow(run: Run) -> tuple[tuple[tuple[Moment, Telemetry], tuple[Moment, Telemetry]], ...]:
    """Return neighbouring telemetry readings on one clock between which the drive slowed itself down."""
    same = ((a, b) for a, b in pairwise(looks(run)) if a[0][0] == b[0][0])
    return tuple((before, now) for before, now in same if slowed(before[1], now[1]))


@once
def temperatures(run: Run) -> tuple[tuple[Moment, float], ...]:
    """Return the highest plausible temperature of each reading that has one, in °C, with its moment."""
    return tuple((moment, c) for moment, look in looks(run) if (c := celsius(look)) is not None)


def warmest(run: Run) -> float | None:
    """Return the highest plausible temperature of the whole run in °C, or None if no sensor gave one."""
    return max((c for _, c in temperatures(run)), default=None)


def hottest(run: Run, records: Sequence[Record]) -> float | None:
    """Return the highest temperature in °C from the reading before the records to the one after, or None if unknown."""
    if not records:
        return None
    readings = temperatures(run)
    begin, end = began(run, records[0].result), ended(run, records[-1].result)
    first = max((moment for moment, _ in readings if moment <= begin), default=begin)
    last = min((moment for moment, _ in readings if moment >= end), default=end)
    return max((c for moment, c in readings if first <= moment <= last), default=None)


def hot_from(run: Run, records: Sequence[Record], limit: float) -> Moment | None:
    """Return the moment of the last reading before a temperature `limit` was reached during these records, or None."""
    readings = temperatures(run)
    begin, end = began(run, records[0].result), ended(run, records[-1].result)
    for place, (moment, c) in enumerate(readings):
        before = readings[place - 1][0] if place else moment
        after = readings[place + 1][0] if place + 1 < len(readings) else moment
        if c >= limit and before < end and after > begin:
            return before
    return None
