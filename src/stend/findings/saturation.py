"""Write saturation: start level, knee, end level; how long and how much writing it takes."""

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any

from stend.definition import PlannedTest
from stend.findings import Confidence, Finding, Sheet, look, side
from stend.findings.look import grounds
from stend.findings.look.curve import LEVEL, Course, course
from stend.findings.look.grounds import Because, Ground
from stend.findings.look.levels import crossing, quieted, smooth
from stend.record import Counts, Run

NAME = "saturation"
FEWEST = 20
MOST = 3000
LEAST_RATIO = 1.25
NEAR = 0.1
MUCH = 3
SMALL_RISE = 0.2
"""Cleaning that has just begun overshoots: a rise is none if it takes back less than this part of the fall."""
QUIET = 0.05
"""How far the pieces in which a knee is looked for may scatter; the noisier, the longer they are."""
BACK = 0.05
"""A level that was left stays left: at most this share of what follows lies above the middle again."""
NEEDS = (grounds.unthrottled,)
LASTS = (grounds.overwritten, grounds.ruled, grounds.cool)
"""What the end needs besides, to be called the level that the drive keeps."""
SAYS = {
    "knee": (
        "Starts at {start:rate} IOPS, leaves that level after {knee_s:time} and {knee_bytes:gib} written, and ends at"
        " {end:rate} IOPS, reached after {settled_s:time}: {ratio:times} less.",
        "Начинает с {start:rate} IOPS, держит этот уровень {knee_s:time} (записано {knee_bytes:gib}) и приходит к"
        " {end:rate} IOPS через {settled_s:time}: в {ratio:times} меньше.",
    ),
    "falling": (
        "Starts at {start:rate} IOPS, leaves that level after {knee_s:time} and {knee_bytes:gib} written; at the end,"
        " {last:rate} IOPS, it was still falling.",
        "Начинает с {start:rate} IOPS, держит этот уровень {knee_s:time} (записано {knee_bytes:gib}); в конце, при"
        " {last:rate} IOPS, скорость ещё падала.",
    ),
    "unsettled": (
        "Starts at {start:rate} IOPS, leaves that level after {knee_s:time} and {knee_bytes:gib} written; last"
        " {last:rate} IOPS. Can't tell whether it stays there, because {because}.",
        "Начинает с {start:rate} IOPS, держит этот уровень {knee_s:time} (записано {knee_bytes:gib}); последние"
        " {last:rate} IOPS. Останется ли он там, сказать нельзя: {because}.",
    ),
    "flat": (
        "No knee: {start:rate} IOPS at the beginning, {end:rate} at the end ({bytes:gib} written, {fills:n} of the"
        " capacity).",
        "Перелома нет: {start:rate} IOPS в начале, {end:rate} в конце (записано {bytes:gib}, {fills:n} ёмкости).",
    ),
    "because": (
        "Can't tell a knee, because {because}; {start:rate} IOPS at the beginning, {last:rate} at the end.",
        "О переломе судить нельзя: {because}; в начале {start:rate} IOPS, в конце {last:rate}.",
    ),
    "short": (
        "Can't tell a knee: {records} {records:plural:sample is|samples are} too few.",
        "О переломе судить нельзя: {records} {records:plural:отсчёта|отсчётов|отсчётов} мало.",
    ),
}


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """One for every saturation."""
    for test in look.tests(run, "write-saturation"):
        yield of_phase(run, test, look.main_phase(run, test))


def of_phase(run: Run, test: PlannedTest, phase: str) -> Finding:
    """What a phase that holds one load from a purge on came to."""
    series = pieces(run, test, phase)
    if len(series) < FEWEST:
        return Finding(name=NAME, key="short", test=test.name, values={"records": len(series)}, confidence="can't tell")
    ground, seen = Ground(run, test, look.records(run, test.name, phase)), course(series)
    values = {"start": seen.first, "end": look.ended(run, test, phase).iops, "last": seen.last}
    why = grounds.unmet(NEEDS, ground) or _rises(seen)
    knee = why or _knee(series, seen)
    if isinstance(knee, Because):
        return _unsure(test, "because", knee, values)
    if knee is None:
        values |= {"bytes": sum(c.write.bytes for c in series), "fills": grounds.capacities(ground)}
        why = grounds.unmet(LASTS, ground) or _hidden(seen)
        if why is None:
            return Finding(name=NAME, key="flat", test=test.name, values=values)
        return _unsure(test, "because", why, values)
    return _fallen(ground, seen, values | knee)


def _fallen(ground: Ground, seen: Course, values: dict[str, Any]) -> Finding:
    """From a first level that was left; is the last one the level that the drive keeps?"""
    test = ground.test
    if seen.moved < -LEVEL or seen.last < seen.end / seen.least:
        return Finding(name=NAME, key="falling", test=test.name, values=values, confidence="medium", side="con")
    why = grounds.unmet(LASTS, ground) or (None if seen.level and values["settled_s"] else _scatter(seen))
    if why:
        return _unsure(test, "unsettled", why, values, "medium")
    return Finding(name=NAME, key="knee", test=test.name, values=values, side=side(con=values["ratio"] > MUCH))


def _unsure(
    test: PlannedTest, key: str, why: Because, values: dict[str, Any], confidence: Confidence = "can't tell"
) -> Finding:
    return Finding(name=NAME, key=key, test=test.name, values=values | {"because": why}, confidence=confidence)


def _rises(seen: Course) -> Because | None:
    """Up and down is no knee, whatever the levels at its ends."""
    if seen.rise <= seen.least or (seen.low and seen.rise < (seen.first / seen.low) ** SMALL_RISE):
        return None
    return Because("rises", {"low": seen.low, "high": seen.high})


def _hidden(seen: Course) -> Because | None:
    """A step that would count must stand out of the noise; and a level that falls is none."""
    if seen.least > LEAST_RATIO:
        return _scatter(seen)
    return Because("falling") if seen.moved < -LEVEL or seen.last < seen.end / seen.least else None


def _scatter(seen: Course) -> Because:
    return Because("noise", {"noise": seen.error})


def _knee(series: Sequence[Counts], seen: Course) -> dict[str, Any] | Because | None:
    """Where the first level ends and the last begins; None without a fall by LEAST_RATIO, why if it comes back."""
    t, done = _sums(series)
    raw = [c.iops for c in series]
    y = smooth(quieted(raw, QUIET))
    end = min(seen.last, seen.end) if seen.last < seen.end / seen.least else seen.end
    top = max(y[: max(len(y) // 2, 5)])
    if top < LEAST_RATIO * end:
        return None
    middle = (top * end) ** 0.5
    down = next(i for i, value in enumerate(y) if value < middle)
    above = [value for value in y[down:] if value > middle]
    if len(above) > BACK * (len(y) - down):
        return Because("rises", {"low": min(y[down:]), "high": max(above)})
    at = crossing(t, y, middle) or 0.0
    start = median([value for when, value in zip(t, raw, strict=True) if when < 0.8 * at] or raw[:1])
    return {
        "start": start,
        "knee_s": crossing(t, y, (1 - NEAR) * start) or 0.0,
        "knee_bytes": crossing(done, y, (1 - NEAR) * start) or 0.0,
        "settled_s": crossing(t, y, (1 + NEAR) * end),
        "ratio": start / end,
    }


def pieces(run: Run, test: PlannedTest, phase: str) -> list[Counts]:
    """A phase in at most `MOST` pieces in order.

    Cleaning comes in bursts: the median of single seconds is no level that a drive keeps.
    """
    series = seconds(run, test, phase)
    each = -(-len(series) // MOST) or 1
    return [sum(series[i : i + each], Counts()) for i in range(0, len(series), each)]


def seconds(run: Run, test: PlannedTest, phase: str) -> list[Counts]:
    """The samples of a phase, about a second each, in order; its records where no samples were kept."""
    records = look.records(run, test.name, phase)
    sampled = [c for record in records for _, c in look.samples(run, record) if c.seconds > 0]
    return sampled if len(sampled) > len(records) else [record.counts for record in records]


def _sums(series: Sequence[Counts]) -> tuple[list[float], list[float]]:
    """Middle of each sample in seconds and bytes from the start."""
    t, done, clock, total = [], [], 0.0, 0.0
    for counts in series:
        t.append(clock + counts.seconds / 2)
        done.append(total + counts.write.bytes / 2)
        clock += counts.seconds
        total += counts.write.bytes
    return t, done
