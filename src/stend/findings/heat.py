"""Heat: when a load throttles the drive and what is left of its rate, or where the temperature settles."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from stend.findings import Finding, Sheet, look
from stend.findings.look import Record
from stend.findings.look.heat import HEATING, slow, temperatures
from stend.findings.look.moments import began, ended, on_clock
from stend.model import warming
from stend.model.counts import added
from stend.model.record import Run

NAME = "heat"
TESTS = ("heat",)
DISTURBED = ("steady", "rising", "silent")
"""Keys whose confidence a disturbance limits; for the others heat is the conclusion itself."""
FALLEN, WARMED_K = 0.9, 5.0
"""Share of the first rate below which a drive has slowed down, and kelvin by which it became warmer meanwhile."""
NEAR_S = 1.0
"""Telemetry is read up to about this long after the end of a round."""
FIRST = 3
"""Records whose rate is the first one, and the last one."""


class Course(NamedTuple):
    """The records of a load, the temperature after each round, and (from, to) in seconds in which throttling began.

    `slow_s` is None without throttling. Its times are those of the telemetry around the begin.
    """

    records: Sequence[Record]
    degrees: tuple[float, ...]
    slow_s: tuple[float, float] | None


def course(run: Run, test: str, phase: str) -> Course | None:
    """Return the course of a load, or None if it has no record."""
    records = look.records(run, test, phase)
    if not records:
        return None
    begin, end = began(run, records[0].result), ended(run, records[-1].result)
    degrees = [c for moment, c in temperatures(run) if begin < moment and moment[0] == end[0]][: len(records)]
    slowed = [(max(before, begin), now) for (before, _), (now, _) in slow(run) if begin < now and before < end]
    spans = [(on_clock(run, records, before), on_clock(run, records, now)) for before, now in slowed]
    return Course(records, tuple(degrees), spans[0] if spans else None)


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """Yield one finding for the writes and one for the reads."""
    for test in look.tests(run, *TESTS):
        for phase in HEATING:
            if made := course(run, test.name, phase):
                yield _of(test.name, phase, made)


def _of(test: str, phase: str, made: Course) -> Finding:
    records, degrees = made.records, made.degrees
    first, last = _rate(records[:FIRST]), _rate(records[-FIRST:])
    values: dict[str, Any] = {"phase": phase, "minutes_s": records[-1].end_s, "rate": last, "first": first}
    if made.slow_s is not None:
        return Finding(name=NAME, key="throttled", test=test, values=_throttled(made, values), side="con")
    if not degrees:
        return Finding(name=NAME, key="silent", test=test, values=values, confidence="can't tell")
    values |= {"start": degrees[0], "top": max(degrees)}
    if last < FALLEN * first and max(degrees) - degrees[0] >= WARMED_K:
        values |= {"share": last / first}
        return Finding(name=NAME, key="fell", test=test, values=values, confidence="low", side="con")
    if warming.steady(degrees):
        place = next(n for n, c in enumerate(degrees) if abs(c - degrees[-1]) <= warming.STEADY_K)
        values |= {"level": degrees[-1], "after_s": records[min(place, len(records) - 1)].end_s}
        return Finding(name=NAME, key="steady", test=test, values=values, side="pro")
    return Finding(name=NAME, key="rising", test=test, values=values, confidence="low")


def _throttled(made: Course, values: dict[str, Any]) -> dict[str, Any]:
    """Return the time and the bytes before throttling began, and the rates before it and since.

    It began where the drive reports it, or in an earlier record that was slower than the first one.
    """
    from_s, to_s = made.slow_s or (0.0, 0.0)
    slower = (r for r in made.records if r.counts.bytes_per_s < FALLEN * made.records[0].counts.bytes_per_s)
    if (fell := next(slower, None)) and fell.start_s < from_s:  # a flag is read only once a minute
        from_s, to_s = fell.start_s, fell.end_s
    before = [record for record in made.records if record.end_s <= from_s + NEAR_S] or list(made.records[:1])
    since = [record for record in made.records if record.start_s >= to_s] or list(made.records[-1:])
    done = sum(record.counts.read.bytes + record.counts.write.bytes for record in before)
    was, now = _rate(before), _rate(since)
    top = {"top": max(made.degrees)} if made.degrees else {"top": None}
    return values | top | {"from_s": from_s, "to_s": to_s, "moved": done, "was": was, "now": now, "share": now / was}


def _rate(records: Sequence[Record]) -> float:
    return added(record.counts for record in records).bytes_per_s
