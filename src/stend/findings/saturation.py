"""Write saturation: start level, knee, end level; how long and how much writing it takes."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import Any

import numpy as np
import numpy.typing as npt

from stend.definition import PlannedTest
from stend.findings import Confidence, Finding, Sheet, look, side
from stend.findings.look import grounds
from stend.findings.look.curve import LEVEL, Course, course
from stend.findings.look.grounds import Because, Ground
from stend.findings.look.levels import crossing, levels, quiet_width, quieted, scatter, sharp, smooth
from stend.findings.look.once import once
from stend.record import COLUMNS, Counts, Run, Sample, Samples
from stend.tally import Tally

NAME = "saturation"
FEWEST = 20
MOST = 3000
LONGEST = [name.endswith("max_ns") for name in COLUMNS]
"""Columns of which the longest is told, not the sum."""
LEAST_RATIO = 1.25
NEAR = 0.1
SETTLED = ("knee", "noisy", "flat")
"""Keys of a course that ends on a level which the drive keeps."""
MUCH = 3
SMALL_RISE = 0.2
"""Cleaning that has just begun overshoots: a rise is none if it takes back less than this part of the fall."""
QUIET = 0.05
"""How far the pieces in which a knee is looked for may scatter; the noisier, the longer they are."""
BLUR = 0.05
"""A knee is placed where the pieces last no longer than this part of the time before it."""
BACK = 0.05
"""A level that was left stays left: at most this share of what follows lies above the middle again."""
NEEDS = (grounds.unthrottled,)
LASTS = (grounds.overwritten, grounds.ruled, grounds.cool)
"""What the end needs besides, to be called the level that the drive keeps."""


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """One for every saturation."""
    for test in look.tests(run, "write-saturation"):
        yield of_phase(run, test.name, look.main_phase(run, test))


@once
def of_phase(run: Run, name: str, phase: str) -> Finding:
    """What a phase of a test that holds one load from a purge on came to."""
    test = next(t for t in run.plan.tests if t.name == name)
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
    step = seen.new or _stepped(ground)
    if seen.falls and not step:
        return Finding(name=NAME, key="falling", test=test.name, values=values, confidence="medium", side="con")
    why = (
        grounds.unmet(LASTS, ground)
        or _implausible(ground, seen, values)
        or (Because("new") if seen.new or seen.falls else None)
    )
    if why is None and not (seen.level and values["settled_s"]):
        why = _scatter(seen)
    if why:
        return _unsure(test, "unsettled", why, values, "medium")
    speaks = side(con=values["ratio"] > MUCH)
    if values["blur"] > BLUR:
        return Finding(name=NAME, key="noisy", test=test.name, values=values, confidence="medium", side=speaks)
    return Finding(name=NAME, key="knee", test=test.name, values=values, side=speaks)


def _implausible(ground: Ground, seen: Course, values: dict[str, Any]) -> Because | None:
    """A fall after all spare flash must have been used up is not the drive's own; a window may still hold the fall."""
    fills = values["knee_bytes"] / ground.run.plan.device.capacity_bytes
    if fills > grounds.FILLS:
        return Because("late", {"fills": fills})
    apart = abs(values["end"] / seen.end - 1) > LEVEL
    return Because("window", {"window": values["end"], "last": seen.end}) if apart else None


def _stepped(ground: Ground) -> bool:
    """Whether the end holds a sharp step: it does not go down bit by bit."""
    tail = [r.counts.iops for r in look.last_records(ground.run, ground.test, ground.records[-1].result.where.phase)]
    return any(sharp(tail, a, b) for a, b in pairwise(levels(tail)))


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
    return Because("new") if seen.new else Because("drifts") if seen.drifts or seen.falls else None


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
    down = next((i for i, value in enumerate(y) if value < middle), None)
    if down is None:  # the means that quiet it are so wide that no piece of them lies below
        return _scatter(seen)
    above = [value for value in y[down:] if value > middle]
    if len(above) > BACK * (len(y) - down):
        return Because("rises", {"low": min(y[down:]), "high": max(above)})
    at = crossing(t, y, middle) or 0.0
    start = median([value for when, value in zip(t, raw, strict=True) if when < 0.8 * at] or raw[:1])
    near = (1 - NEAR) * start
    left = max((i for i in range(down) if y[i] >= near), default=0)
    return {
        "start": start,
        "knee_s": crossing(t[left:], y[left:], near) or 0.0,
        "knee_bytes": crossing(done[left:], y[left:], near) or 0.0,
        "scatter": scatter(raw),
        "blur": quiet_width(raw, QUIET) / max(left, 1),
        "settled_s": crossing(t, y, (1 + NEAR) * end),
        "ratio": start / end,
    }


def pieces(run: Run, test: PlannedTest, phase: str) -> list[Counts]:
    """A phase in at most `MOST` pieces in order.

    Cleaning comes in bursts: the median of single seconds is no level that a drive keeps.
    """
    told = seconds(run, test.name, phase)
    each = -(-len(told) // MOST) or 1
    begins = np.arange(0, len(told), each)
    if not len(begins):
        return []
    sums, most = np.add.reduceat(told, begins), np.maximum.reduceat(told, begins)
    return [_piece(*row) for row in np.where(LONGEST, most, sums)[:, 1:].tolist()]


@once
def seconds(run: Run, test: str, phase: str) -> npt.NDArray[np.float64]:
    """The samples of a phase as a table (`record.COLUMNS`), about a second each; its records where none were kept."""
    records = look.records(run, test, phase)
    every = [run.tabled(record.result) for record in records]
    sampled = np.concatenate(every) if every else np.empty((0, len(COLUMNS)))
    sampled = sampled[sampled[:, COLUMNS.index("seconds")] > 0]
    if len(sampled) > len(records):
        return sampled
    few = Samples()
    for record in records:
        few.append(Sample(t=record.end_s, counts=record.counts))
    return few.table(0, len(few))


def _piece(seconds: float, cpu_s: float, *sums: float) -> Counts:
    return Counts(seconds, cpu_s, _summed(*sums[: len(sums) // 2]), _summed(*sums[len(sums) // 2 :]))


def _summed(ios: float, done: float, ns: float, ns2: float, max_ns: float) -> Tally:
    return Tally(int(ios), int(done), ns, ns2, max_ns)


def _sums(series: Sequence[Counts]) -> tuple[list[float], list[float]]:
    """Middle of each sample in seconds and bytes from the start."""
    t, done, clock, total = [], [], 0.0, 0.0
    for counts in series:
        t.append(clock + counts.seconds / 2)
        done.append(total + counts.write.bytes / 2)
        clock += counts.seconds
        total += counts.write.bytes
    return t, done
