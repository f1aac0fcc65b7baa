"""Watts beside the load, from the readings of meters: means, energy, gaps, and the offset of the meter's clock.

A value is stated only if readings cover at least `COVERED` of its time. A reading that lies across the begin or the end
of a load counts with its share. The offset is that at which the readings fit the begins and ends of the loads best.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stend.findings.look.once import once
from stend.model.definition import Hold, Idle
from stend.model.events import MeterFacts, Result
from stend.model.record import Run

Array = npt.NDArray[np.float64]
WATTS = "watts"
COVERED = 0.9
"""Least share of a time that readings must cover before a mean of it is stated."""
REACH_S, STEP_S = 2.0, 0.005
"""Largest offset of a clock that is looked for, and the steps of the search."""
EDGES = 20
"""Most edges that are used at each end of a run."""
LONG = 4
"""Loads on both sides of an edge last at least this many readings."""
CLEAR = 4.0
"""A step of the power between two loads is used if it is this many times the scatter of the readings."""


class Level(NamedTuple):
    """Mean and highest value of a time of `seconds`, of which readings cover a share."""

    mean: float
    most: float
    seconds: float
    covered: float


class Offset(NamedTuple):
    """How late the readings are, in seconds, at the start and at the end of a stretch, and the edges that show it."""

    start_s: float
    end_s: float
    edges: int

    @property
    def mean_s(self) -> float:
        """Return the offset that readings are moved by."""
        return (self.start_s + self.end_s) / 2


class Gap(NamedTuple):
    """A time without readings within a stretch, in seconds on its clock."""

    stretch: int
    begin_s: float
    end_s: float


def meter(run: Run, quantity: str = WATTS) -> MeterFacts | None:
    """Return the meter of a quantity; None if the run has none."""
    return next((m for started in run.started for m in started.meters if m.quantity == quantity), None)


def level(run: Run, results: Sequence[Result], quantity: str = WATTS) -> Level | None:
    """Return a quantity over all of the results, rests included; None if too little of their time is covered."""
    if not len(run.readings):
        return None
    parts = [_part(run, result, quantity) for result in results]
    seconds, covered = sum(p.seconds for p in parts), sum(p.seconds * p.covered for p in parts)
    if not seconds or covered < COVERED * seconds:
        return None
    mean = sum(p.mean * p.seconds * p.covered for p in parts) / covered
    return Level(mean, max(p.most for p in parts), seconds, covered / seconds)


def span(run: Run, result: Result) -> tuple[int, float, float]:
    """Return the stretch of a result, and begin and end of its load or rest on the clock of the stretch."""
    seconds = result.counts.seconds
    if isinstance(result.step, Idle):
        seconds = result.step.seconds
    return run.stretch_of.get((result.where, result.index), 0), max(result.t - seconds, 0.0), result.t


def between(run: Run, stretch: int, begin: float, end: float, quantity: str = WATTS) -> Level:
    """Return a quantity between two moments of a stretch, after the meter's clock was aligned; `covered` may be 0."""
    late = offset(run, stretch, quantity)
    return _mean(run.readings.table(quantity, stretch, *_moved(begin, end, late)), *_moved(begin, end, late))


@once
def offset(run: Run, stretch: int = 0, quantity: str = WATTS) -> Offset | None:
    """Return how late a meter's readings are in a stretch; None if no edge of the loads shows clearly."""
    rows = run.readings.table(quantity, stretch)
    if len(rows) < 2 * LONG:
        return None
    edges = [e for e in _edges(run, stretch) if _clear(rows, *e)]
    if not edges:
        return None
    first, last = _late(rows, edges[:EDGES]), _late(rows, edges[-EDGES:])
    return Offset(first, last, len(edges))


@once
def gaps(run: Run, quantity: str = WATTS) -> tuple[Gap, ...]:
    """Return the times of more than two periods of the meter without readings, in order."""
    facts = meter(run, quantity)
    if facts is None:
        return ()
    found = []
    for stretch in range(len(run.started)):
        rows = run.readings.table(quantity, stretch)
        least = 2 * max(facts.period_s, float(np.median(rows[:, 1])) if len(rows) else 0.0)
        ends, begins = rows[:-1, 0], rows[1:, 0] - rows[1:, 1]
        found += [Gap(stretch, a, b) for a, b in zip(ends.tolist(), begins.tolist(), strict=True) if b - a > least]
    return tuple(found)


def _part(run: Run, result: Result, quantity: str) -> Level:
    stretch, begin, end = span(run, result)
    return between(run, stretch, begin, end, quantity)


def _moved(begin: float, end: float, late: Offset | None) -> tuple[float, float]:
    moved = late.mean_s if late else 0.0
    return begin + moved, end + moved


def _mean(rows: Array, begin: float, end: float) -> Level:
    shares = np.minimum(rows[:, 0], end) - np.maximum(rows[:, 0] - rows[:, 1], begin)
    rows, shares = rows[shares > 0], shares[shares > 0]
    if not len(rows) or end <= begin:
        return Level(0.0, 0.0, max(end - begin, 0.0), 0.0)
    inside = rows[rows[:, 0] - rows[:, 1] >= begin]
    inside = inside[inside[:, 0] <= end]
    most = float((inside if len(inside) else rows)[:, 3].max())
    covered = min(float(shares.sum()) / (end - begin), 1.0)
    return Level(float(rows[:, 2] @ shares / shares.sum()), most, end - begin, covered)


def _edges(run: Run, stretch: int) -> Iterator[tuple[float, float, float]]:
    """Yield (begin of the load before, edge, end of the load after) of loads and rests that follow each other."""
    spans = [span(run, r) for r in run.results if isinstance(r.step, Hold | Idle)]
    spans = [s for s in spans if s[0] == stretch]
    for (_, begin, edge), (_, start, end) in pairwise(spans):
        yield begin, (edge + start) / 2, end


def _clear(rows: Array, begin: float, edge: float, end: float) -> bool:
    """Return True if the power steps clearly at an edge, far enough from it that an offset does not matter."""
    before = rows[(rows[:, 0] - rows[:, 1] > begin + REACH_S) & (rows[:, 0] < edge - REACH_S)]
    after = rows[(rows[:, 0] - rows[:, 1] > edge + REACH_S) & (rows[:, 0] < end - REACH_S)]
    if min(len(before), len(after)) < LONG:
        return False
    scatter = max(float(before[:, 2].std()), float(after[:, 2].std()))
    step = abs(float(after[:, 2].mean() - before[:, 2].mean()))
    return step > CLEAR * scatter and step > 0


def _late(rows: Array, edges: Sequence[tuple[float, float, float]]) -> float:
    """Return the offset at which two levels on both sides of each edge fit the readings best (least squares)."""
    moves = np.arange(-REACH_S, REACH_S + STEP_S / 2, STEP_S)
    total = np.zeros(len(moves))
    for begin, edge, end in edges:
        near = 2 * REACH_S + LONG * float(np.median(rows[:, 1]))
        low, high = max(begin + REACH_S, edge - near), min(end - REACH_S, edge + near)
        part = rows[(rows[:, 0] - rows[:, 1] > low) & (rows[:, 0] < high)]
        width = np.maximum(part[:, 1], 1e-9)
        after = np.clip((part[None, :, 0] - (edge + moves[:, None])) / width[None, :], 0.0, 1.0)
        total += _residual(part[:, 2], after)
    return float(moves[int(total.argmin())])


def _residual(values: Array, after: Array) -> Array:
    """Return the squares that two levels leave, by move, as a share of the variance; `after` are shares [moves, n]."""
    mean = after.mean(axis=1, keepdims=True)
    x, y = after - mean, values - values.mean()
    slope = (x @ y) / np.maximum((x * x).sum(axis=1), 1e-12)
    left: Array = ((y[None, :] - slope[:, None] * x) ** 2).sum(axis=1) / max(float(y @ y), 1e-12)
    return left
