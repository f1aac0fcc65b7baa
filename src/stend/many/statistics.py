"""Statistics of run means: intervals, rank tests, corrections for many figures, and the number of runs needed.

The unit is the run. A run gives one number, because its rounds are not independent (a 95 % interval made of them covers
48-78 %). docs/method/validation.md states the coverage and power of these methods.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stend.base.extras import needing

Array = npt.NDArray[np.float64]

LEVEL = 0.95
POWER = 0.90
MOST_RUNS = 400
FEWEST_RANKED = 4
"""Fewest runs per side for ranks: with three a side the smallest two-sided p-value is 2 of 20 orders, above 5 %."""


class Interval(NamedTuple):
    """The difference of two means with its interval. `error` is its standard error, `freedom` Welch's degrees."""

    difference: Array
    low: Array
    high: Array
    error: Array
    freedom: Array


def _special() -> Any:
    with needing("comparing runs"):
        from scipy import special
    return special


def welch(a: npt.ArrayLike, b: npt.ArrayLike) -> Interval:
    """Return mean(b) - mean(a) over the last axis with its interval for unequal variances (Welch 1947).

    Each side needs at least two numbers.

    With two numbers on both sides the degrees of freedom are the mean of Welch's and Student's: Welch's alone make
    intervals that cover 98 % instead of 95, Student's alone 90 % where spreads differ. With unequal numbers they are
    the harmonic mean of Welch's and the smaller side's: Welch's alone cover down to 88 % (docs/method/validation.md).
    """
    first, second = np.asarray(a, float), np.asarray(b, float)
    n, m = first.shape[-1], second.shape[-1]
    u, v = first.var(-1, ddof=1) / n, second.var(-1, ddof=1) / m
    difference = second.mean(-1) - first.mean(-1)
    error = np.sqrt(u + v)
    with np.errstate(invalid="ignore", divide="ignore"):
        freedom = (u + v) ** 2 / (u**2 / (n - 1) + v**2 / (m - 1))
    if n == m == 2:
        freedom = (freedom + 2) / 2
    elif n != m:
        fewest = min(n, m) - 1
        freedom = 2 * freedom * fewest / (freedom + fewest)
    half = _special().stdtrit(freedom, (1 + LEVEL) / 2) * error
    return Interval(difference, difference - half, difference + half, error, freedom)


def beyond(difference: Array | float, error: Array | float, freedom: Array | float, bound: float = 0.0) -> Array:
    """Return the one-sided p-value of "the difference is not above `bound`". A small value shows that it is above.

    `error` and `freedom` as in an `Interval`.
    """
    tail: Array = _special().stdtr(freedom, (bound - difference) / error)
    return tail


def two_sided(interval: Interval) -> Array:
    """Return the p-value of "the means are equal"."""
    tail: Array = 2 * _special().stdtr(interval.freedom, -np.abs(interval.difference / interval.error))
    return tail


def ranks(a: Sequence[float], b: Sequence[float]) -> float | None:
    """Return Mann and Whitney's two-sided p-value, or None below FEWEST_RANKED numbers per side."""
    if min(len(a), len(b)) < FEWEST_RANKED:
        return None
    _special()
    from scipy.stats import mannwhitneyu

    return float(mannwhitneyu(a, b, alternative="two-sided").pvalue)


def holm(p: Sequence[float]) -> list[float]:
    """Return p-values adjusted for a family, which controls the probability of any false alarm in it (Holm 1979)."""
    order = np.argsort(p)
    count = len(p)
    adjusted = np.empty(count)
    adjusted[order] = np.maximum.accumulate([(count - i) * p[k] for i, k in enumerate(order)])
    return [float(x) for x in np.minimum(adjusted, 1.0)]


def discoveries(p: Sequence[float]) -> list[bool]:
    """Return which p-values are discoveries, with at most 1 - LEVEL false ones (Benjamini and Hochberg 1995)."""
    order = np.argsort(p)
    passed = [i for i, k in enumerate(order, 1) if p[k] <= (1 - LEVEL) * i / len(p)]
    limit = p[order[passed[-1] - 1]] if passed else -1.0
    return [value <= limit for value in p]


def runs_needed(deviation: float, change: float) -> int | None:
    """Return the runs per side that detect a change of log means at LEVEL with POWER, or None above MOST_RUNS.

    Both sides are assumed to have the same deviation.
    """
    if deviation <= 0:
        return 2
    special = _special()
    n = np.arange(2, MOST_RUNS + 1, dtype=float)
    t = special.stdtrit(2 * n - 2, (1 + LEVEL) / 2)
    reached = 1 - special.nctdtr(2 * n - 2, abs(change) / deviation * np.sqrt(n / 2), t)
    enough = np.flatnonzero(np.nan_to_num(reached, nan=1.0) >= POWER)
    return int(n[enough[0]]) if enough.size else None


def spread(*sides: Sequence[float]) -> float:
    """Return the pooled standard deviation within sides, or 0 if no side has two numbers."""
    freedom = sum(len(side) - 1 for side in sides)
    squares = sum(float(np.var(side)) * len(side) for side in sides if len(side) > 1)
    return math.sqrt(squares / freedom) if freedom else 0.0
