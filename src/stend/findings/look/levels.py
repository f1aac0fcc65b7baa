"""Steps and crossings in a noisy series: where a level ends, to a fraction of a sample."""

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

LEAST_STEP = 1.12
"""Neighbouring levels closer than this ratio are one level."""
FEWEST = 4
"""Minimum number of samples of a level."""
SHARP, NEIGHBOURS = 0.5, 12
"""A step happens between two samples: at least this share of the fall (of its logarithm) is within this many
samples."""
NOISE = 5.0
"""A step exceeds the noise of both its means by this many standard errors."""
DIP, AROUND = 0.5, 9
"""A sample far below those around it is not a level but would pull the mean of logarithms: it counts as this share."""


NORMAL = 0.6745
"""Half of normally distributed values are within this many standard deviations of their mean."""


class Level(NamedTuple):
    """A stretch of samples [first, last) at one level (their median)."""

    first: int
    last: int
    value: float


def noise(values: Sequence[float] | Array) -> float:
    """Return the standard deviation of values around their level, from the differences of neighbours."""
    return float(np.median(np.abs(np.diff(values)))) / NORMAL / 2**0.5


def levels(values: Sequence[float]) -> list[Level]:
    """Return a series as a few constant levels, by binary segmentation of its logarithm; [] below FEWEST samples."""
    raw = np.asarray(values, float)
    if len(raw) < FEWEST or not (raw > 0).any():
        return []
    logs = np.log(np.maximum(np.maximum(raw, raw[raw > 0].min()), np.multiply(DIP, smooth(values, AROUND))))
    cuts = sorted({0, len(raw), *_cuts(logs, 0, len(raw), max(noise(logs), 1e-6))})
    pieces = [Level(a, b, float(np.median(raw[a:b]))) for a, b in pairwise(cuts)]
    return _merged(pieces, raw)


def _cuts(logs: Array, first: int, last: int, error: float) -> list[int]:
    """Return the cuts of [first, last) and, recursively, of its parts."""
    size = last - first
    if size < 2 * FEWEST:
        return []
    part = logs[first:last]
    sums = np.cumsum(part)
    left = np.arange(FEWEST, size - FEWEST + 1)
    means_left = sums[left - 1] / left
    means_right = (sums[-1] - sums[left - 1]) / (size - left)
    gains = (means_left - means_right) ** 2 * left * (size - left) / size
    best = int(np.argmax(gains))
    jump = abs(float(means_left[best] - means_right[best]))
    of_jump = error * float(np.sqrt(1 / left[best] + 1 / (size - left[best])))
    if jump < max(np.log(LEAST_STEP), NOISE * of_jump):
        return []
    cut = first + int(left[best])
    return [*_cuts(logs, first, cut, error), cut, *_cuts(logs, cut, last, error)]


def _merged(pieces: list[Level], raw: Array) -> list[Level]:
    """Return the levels with neighbours that turn out equal merged."""
    merged: list[Level] = []
    for level in pieces:
        if merged and max(merged[-1].value, level.value) < LEAST_STEP * min(merged[-1].value, level.value):
            first = merged.pop().first
            merged.append(Level(first, level.last, float(np.median(raw[first : level.last]))))
        else:
            merged.append(level)
    return merged


def sharp(values: Sequence[float], before: Level, after: Level) -> bool:
    """Return whether a fall between two levels happens at their border, not spread over them. Rises always pass."""
    left = values[max(before.first, before.last - NEIGHBOURS) : max(before.last - 1, before.first + 1)]
    right = values[min(after.first + 1, after.last - 1) : min(after.last, after.first + NEIGHBOURS)]
    fall = np.log(np.median(left) / max(float(np.median(right)), 1e-9))
    return before.value <= after.value or bool(fall >= SHARP * np.log(before.value / after.value))


def boundary(values: Sequence[float], widths: Sequence[float], before: Level, after: Level) -> float:
    """Return how much of `widths` (bytes or seconds per sample) is before the step between two levels.

    The samples at the step are shared out by the distance of their value from either level.
    """
    inner = sum(widths[before.first : before.last]) + sum(widths[: before.first])
    edge = after.first
    shift = 0.0
    for index, sign in ((edge - 1, -1.0), (edge, 1.0)):
        if 0 <= index < len(values):
            share = min(max((values[index] - after.value) / (before.value - after.value), 0.0), 1.0)
            shift += (share - 1) * widths[index] if sign < 0 else share * widths[index]
    return inner + shift


def smooth(values: Sequence[float], width: int = 5) -> list[float]:
    """Return a running median; at the ends over the values that exist."""
    raw, half = np.asarray(values, float), width // 2
    if len(raw) < width:
        return [float(np.median(raw[max(i - half, 0) : i + half + 1])) for i in range(len(raw))]
    inner = np.median(np.lib.stride_tricks.sliding_window_view(raw, width), axis=1)
    begin = [np.median(raw[: i + half + 1]) for i in range(half)]
    end = [np.median(raw[i - half :]) for i in range(len(raw) - half, len(raw))]
    smoothed: list[float] = np.concatenate([begin, inner, end]).tolist()
    return smoothed


def scatter(values: Sequence[float]) -> float:
    """Return the relative difference of neighbouring values. Rare steps and bursts do not count."""
    raw = np.asarray(values, float)
    logs = np.log(raw[raw > 0])
    return noise(logs) if len(logs) > 1 else 0.0


def quiet_width(values: Sequence[float], most: float) -> int:
    """Return the width of a running mean that scatters by no more than `most`, at most a quarter of the values."""
    return min(round((scatter(values) / most) ** 2), len(values) // 4)


def quieted(values: Sequence[float], most: float) -> list[float]:
    """Return a running mean just wide enough that neighbours scatter by at most `most`. It is short at the ends."""
    width = quiet_width(values, most)
    if width < 2:
        return list(values)
    sums = np.concatenate([[0.0], np.cumsum(values)])
    last = np.minimum(np.arange(len(values)) + width // 2 + 1, len(values))
    first = np.maximum(np.arange(len(values)) - width // 2, 0)
    mean: list[float] = ((sums[last] - sums[first]) / (last - first)).tolist()
    return mean


def crossing(x: Sequence[float], y: Sequence[float], level: float) -> float | None:
    """Return the first x at which y falls below a level, interpolated between two samples, or None if it never does."""
    for index, value in enumerate(y):
        if value < level:
            if index == 0:
                return x[0]
            above, share = y[index - 1], (y[index - 1] - level) / (y[index - 1] - value)
            return x[index - 1] + (x[index] - x[index - 1]) * share if above >= level else x[index]
    return None
