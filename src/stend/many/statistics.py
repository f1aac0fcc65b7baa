"""Arithmetic on run means: intervals, ranks, families of questions, and how many runs an answer would take.

The unit is the run. Rounds of one run are not independent (a 95 % interval made of them covers 48-78 %), so a run gives
one number; see docs/comparing.md for the coverage and power of what is here.
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
"""Runs a side below which ranks cannot reach 5 %: of six numbers three lowest are one of twenty choices."""


class Interval(NamedTuple):
    """The difference of two means with its interval; `error` is its standard error, `freedom` Welch's degrees."""

    difference: Array
    low: Array
    high: Array
    error: Array
    freedom: Array


def _special() -> Any:
    with needing("comparing runs"):
        from scipy import special
    return special


def welch(a: npt.ArrayLike, b: npt.ArrayLike, level: float = LEVEL) -> Interval:
    """mean(b) - mean(a) over the last axis, at least two numbers a side, variances not taken for equal (Welch 1947).

    With two numbers on both sides the degrees of freedom are the mean of Welch's and Student's: Welch's alone make
    intervals that cover 98 % instead of 95, Student's alone 90 % where spreads differ. With unequal numbers they are
    the harmonic mean of Welch's and the smaller side's: Welch's alone cover down to 88 % (docs/comparing.md).
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
    half = _special().stdtrit(freedom, (1 + level) / 2) * error
    return Interval(difference, difference - half, difference + half, error, freedom)


def beyond(difference: Array | float, error: Array | float, freedom: Array | float, bound: float = 0.0) -> Array:
    """The one-sided p-value of "the difference is not above `bound`": small where it is shown to lie above.

    `error` and `freedom` as in an `Interval`.
    """
    tail: Array = _special().stdtr(freedom, (bound - difference) / error)
    return tail


def two_sided(interval: Interval) -> Array:
    """The p-value of "there is no difference"."""
    tail: Array = 2 * _special().stdtr(interval.freedom, -np.abs(interval.difference / interval.error))
    return tail


def ranks(a: Sequence[float], b: Sequence[float]) -> float | None:
    """Mann and Whitney's two-sided p-value; None below FEWEST_RANKED numbers a side."""
    if min(len(a), len(b)) < FEWEST_RANKED:
        return None
    _special()
    from scipy.stats import mannwhitneyu

    return float(mannwhitneyu(a, b, alternative="two-sided").pvalue)


def holm(p: Sequence[float]) -> list[float]:
    """P-values adjusted for a family, any one false alarm in it being one too many (Holm 1979)."""
    order = np.argsort(p)
    count = len(p)
    adjusted = np.empty(count)
    adjusted[order] = np.maximum.accumulate([(count - i) * p[k] for i, k in enumerate(order)]) if count else []
    return [float(x) for x in np.minimum(adjusted, 1.0)]


def discoveries(p: Sequence[float], rate: float = 1 - LEVEL) -> list[bool]:
    """Which stand out of a full table, at most that share of them by chance (Benjamini and Hochberg 1995)."""
    order = np.argsort(p)
    passed = [i for i, k in enumerate(order, 1) if p[k] <= rate * i / len(p)]
    limit = p[order[passed[-1] - 1]] if passed else -1.0
    return [value <= limit for value in p]


def runs_needed(deviation: float, change: float, level: float = LEVEL, power: float = POWER) -> int | None:
    """Runs a side to find a change of log means with that power, both sides spread alike; None above MOST_RUNS."""
    if deviation <= 0:
        return 2
    special = _special()
    n = np.arange(2, MOST_RUNS + 1, dtype=float)
    t = special.stdtrit(2 * n - 2, (1 + level) / 2)
    found = 1 - special.nctdtr(2 * n - 2, abs(change) / deviation * np.sqrt(n / 2), t)
    enough = np.flatnonzero(np.nan_to_num(found, nan=1.0) >= power)
    return int(n[enough[0]]) if enough.size else None


def spread(*sides: Sequence[float]) -> float:
    """The standard deviation within sides, pooled; 0 where no side has two numbers."""
    freedom = sum(len(side) - 1 for side in sides)
    squares = sum(float(np.var(side)) * len(side) for side in sides if len(side) > 1)
    return math.sqrt(squares / freedom) if freedom else 0.0
