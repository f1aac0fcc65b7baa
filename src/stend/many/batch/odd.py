"""The odd one out: which drive differs from the others in which figure, with what chance of saying so of good ones.

A figure's logarithms have a median and a spread (1.4826 times the median absolute deviation, which half of the drives
cannot move). A drive's distance is its deviation in spreads. How large the largest distance of as many good drives
becomes by chance is drawn from Student's distribution (FREEDOM), so p is of all drives of a figure together. Holm's
rule over all figures then leaves one false alarm a batch with a probability of at most 5 %. A drive is named when it
is found so and differs by more than what matters (docs/batch.md has how often each goes wrong).
"""

from collections.abc import Sequence
from functools import cache
from math import exp
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stend.many.batch.lot import Lot
from stend.many.compare.differences import Figure
from stend.many.statistics import holm

Array = npt.NDArray[np.float64]
LEAST_DRIVES = 6
"""Fewer drives tell nothing of a spread that an odd one would stand out of."""
MAD = 1.4826
"""Times the median absolute deviation of normal numbers is their standard deviation."""
LEAST_SPREAD = 0.001
ONE_BIN = 1 / 64
"""Percentiles are known to a latency bin: of so wide a step a twelfth's root is its deviation."""
LEVEL = 0.05
FREEDOM = {"rate": 20, "mean": 20, "tail": 4}
"""Degrees of freedom of the distribution that good drives are taken for: their tails are heavier than normal ones."""
MOST_DRAWN = 6_000_000
DRAWN = 100_000


class Odd(NamedTuple):
    """A drive's distance in one figure: its ratio to the median, in spreads, and Holm's p over figures and drives."""

    drive: int
    figure: Figure
    ratio: float
    distance: float
    p: float

    @property
    def named(self) -> bool:
        """Whether it is found, and matters."""
        low = 1 / (1 + self.figure.threshold)
        return self.p < LEVEL and not low <= self.ratio <= 1 + self.figure.threshold


class Spread(NamedTuple):
    """Of one figure: its drives, their median in base units, and the deviation as a share."""

    drives: int
    median: float
    deviation: float


def spreads(lot: Lot) -> dict[Figure, Spread]:
    """Of each figure."""
    return {figure: _spread(figure, lot.logs(figure)[1]) for figure in lot.figures}


def _spread(figure: Figure, y: Array) -> Spread:
    middle = float(np.median(y))
    return Spread(len(y), exp(middle), MAD * float(np.median(np.abs(y - middle))))


def distances(lot: Lot) -> list[Odd]:
    """Every drive in every figure that enough drives have, with p; the farthest first."""
    own = [figure for figure in lot.figures if len(lot.logs(figure)[0]) >= LEAST_DRIVES]
    far = {figure: _distances(figure, lot.logs(figure)[1]) for figure in own}
    largest = [chance(len(far[figure]), float(np.abs(far[figure]).max()), figure.kind) for figure in own]
    factors = [one / p if p else 1.0 for one, p in zip(holm(largest), largest, strict=True)]
    found = []
    for figure, factor in zip(own, factors, strict=True):
        which, y = lot.logs(figure)
        for i, value, distance in zip(which, y, far[figure], strict=True):
            p = min(chance(len(y), abs(float(distance)), figure.kind) * factor, 1.0)
            found.append(Odd(i, figure, exp(float(value - np.median(y))), float(distance), p))
    return sorted(found, key=lambda odd: (odd.p, -abs(odd.distance)))


def _distances(figure: Figure, y: Array) -> Array:
    floor = LEAST_SPREAD if figure.quantity in ("iops", "throughput", "mean") else ONE_BIN / 12**0.5
    spread = max(MAD * float(np.median(np.abs(y - np.median(y)))), floor)
    return np.asarray((y - np.median(y)) / spread, float)


def chance(count: int, distance: float, kind: str) -> float:
    """That the largest distance of so many good drives is as large, by the kind of quantity; never below one draw."""
    drawn = _largest(count, FREEDOM[kind])
    return float((len(drawn) - np.searchsorted(drawn, distance, side="left") + 1) / (len(drawn) + 1))


@cache
def _largest(count: int, freedom: int) -> Array:
    """The largest distance of `count` numbers of Student's distribution, many times, in order."""
    times = max(min(DRAWN, MOST_DRAWN // count), 20_000)
    y = np.random.default_rng(count).standard_t(freedom, (times, count))
    y = np.abs(y - np.median(y, axis=1, keepdims=True))
    return np.asarray(np.sort(y.max(1) / (MAD * np.median(y, axis=1))), float)


def named(found: Sequence[Odd]) -> dict[int, list[Odd]]:
    """The odd drives, each with its evidence, the strongest first."""
    drives: dict[int, list[Odd]] = {}
    for one in found:
        if one.named:
            drives.setdefault(one.drive, []).append(one)
    return drives
