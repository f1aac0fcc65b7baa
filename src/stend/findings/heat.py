"""Heat: when a load throttles the drive and what is left of its rate, or where the temperature settles."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from stend.findings import Finding, Sheet, look
from stend.findings.look import Record, grounds
from stend.findings.look.grounds import NEAR_C, limit_c
from stend.findings.look.heat import HEATING, slow, temperatures
from stend.findings.look.moments import Moment, began, ended, on_clock
from stend.model import warming
from stend.model.counts import added
from stend.model.definition import Hold
from stend.model.record import Run

READS = HEATING[1]
TESTS = ("heat",)
DISTURBED = ("steady", "rising", "silent")
"""Keys whose confidence a disturbance limits; for the others heat is the conclusion itself."""
DISTURBED_BY = (grounds.quiet,)
"""Heat is the subject of this test, not a disturbance of it."""
FALLEN, WARMED_K = 0.9, 5.0
"""Share of the first rate below which a drive has slowed down, and kelvin by which it became warmer meanwhile."""
CEILING_K, KEPT_K = 2.0, 6.0
"""Kelvin below the highest temperature at which a rate falls that heat limits, and kelvin that it then varies by. A
choice of stend. Controllers that switch between two clocks let the temperature swing by some kelvin.
"""
NEAR_S = 1.0
"""Telemetry is read up to about this long after the end of a round."""
LONG_S = 300.0
"""Seconds that show whether a temperature settles: a drive in a housing warms up for minutes. A choice of stend."""
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
    last = (end[0], end[1] + NEAR_S)
    degrees = [c for moment, c in temperatures(run) if begin < moment <= last and moment[0] == end[0]][: len(records)]
    slowed = [
        (max(before, begin), now)
        for (before, _), (now, seen) in slow(run)
        if begin < now and before < end and (seen.values.get("throttled") or not _loaded(run, before, begin))
    ]
    spans = [(on_clock(run, records, before), on_clock(run, records, now)) for before, now in slowed]
    return Course(records, tuple(degrees), spans[0] if spans else None)


def _loaded(run: Run, before: Moment, begin: Moment) -> bool:
    """Return whether another load ended between a reading and the begin of a load, which a counter may have counted."""
    return any(isinstance(r.step, Hold) and before < ended(run, r) <= begin for r in run.results)


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """Yield one finding for the writes and one for the reads, and the label of the run, which names the cooling."""
    for test in look.tests(run, *TESTS):
        made = {phase: held for phase in HEATING if (held := course(run, test.name, phase))}
        hot = _limited(run, made)
        for phase, held in made.items():
            found = _of(test.name, phase, held)
            likely = found.key == "fell" and phase in hot
            yield msgspec.structs.replace(found, key="likely", confidence="medium") if likely else found
        if label := run.started[0].label:
            yield Finding(key="label", test=test.name, values={"label": label})


def _limited(run: Run, made: Mapping[str, Course]) -> set[str]:
    """Return the phases whose rate heat likely limits, although the drive does not report it.

    The rate of the reads falls for the rest of the load while the drive is at the highest temperature that it reaches,
    a hot one. The end of a cache of writes looks like that too, so that writes count only if reads fall at the same
    temperature.
    """
    tops = {phase: top for phase, held in made.items() if (top := _ceiling(held)) and top >= limit_c(run) - NEAR_C}
    if READS not in tops:
        return set()
    return {phase for phase, top in tops.items() if abs(top - tops[READS]) <= CEILING_K}


def _ceiling(made: Course) -> float | None:
    """Return the highest temperature if the rate fell there for the rest of the load and the drive stayed that hot."""
    rates = [record.counts.bytes_per_s for record in made.records]
    fell = next((n for n, rate in enumerate(rates) if rate < FALLEN * rates[0]), None)
    if fell is None or fell + FIRST >= len(rates) or len(made.degrees) <= fell:
        return None
    top, around = max(made.degrees), made.degrees[max(fell - 1, 0) : fell + 1]
    stays = min(made.degrees[fell:]) >= top - KEPT_K
    lasts = _rate(made.records[fell:]) < FALLEN * rates[0]
    return top if stays and lasts and max(around) >= top - CEILING_K else None


def _of(test: str, phase: str, made: Course) -> Finding:
    records, degrees = made.records, made.degrees
    first, last = _rate(records[:FIRST]), _rate(records[-FIRST:])
    values: dict[str, Any] = {"phase": phase, "minutes_s": records[-1].end_s, "rate": last, "first": first}
    if made.slow_s is not None:
        values |= _throttled(made)
        key = "throttled_first" if values["share"] < FALLEN else "throttled_throughout"
        key = "throttled" if values["from_s"] >= records[0].end_s - NEAR_S else key
        return Finding(key=key, test=test, values=values, side="con")
    if not degrees:
        return Finding(key="silent", test=test, values=values, confidence="can't tell")
    values |= {"start": degrees[0], "top": max(degrees)}
    if last < FALLEN * first and max(degrees) - degrees[0] >= WARMED_K:
        values |= {"share": last / first}
        return Finding(key="fell", test=test, values=values, confidence="low", side="con")
    steady_s = records[-1].end_s - records[-warming.STEADY_ROUNDS :][0].start_s
    if steady_s < LONG_S:
        return Finding(key="brief", test=test, values=values, confidence="can't tell")
    if warming.steady(degrees):
        place = next(n for n, c in enumerate(degrees) if abs(c - degrees[-1]) <= warming.STEADY_K)
        values |= {"level": degrees[-1], "after_s": records[min(place, len(records) - 1)].end_s, "last_s": steady_s}
        return Finding(key="steady", test=test, values=values, side="pro")
    return Finding(key="rising", test=test, values=values, confidence="low")


def _throttled(made: Course) -> dict[str, Any]:
    """Return the time and the bytes before throttling began, and the rates before it and since.

    It began where the drive reports it, or in an earlier record that was slower than the first one. If it began within
    the first record, the bytes and the share are upper bounds, and the rate before it is a lower bound.
    """
    from_s, to_s = made.slow_s or (0.0, 0.0)
    slower = (r for r in made.records if r.counts.bytes_per_s < FALLEN * made.records[0].counts.bytes_per_s)
    if (fell := next(slower, None)) and fell.start_s < from_s:  # a flag is read only once a minute
        from_s, to_s = fell.start_s, fell.end_s
    before = [record for record in made.records if record.end_s <= from_s + NEAR_S] or list(made.records[:1])
    since = [record for record in made.records if record.start_s >= to_s] or list(made.records[-1:])
    done = sum(record.counts.read.bytes + record.counts.write.bytes for record in before)
    was, now = _rate(before), _rate(since)
    top = max(made.degrees, default=None)
    return {"top": top, "from_s": from_s, "to_s": to_s, "moved": done, "was": was, "now": now, "share": now / was}


def _rate(records: Sequence[Record]) -> float:
    return added(record.counts for record in records).bytes_per_s
