"""The course of a long hold of one load: how it begins and ends, whether it rises again, whether its end is level."""

from collections.abc import Sequence
from itertools import accumulate, pairwise
from statistics import median
from typing import NamedTuple

import numpy as np

from stend.model.counts import Counts

BLOCKS = (40, 20, 10)
"""A course is looked at in so many stretches, the fewer the noisier it is: bursts shorter than one are its level."""
CLEAR = 1.25
"""With this ratio a step between two stretches is to stand out of the noise."""
END = 0.2
"""The end of a course is its last fifth."""
STEP = 1.12
"""Two levels closer than this are one."""
SURE = 6.0
"""A difference between two stretches stands out of the noise by so many standard errors."""
LEVEL, DRIFT = 0.05, 0.03
"""An end that moves by no more than this is level; a whole course that does is flat."""
SIGMAS = 3.0
"""A trend stands out of the noise by so many standard errors."""


class Course(NamedTuple):
    """Levels in IOPS; `low` and `high` are the greatest rise, and 1 is a `rise` of none; `error` is the
    relative standard error of one of them, `moved` what a line through the end moves by and `wobble` its
    error; `spread` is how far apart the stretches of
    the second half lie, as a share of their mean."""

    first: float
    end: float
    last: float
    low: float
    high: float
    error: float
    moved: float
    wobble: float
    spread: float

    @property
    def rise(self) -> float:
        """How many times the lowest level so far a later one is."""
        return self.high / self.low if self.low else np.inf

    @property
    def least(self) -> float:
        """The ratio of two stretches that is no noise."""
        return max(STEP, 1 + SURE * self.error)

    @property
    def falls(self) -> bool:
        """Whether the end surely still goes down."""
        return self.moved < -(LEVEL + SIGMAS * self.wobble)

    @property
    def new(self) -> bool:
        """Whether the very end is another level than the end, so that nobody knows whether it stays."""
        return max(self.last, self.end) > self.least * min(self.last, self.end)

    @property
    def even(self) -> bool:
        """Whether the second half surely has one rate: neither swings nor a drift stand out of its noise."""
        return self.spread <= LEVEL + SURE * self.error

    @property
    def drifts(self) -> bool:
        """Whether the beginning and the end surely differ."""
        return abs(self.first / self.end - 1) > max(DRIFT, SIGMAS * self.error)

    @property
    def level(self) -> bool:
        """Whether the end surely runs level: neither a trend nor a step at the very end, nor noise that hides one."""
        return abs(self.moved) + self.wobble <= 3 * LEVEL and not self.new


def course(pieces: Sequence[Counts]) -> Course:
    """From a phase in pieces of about the same length, at least twenty of them."""
    every = (_course(pieces, blocks) for blocks in BLOCKS)
    return next((seen for seen in every if seen.least <= CLEAR), _course(pieces, BLOCKS[-1]))


def _course(pieces: Sequence[Counts], blocks: int) -> Course:
    ends = np.cumsum([piece.seconds for piece in pieces])
    borders = np.unique(np.searchsorted(ends, np.linspace(0, ends[-1], blocks + 1) * (1 - 1e-12), side="right"))
    parts = [pieces[a:b] for a, b in pairwise([0, *borders[1:-1].tolist(), len(pieces)]) if b > a]
    rates = np.array([_rate(part) for part in parts])
    error = _error(parts, rates.tolist())
    lows = list(accumulate(rates, min))
    top = max(range(len(rates)), key=lambda i: rates[i] / lows[i] if lows[i] else np.inf)
    tail = rates[-max(round(len(rates) * END), 3) :]
    slope = float(np.polyfit(np.arange(len(tail)), tail, 1)[0])
    end = float(tail.mean())
    moved = slope * len(tail) / end if end else 0.0
    wobble = error * len(tail) / float(np.sqrt(np.sum((np.arange(len(tail)) - (len(tail) - 1) / 2) ** 2)))
    half = rates[len(rates) // 2 :]
    spread = float(np.ptp(half) / half.mean()) if half.any() else 0.0
    high, low = float(rates[top]), float(lows[top])
    return Course(float(rates[0]), end, float(rates[-1]), low, high, error, moved, wobble, spread)


def _rate(part: Sequence[Counts]) -> float:
    return sum(c.ios for c in part) / sum(c.seconds for c in part)


def _error(parts: Sequence[Sequence[Counts]], rates: Sequence[float]) -> float:
    """The usual relative standard error of a stretch, from the differences of neighbouring pieces in it."""
    if min(map(len, parts)) < 4:
        return float(np.median(np.abs(np.diff(rates)))) / 0.6745 / 2**0.5 / (float(np.median(rates)) or 1.0)
    found = []
    for part, rate in zip(parts, rates, strict=True):
        steps = np.diff([c.iops for c in part])
        found.append(float(np.sqrt(np.mean(steps**2) / 2 / len(part))) / (rate or 1.0))
    return median(found)
