"""Course of a long hold of one load: its start and end, whether it rises again, whether its end is level."""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from statistics import median
from typing import NamedTuple

import numpy as np

from stend.findings.look.levels import noise
from stend.model.counts import Counts

BLOCKS = (40, 20, 10)
"""Number of stretches that a course is cut into, fewer if it is noisy: bursts shorter than one are part of its
level."""
CLEAR = 1.25
"""A step of this ratio between two stretches should stand out of the noise."""
END = 0.2
"""The end of a course is its last fifth."""
STEP = 1.12
"""Two levels closer than this ratio are one level."""
SURE = 6.0
"""A difference between two stretches exceeds the noise by this many standard errors."""
LEVEL, DRIFT = 0.05, 0.03
"""An end that moves by no more than this is level; a whole course that moves by no more is flat."""
SIGMAS = 3.0
"""A trend exceeds the noise by this many standard errors."""


class Course(NamedTuple):
    """Levels of a course in IOPS, and how it moves at its end.

    `low` and `high` are the ends of the greatest rise. `rise` is 1 if the course never rises. `error` is the relative
    standard error of one stretch. `moved` is the relative change of a line through the end, `wobble` its error.
    `spread` is the range of the stretches of the second half, as a share of their mean. `swings` is the error of
    `moved` by the distances of the stretches from the line.
    """

    first: float
    end: float
    last: float
    low: float
    high: float
    error: float
    moved: float
    wobble: float
    spread: float
    swings: float

    @property
    def rise(self) -> float:
        """Return the ratio of the greatest rise: a later level over the lowest one before it."""
        return self.high / self.low if self.low else np.inf

    @property
    def least(self) -> float:
        """Return the smallest ratio of two stretches that is not noise."""
        return max(STEP, 1 + SURE * self.error)

    @property
    def falls(self) -> bool:
        """Return whether the end surely still declines.

        Samples that alternate scatter more than their sums: an uneven course declines if its end is close to a line.
        """
        return self.moved < -(LEVEL + SIGMAS * (self.wobble if self.even else min(self.wobble, self.swings)))

    @property
    def climbs(self) -> bool:
        """Return whether the end surely still rises, along a line."""
        return self.moved > LEVEL + SIGMAS * max(self.wobble, self.swings)

    @property
    def new(self) -> bool:
        """Return whether the last stretch is at another level than the end. Whether that level stays is unknown."""
        return max(self.last, self.end) > self.least * min(self.last, self.end)

    @property
    def even(self) -> bool:
        """Return whether the second half surely has one rate: neither swings nor a drift stand out of its noise."""
        return self.spread <= LEVEL + SURE * self.error

    @property
    def drifts(self) -> bool:
        """Return whether the start and the end surely differ."""
        return abs(self.first / self.end - 1) > max(DRIFT, SIGMAS * self.error)

    @property
    def level(self) -> bool:
        """Return whether the end is surely level: no trend, no step in the last stretch, little noise."""
        return abs(self.moved) + self.wobble <= 3 * LEVEL and not self.new


def course(pieces: Sequence[Counts]) -> Course:
    """Return the course of a phase from at least twenty pieces of about equal length."""
    every = (_course(pieces, blocks) for blocks in BLOCKS)
    return next((shape for shape in every if shape.least <= CLEAR), _course(pieces, BLOCKS[-1]))


def _course(pieces: Sequence[Counts], blocks: int) -> Course:
    ends = np.cumsum([piece.seconds for piece in pieces])
    borders = np.unique(np.searchsorted(ends, np.linspace(0, ends[-1], blocks + 1) * (1 - 1e-12), side="right"))
    parts = [pieces[a:b] for a, b in pairwise([0, *borders[1:-1].tolist(), len(pieces)]) if b > a]
    rates = np.array([sum(c.ios for c in part) / sum(c.seconds for c in part) for part in parts])
    error = _error(parts, rates.tolist())
    lows = list(accumulate(rates, min))
    top = max(range(len(rates)), key=lambda i: rates[i] / lows[i] if lows[i] else np.inf)
    tail = rates[-max(round(len(rates) * END), 3) :]
    steps = np.arange(len(tail)) - (len(tail) - 1) / 2
    slope, end = float(np.polyfit(steps, tail, 1)[0]), float(tail.mean())
    moved = slope * len(tail) / end if end else 0.0
    of_line = len(tail) / float(np.sqrt(np.sum(steps**2)))
    wobble, swings = error * of_line, float(np.std(tail - end - slope * steps)) / (end or 1.0) * of_line
    half = rates[len(rates) // 2 :]
    spread = float(np.ptp(half) / half.mean()) if half.any() else 0.0
    high, low = float(rates[top]), float(lows[top])
    return Course(float(rates[0]), end, float(rates[-1]), low, high, error, moved, wobble, spread, swings)


def _error(parts: Sequence[Sequence[Counts]], rates: Sequence[float]) -> float:
    """Return the median relative standard error of a stretch, from the differences of its neighbouring pieces."""
    if min(map(len, parts)) < 4:
        return noise(rates) / (float(np.median(rates)) or 1.0)
    errors = []
    for part, rate in zip(parts, rates, strict=True):
        steps = np.diff([c.iops for c in part])
        errors.append(float(np.sqrt(np.mean(steps**2) / 2 / len(part))) / (rate or 1.0))
    return median(errors)
