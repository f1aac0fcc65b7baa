"""Outliers: drives that differ from the others in a figure, with a controlled rate of false alarms.

A figure's logarithms have a median and a spread (1.4826 times the median absolute deviation, which up to half of the
drives cannot change). A drive's distance is its deviation from the median in spreads. The largest distance among as
many good drives is simulated from Student's distribution (FREEDOM); p therefore covers all drives of a figure together.
Holm's rule over all figures then limits the probability of any false alarm in a batch to 5 %. A drive is an outlier if
it is significant and differs by more than the relevant difference. docs/method/validation.md has the
measured error rates.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from math import exp
from operator import attrgetter
from typing import NamedTuple, TypeVar

import numpy as np

from stend.many.batch.lot import Lot
from stend.many.compare.differences import ONE_BIN, Figure
from stend.many.statistics import Array, holm

Of = TypeVar("Of")
LEAST_DRIVES = 6
"""Fewest drives for an estimate of the spread."""
MAD = 1.4826
"""Standard deviation of normal numbers divided by their median absolute deviation."""
LEAST_SPREAD, LEAST_TAIL_SPREAD = 0.001, ONE_BIN / 12**0.5
"""A smaller spread of a rate or mean, or of a percentile, counts as this.

A uniform error of width w has the deviation w / sqrt(12).
"""
LEVEL, DOUBT = 0.05, 0.25
"""p below which a drive is named, and below which it is suspected if it is the farthest in many figures."""
MANY = 1 / 3
"""Share of the figures: of six good drives each is the farthest in a sixth, of more drives in fewer."""
FREEDOM = {"rate": 20, "mean": 20, "tail": 4}
"""Degrees of freedom of the distribution assumed for good drives, whose tails are heavier than normal ones."""
MOST_DRAWN = 6_000_000
DRAWN = 100_000


class Odd(NamedTuple):
    """A drive in one figure: its ratio to the median, its distance in spreads, and Holm's p over figures and drives."""

    drive: int
    figure: Figure
    ratio: float
    distance: float
    p: float

    @property
    def named(self) -> bool:
        """Return whether the difference is significant and relevant."""
        return self.p < LEVEL and self.relevant

    @property
    def relevant(self) -> bool:
        """Return whether the difference is larger than the relevant one of its quantity."""
        return far_enough(self.figure, self.ratio)


def far_enough(figure: Figure, ratio: float) -> bool:
    """Return whether a ratio is beyond the relevant difference of a figure."""
    return not 1 / (1 + figure.threshold) <= ratio <= 1 + figure.threshold


class Spread(NamedTuple):
    """The distribution of a figure: number of drives, median in base units, and deviation as a share."""

    drives: int
    median: float
    deviation: float


def spreads(lot: Lot) -> dict[Figure, Spread]:
    """Return the distribution of each figure."""
    return {figure: _spread(lot.logs(figure)[1]) for figure in lot.figures}


def _spread(y: Array) -> Spread:
    middle = float(np.median(y))
    return Spread(len(y), exp(middle), MAD * float(np.median(np.abs(y - middle))))


def distances(lot: Lot) -> list[Odd]:
    """Return every drive in every figure that at least LEAST_DRIVES drives have, sorted by p and distance."""
    figures = [figure for figure in lot.figures if len(lot.logs(figure)[0]) >= LEAST_DRIVES]
    far = {figure: _distances(figure, lot.logs(figure)[1]) for figure in figures}
    largest = [chance(len(far[figure]), float(np.abs(far[figure]).max()), figure.kind) for figure in figures]
    factors = [adjusted / p if p else 1.0 for adjusted, p in zip(holm(largest), largest, strict=True)]
    odds = []
    for figure, factor in zip(figures, factors, strict=True):
        which, y = lot.logs(figure)
        for i, value, distance in zip(which, y, far[figure], strict=True):
            p = min(chance(len(y), abs(float(distance)), figure.kind) * factor, 1.0)
            odds.append(Odd(i, figure, exp(float(value - np.median(y))), float(distance), p))
    return sorted(odds, key=lambda odd: (round(odd.p, 9), -abs(odd.distance)))  # p of 1 differ by rounding alone


def _distances(figure: Figure, y: Array) -> Array:
    spread = max(MAD * float(np.median(np.abs(y - np.median(y)))), least_spread(figure))
    return np.asarray((y - np.median(y)) / spread, float)


def least_spread(figure: Figure) -> float:
    """Return the spread that a smaller one counts as, of logarithms."""
    return LEAST_SPREAD if figure.quantity in ("iops", "throughput", "mean") else LEAST_TAIL_SPREAD


def chance(count: int, distance: float, kind: str) -> float:
    """Return the probability that the largest distance among `count` good drives is at least this. It is above 0."""
    return share_above(_largest(count, FREEDOM[kind]), distance)


def share_above(drawn: Array, value: float) -> float:
    """Return the probability of at least this value by a sorted simulation. It is above 0."""
    return float((len(drawn) - np.searchsorted(drawn, value, side="left") + 1) / (len(drawn) + 1))


def needed(count: int, kind: str, figures: int) -> float:
    """Return the distance in spreads from which one of `count` drives is named, if so many figures are compared."""
    return float(np.quantile(_largest(count, FREEDOM[kind]), 1 - LEVEL / figures))


def times(count: int) -> int:
    """Return how many lots of so many drives are simulated."""
    return max(min(DRAWN, MOST_DRAWN // count), 20_000)


@cache
def _largest(count: int, freedom: int) -> Array:
    """Return simulated largest distances of `count` numbers of Student's distribution, sorted."""
    y = np.random.default_rng(count).standard_t(freedom, (times(count), count))
    y = np.abs(y - np.median(y, axis=1, keepdims=True))
    return np.asarray(np.sort(y.max(1) / (MAD * np.median(y, axis=1))), float)


def farthest(every: Iterable[Odd], key: Callable[[Odd], Of]) -> dict[Of, Odd]:
    """Return the farthest by this key: of each drive or of each figure."""
    far: dict[Of, Odd] = {}
    for odd in every:
        far[key(odd)] = max(far.get(key(odd), odd), odd, key=lambda one: abs(one.distance))
    return far


def suspected(every: Sequence[Odd]) -> Odd | None:
    """Return the evidence against a drive that is no outlier, but far from the others in one figure and the farthest
    in many.
    """
    far = farthest(every, attrgetter("figure"))
    times = Counter(odd.drive for odd in far.values())
    doubts = (odd for odd in every[:1] if LEVEL <= odd.p < DOUBT and odd.relevant)
    return next((odd for odd in doubts if times[odd.drive] >= MANY * len(far)), None)


def named(every: Sequence[Odd]) -> dict[int, list[Odd]]:
    """Return the outliers by drive, each with its evidence, the strongest first."""
    drives: dict[int, list[Odd]] = {}
    for odd in every:
        if odd.named:
            drives.setdefault(odd.drive, []).append(odd)
    return drives
