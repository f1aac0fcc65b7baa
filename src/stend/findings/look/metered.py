"""Watts beside the load, from the readings of meters: means, energy, gaps, and the offset of the meter's clock.

A value is stated only if readings cover at least `COVERED` of its time, and if those that lie within it cover at least
`INSIDE` of it. A reading across the start or the end of a load mixes two loads and is left out of the mean. The offset
is that at which the readings fit the begins and ends of the loads best.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from stend.findings.look.levels import Array
from stend.findings.look.once import once
from stend.model.definition import Hold, Idle
from stend.model.events import MeterFacts, Result
from stend.model.quantities import READINGS
from stend.model.record import Run

WATTS = "watts"
COVERED = 0.9
"""Least share of a time that readings must cover before a mean of it is stated."""
INSIDE = 0.5
"""Least share of a time that readings wholly within it must cover."""
REACH_S = 2.0
"""Largest offset of a clock that is looked for."""
STEPS_S = (0.1, 0.02, 0.004, 0.001)
"""Steps of the search, each around the best offset of the step before it."""
SEEN, EDGES = 100, 30
"""Edges at each end of a run that are looked at, and the most of them that are used."""
SIGMAS, LEVELS = 2.0, 2
"""Standard deviations of the interval of an offset, and the levels that are fitted at each edge."""
MOMENT_S = 0.2
"""Shorter period of a meter below which its values count as means: a wrong guess is off by half of it at most."""
FAR_S = 0.128
"""First step away from the best offset in the search for the ends of its interval; then halves."""
LONG = 2
"""Loads on both sides of an edge have at least this many readings."""
NEAR = 20
"""Most readings on each side of an edge that are compared, because the power of a load may drift."""
ROUNDING = 1e-9
"""Share of the squares of readings that rounding may leave."""
REST = 1e-6
"""Least mean square of the share of rests in readings at which their level is fitted."""
SLACK = 1e-3
"""Part of a time by which a reading within it may reach beyond its ends, if most of the reading is within it."""
CLEAR, NOISE = 0.2, 60.0
"""An offset is clear if others leave this share more squares; with few readings noise alone may do so (`NOISE` / n)."""


class Level(NamedTuple):
    """Mean and highest value of a time of `seconds`, of which readings cover a share.

    `whole` is True if the meter includes the whole machine, whose watts are not the drive's.
    """

    mean: float
    most: float
    seconds: float
    covered: float
    whole: bool = False


class Offset(NamedTuple):
    """How late the readings are, in seconds, at the start and at the end of a stretch, and the edges that show it.

    `from_s` and `to_s` are the moments of the stretch to which the two offsets belong. `error_s` is the half width of
    the interval that the readings allow, the wider one of the two.
    """

    start_s: float
    end_s: float
    edges: int
    from_s: float
    to_s: float
    error_s: float = 0.0

    def at(self, moment_s: float) -> float:
        """Return the offset at a moment, between those of start and end."""
        share = (moment_s - self.from_s) / max(self.to_s - self.from_s, 1e-9)
        return self.start_s + (self.end_s - self.start_s) * min(max(share, 0.0), 1.0)


class Fit(NamedTuple):
    """The offset that fits best, the half width of the interval that fits as well, and the squares left."""

    best_s: float
    error_s: float
    squares: float


class Edge(NamedTuple):
    """The end of a load and the start of the next one, and the times around it whose readings show it."""

    low_s: float
    end_s: float
    start_s: float
    high_s: float


class Gap(NamedTuple):
    """A time without readings within a stretch, in seconds on its clock."""

    stretch: int
    begin_s: float
    end_s: float


def meter(run: Run, quantity: str = WATTS) -> MeterFacts | None:
    """Return the meter of a quantity, or None if the run has none."""
    return next((m for started in run.started for m in started.meters if m.quantity == quantity), None)


def level(run: Run, results: Sequence[Result], quantity: str = WATTS) -> Level | None:
    """Return a quantity over all of the results, rests included, or None if too little of their time is covered."""
    if not len(run.readings):
        return None
    parts = [between(run, *span(run, result), quantity) for result in results]
    seconds, covered = sum(p.seconds for p in parts), sum(p.seconds * p.covered for p in parts)
    if not seconds or covered < COVERED * seconds:
        return None
    mean = sum(p.mean * p.seconds * p.covered for p in parts) / covered
    facts = meter(run, quantity)
    whole = facts is not None and facts.scope == "machine"
    return Level(mean, max(p.most for p in parts), seconds, covered / seconds, whole)


def levels(run: Run, results: Sequence[Result]) -> dict[str, Level]:
    """Return the level of each quantity that a meter read; without those that are covered too little."""
    every = ((name, level(run, results, name)) for name in READINGS)
    return {name: value for name, value in every if value}


def span(run: Run, result: Result) -> tuple[int, float, float]:
    """Return the stretch of a result, and begin and end of its load or rest on the clock of the stretch."""
    seconds = result.counts.seconds
    if isinstance(result.step, Idle):
        seconds = result.step.seconds
    return run.stretch_of.get((result.where, result.index), 0), max(result.t - seconds, 0.0), result.t


def between(run: Run, stretch: int, begin: float, end: float, quantity: str = WATTS) -> Level:
    """Return a quantity between two moments of a stretch, after the meter's clock was aligned. `covered` may be 0."""
    late = offset(run, stretch, quantity)
    moved = _moved(begin, end, late)
    return _mean(run.readings.table(quantity, stretch, *moved), *moved)


@once
def offset(run: Run, stretch: int = 0, quantity: str = WATTS) -> Offset | None:
    """Return how late a meter's readings are in a stretch, or None if no edge of the loads shows clearly.

    The drive's own report has no other clock: its values end when the drive is queried.
    """
    rows, facts = run.readings.table(quantity, stretch), meter(run, quantity)
    if len(rows) < 2 * LONG or not facts or facts.of_drive:
        return None
    edges = list(_edges(run, stretch, float(np.median(rows[:, 1]))))
    if not edges:
        return None
    many = min(max(len(edges) // 2, EDGES), SEEN)
    first, last = _steepest(rows, edges[:many]), _steepest(rows, edges[-many:])
    start = _late(rows, first)
    end = start if first == last else _late(rows, last)
    if start is None or end is None:
        return None
    error_s = max(start.error_s, end.error_s)
    return Offset(start.best_s, end.best_s, len({*first, *last}), _middle(first), _middle(last), error_s)


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


def _moved(begin: float, end: float, late: Offset | None) -> tuple[float, float]:
    moved = late.at((begin + end) / 2) if late else 0.0
    return begin + moved, end + moved


def _mean(rows: Array, begin: float, end: float) -> Level:
    shares = np.minimum(rows[:, 0], end) - np.maximum(rows[:, 0] - rows[:, 1], begin)
    seconds = max(end - begin, 0.0)
    inside = rows[shares > np.maximum(rows[:, 1] - SLACK * seconds, rows[:, 1] / 2)]
    held = float(inside[:, 1].sum())
    if not held or held < INSIDE * seconds:
        return Level(0.0, 0.0, seconds, 0.0)
    covered = min(float(shares[shares > 0].sum()) / seconds, 1.0)
    return Level(float(inside[:, 2] @ inside[:, 1]) / held, float(inside[:, 3].max()), seconds, covered)


def _middle(edges: Sequence[Edge]) -> float:
    return sum((edge.end_s + edge.start_s) / 2 for edge in edges) / len(edges)


def _edges(run: Run, stretch: int, period_s: float) -> Iterator[Edge]:
    """Yield the edges between loads and rests that follow each other and last long enough."""
    spans = [span(run, r) for r in run.results if isinstance(r.step, Hold | Idle)]
    spans = [s for s in spans if s[0] == stretch]
    near = REACH_S + NEAR * period_s
    for (_, begin, end), (_, start, until) in pairwise(spans):
        before, after = end - begin, until - start
        low = max(begin + min(REACH_S, before / 4), end - near)
        high = min(until - min(REACH_S, after / 4), start + near)
        if min(end - low, high - start) >= LONG * period_s:
            yield Edge(low, end, start, high)


def _steepest(rows: Array, edges: Sequence[Edge]) -> list[Edge]:
    """Return the edges around which the readings differ most, in order."""
    spread = [float(np.ptp(part[:, 2])) if len(part := _near(rows, edge)) else 0.0 for edge in edges]
    return [edges[n] for n in sorted(np.argsort(spread)[::-1][:EDGES].tolist())]


def _near(rows: Array, edge: Edge) -> Array:
    first, last = np.searchsorted(rows[:, 0], [edge.low_s, edge.high_s], side="right")
    part = rows[first:last]
    return part[part[:, 0] - part[:, 1] >= edge.low_s]


def _late(rows: Array, edges: Sequence[Edge]) -> Fit | None:
    """Return the offset at which constant levels of the loads and one of all rests between them fit best.

    The readings are means of the time before them or values of a moment, whichever fits better. A value of a moment
    stands for the time around it, and its offset is that of the middle. The result is None if other offsets fit nearly
    as well.
    """
    parts = [_near(rows, edge) for edge in edges]
    means = _fit(parts, edges, momentary=False)
    period_s = float(np.median(rows[:, 1]))
    moments = _fit(parts, edges, momentary=True) if period_s >= MOMENT_S else None
    if means is None or moments is None or means.squares <= moments.squares:
        return means
    return moments._replace(best_s=moments.best_s - period_s / 2)


def _fit(parts: Sequence[Array], edges: Sequence[Edge], *, momentary: bool) -> Fit | None:
    count, least = sum(map(len, parts)), ROUNDING * sum(float(part[:, 2] @ part[:, 2]) for part in parts)
    best, reach = 0.0, REACH_S
    for step in STEPS_S:
        moves = best + np.arange(-reach, reach + step / 2, step)
        left = np.array([_left(parts, edges, move, momentary=momentary) for move in moves])
        best = float(moves[int(left.argmin())])
        more = float(np.median(left) - left.min())
        if reach == REACH_S and more <= max(CLEAR, NOISE / max(count, 1)) * float(left.min()) + least:
            return None
        reach = 2 * step
    bound = float(left.min()) * (1 + SIGMAS**2 / max(count - LEVELS * len(edges), 1)) + least
    low, high = (_bound(parts, edges, best, way, bound, momentary=momentary) for way in (-1, 1))
    return Fit((low + high) / 2 if momentary else best, (high - low) / 2, float(left.min()))


def _bound(
    parts: Sequence[Array], edges: Sequence[Edge], best: float, way: int, bound: float, *, momentary: bool
) -> float:
    """Return the offset farthest from the best one, in one direction, up to which the squares left stay in a bound."""
    far, step = 0.0, FAR_S
    while step >= STEPS_S[-1]:
        reached = far + step
        if reached <= REACH_S and _left(parts, edges, best + way * reached, momentary=momentary) <= bound:
            far = reached
        else:
            step /= 2
    return best + way * far


def _left(parts: Sequence[Array], edges: Sequence[Edge], move: float, *, momentary: bool) -> float:
    """Return the squares that the levels leave of all readings near the edges if these are late by `move`."""
    values, between, count = [], [], 0
    for rows, edge in zip(parts, edges, strict=True):
        width = np.full(len(rows), 1e-9) if momentary else np.maximum(rows[:, 1], 1e-9)
        before = np.clip((edge.end_s + move - rows[:, 0] + width) / width, 0.0, 1.0)
        after = np.clip((rows[:, 0] - edge.start_s - move) / width, 0.0, 1.0)
        pair = np.stack([before, after], axis=1)
        basis = np.linalg.qr(pair)[0] if len(rows) > 1 else pair
        rest = 1.0 - before - after
        values.append(rows[:, 2] - basis @ (basis.T @ rows[:, 2]))
        between.append(rest - basis @ (basis.T @ rest))
        count += len(rows)
    y, x = np.concatenate(values), np.concatenate(between)
    squares = float(x @ x)
    level = max(float(x @ y) / squares, 0.0) if squares > REST * count else 0.0
    return float(np.square(y - level * x).sum())
