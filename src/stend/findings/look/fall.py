"""Falls of a course from one level to the next: where the first level ends, and by how much the rate falls.

The course is cut into pieces that grow with the time before them. A level of seconds and one of hours are then located
equally well, relative to the time before their end. The exact place is read from the samples around it.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

import numpy as np

from stend.findings.look.because import Because
from stend.findings.look.levels import DIP, LEAST_STEP, NORMAL, Array, crossing, noise, quiet_width, smooth
from stend.findings.look.pieces import Line, growing

LEAST_RATIO = 1.25
"""A step to a level is a fall if the level is at least this many times lower."""
FEWEST = 3
"""Minimum number of samples of a first level."""
SLOW_START, SLOW_START_S = 0.01, 30.0
"""A lower rate at the start that lasts no longer than both limits is a slow start, not a level."""
STANDS, FOLLOWS, WINDOWS = 4.0, 0.25, 8
"""A fall exceeds the scatter of stretches as long as the level by this many standard errors. The rate after it
lasts at least this share of the time before it. The scatter is that of this many stretches."""
BACK = 0.05
"""A level that ended must not come back: at most this share of the time after it is above the middle."""
PENALTY = 25.0
"""Squared standard errors that one more stretch must save."""
AROUND = 15
"""The scatter of a piece is estimated from this many neighbours on each side."""
LEAST_SCATTER = 0.01
NEAR = 0.1
"""A level ends where the rate falls by this share of it."""
QUIET, WIDEST = 0.05, 0.05
"""Samples around a fall are averaged until they scatter by at most the first value, over at most the second share of
the samples of the level."""
BRIEF = 0.1
"""A stretch of at most this share of the time before it is part of a fall, not a level."""
HALVES, STEEP = 1.08, 0.5
"""A level is flat if its halves differ by less than the first ratio, and if the rate then falls within this share of
its length."""


BLUR, LOST = 0.05, 0.25
"""The end of a level is reported as "about" if its place is uncertain by more than the first share of the time before
it, and not at all beyond the second."""


class Stretch(NamedTuple):
    """Samples [first, last) at one rate."""

    first: int
    last: int
    rate: float


class Fall(NamedTuple):
    """The end of a level: its rate and the rate after it, seconds and bytes at the end.

    `blur` is the uncertainty of the place as a share of the time before it. It is the width over which samples were
    averaged, or the scatter of eighths of the level if that is larger.
    """

    level: float
    after: float
    begin_s: float
    s: float
    written: float
    blur: float
    lasting: bool
    flat: bool
    done: int

    @property
    def about(self) -> Because | str:
        """Return the word before an uncertain place, or ""."""
        return Because("about") if self.blur > BLUR else ""


def falls(course: Line) -> Iterator[Fall]:
    """Yield the falls from each level to the next until the course rises or ends, starting at the first level."""
    if len(course.s) <= 2 * FEWEST:
        return
    every = _without_slow_start(course, stretches(course))
    base, place = every[0], 1
    while place < len(every):
        following = every[place]
        if following.rate > LEAST_RATIO * base.rate:
            return
        fall = _fall(course, base, every[place:]) if LEAST_RATIO * following.rate < base.rate else None
        if fall is None:
            base = Stretch(base.first, following.last, course.rate(base.first, following.last))
            place += 1
            continue
        yield fall
        if not fall.lasting:
            return
        place = next((n for n in range(place, len(every)) if every[n].last > fall.done), len(every))
        if place < len(every):
            base, place = every[place]._replace(first=max(every[place].first, fall.done)), place + 1


def stretches(course: Line) -> list[Stretch]:
    """Return a course as stretches of one rate each, by the best least-squares cut of logarithms."""
    cuts = growing(course.s)
    raw = np.array([course.rate(a, b) for a, b in pairwise(cuts)])
    if not (raw > 0).any():
        return [Stretch(0, len(course.s) - 1, 0.0)]
    usual = np.array(smooth(raw.tolist(), 9))
    logs = np.log(np.maximum(np.clip(raw, DIP * usual, usual / DIP), raw[raw > 0].min()))
    borders = _cut(logs, _scatter(logs))
    merged: list[Stretch] = []
    for first, last in pairwise(borders):
        stretch = Stretch(cuts[first], cuts[last], course.rate(cuts[first], cuts[last]))
        if merged and max(stretch.rate, merged[-1].rate) < LEAST_STEP * min(stretch.rate, merged[-1].rate):
            begin = merged.pop().first
            stretch = Stretch(begin, stretch.last, course.rate(begin, stretch.last))
        merged.append(stretch)
    return merged


def _scatter(logs: Array) -> Array:
    """Return the standard error of each piece, from the differences of its neighbours."""
    if len(logs) < 3:
        return np.full(len(logs), LEAST_SCATTER)
    steps = np.abs(np.diff(logs)).tolist()
    medians = [median(steps[max(i - AROUND, 0) : i + AROUND]) for i in range(len(logs))]
    errors: Array = np.maximum(np.array(medians) / NORMAL / np.sqrt(2), LEAST_SCATTER)
    return errors


def _cut(logs: Array, errors: Array) -> list[int]:
    """Return the borders with the least sum of squares plus the penalty of each border."""
    weights = errors**-2.0
    w, wx, wxx = (np.concatenate([[0.0], np.cumsum(weights * logs**power)]) for power in (0, 1, 2))
    best, back = np.zeros(len(logs) + 1), [0] * (len(logs) + 1)
    for end in range(1, len(logs) + 1):
        cost = wxx[end] - wxx[:end] - (wx[end] - wx[:end]) ** 2 / (w[end] - w[:end])
        total = best[:end] + cost + PENALTY
        back[end] = int(np.argmin(total))
        best[end] = total[back[end]]
    borders = [len(logs)]
    while borders[-1]:
        borders.append(back[borders[-1]])
    return borders[::-1]


def _without_slow_start(course: Line, every: list[Stretch]) -> list[Stretch]:
    most = max(SLOW_START * course.s[-1], min(SLOW_START_S, BRIEF * course.s[-1]))
    while len(every) > 1 and every[0].rate < every[1].rate and course.s[every[0].last] <= most:
        every = every[1:]
    return every


def _fall(course: Line, base: Stretch, following: Sequence[Stretch]) -> Fall | None:
    """Return the fall from a level to the first stretch that is not part of it, or None if it does not stand out."""
    begin, end = float(course.s[base.first]), float(course.s[base.last])
    after = next(
        (stretch for stretch in following if course.s[stretch.last] - course.s[stretch.first] > BRIEF * end),
        following[-1],
    )
    if base.last - base.first < FEWEST or after.rate * LEAST_RATIO > base.rate:
        return None
    middle = (base.rate * after.rate) ** 0.5
    rest = course.s[-1] - course.s[after.first]
    if rest < FOLLOWS * (end - begin) or not _stands(course, base, after):
        return None
    back = _above(course, after.first, len(course.s) - 1, middle)
    near = int(np.searchsorted(course.s, course.s[after.first] + max(end - begin, 0.0)))
    if _above(course, after.first, min(max(near, after.first + 1), len(course.s) - 1), middle) > BACK:
        return None
    return _placed(course, base, after, middle, lasting=back <= BACK)


def _above(course: Line, first: int, last: int, bound: float) -> float:
    """Return the share of the time of [first, last) in which pieces are above a rate."""
    cuts = [first + cut for cut in growing(course.s[first : last + 1] - course.s[first])]
    pairs = list(pairwise(cuts))
    high = sum(course.s[b] - course.s[a] for a, b in pairs if course.rate(a, b) > bound)
    return float(high / max(course.s[last] - course.s[first], 1e-9))


def _stands(course: Line, base: Stretch, after: Stretch) -> bool:
    """Return whether the fall is larger than the scatter of stretches as long as the level."""
    length = course.s[base.last] - course.s[base.first]
    errors = _error(course, after.first, len(course.s) - 1, length), _error(course, base.first, base.last, length)
    return bool(np.log(base.rate / after.rate) > STANDS * max(errors[0], errors[1] / WINDOWS**0.5))


def _error(course: Line, first: int, last: int, length: float) -> float:
    """Return the scatter of means over `length` seconds in [first, last), from the differences of neighbours."""
    whole = course.s[last] - course.s[first]
    borders = np.searchsorted(course.s, course.s[first] + np.arange(0, whole, min(length, whole / WINDOWS)))
    borders = np.unique(np.clip(borders, first, last))
    if len(borders) < 4:
        return 0.0
    means = np.diff(course.done[borders]) / np.diff(course.s[borders])
    return noise(np.log(np.maximum(means, 1e-9)))


def _placed(course: Line, base: Stretch, after: Stretch, middle: float, *, lasting: bool) -> Fall:
    """Return the fall with the end of its level, read from the samples around the border."""
    # 1. The samples around the border, and the level without its start and end.
    length = base.last - base.first
    low, high = max(base.last - length // 2 - 1, base.first), min(after.first + length // 4 + 10, len(course.s) - 1)
    raw = course.rates[low:high].tolist()
    inner = base.first + int(0.3 * length)
    level = course.rate(inner, max(base.first + int(0.8 * length), inner + 1))
    # 2. The crossing of the averaged samples from the level down.
    width = min(quiet_width(course.rates[base.first : base.last].tolist(), QUIET), max(int(WIDEST * length), 1))
    y = smooth(_mean(raw, width), 5 if length > 20 else 3)
    ends = course.s[low + 1 : high + 1]
    middles = ((ends + course.s[low:high]) / 2).tolist()
    down = next((i for i, value in enumerate(y) if value < middle), min(base.last - low, len(y) - 1))
    near = (1 - NEAR) * level
    left = max((i for i in range(down) if y[i] >= near), default=0)
    at = crossing(middles[left:], y[left:], near) or float(course.s[base.last])
    end = int(np.searchsorted(course.s, at))
    # 3. If the stretch holds more than the level, try again with a shorter stretch.
    if base.first + FEWEST < end < base.first + int(0.8 * length):
        return _placed(course, base._replace(last=end), after, middle, lasting=lasting)
    # 4. Bytes at the place, and how sure it is.
    steep_s = crossing(middles[left:], y[left:], level / LEAST_RATIO)
    bytes_at = float(np.interp(at, course.s, course.written))
    step = float(np.median(np.diff(course.s[low : high + 1])))
    begin = float(course.s[base.first])
    return Fall(
        level=level,
        after=after.rate,
        begin_s=begin,
        s=at,
        written=bytes_at,
        blur=max(max(width, 1) * step / max(at - begin, step), _error(course, base.first, base.last, at - begin)),
        lasting=lasting,
        flat=steep_s is not None and steep_s - at <= STEEP * (at - begin) and _flat(course, base, at),
        done=after.first,
    )


def _mean(values: list[float], width: int) -> list[float]:
    """Return a running mean over `width` values; at the ends over the values that exist."""
    ones = np.ones(max(width, 1))
    mean: list[float] = (np.convolve(values, ones, "same") / np.convolve(np.ones(len(values)), ones, "same")).tolist()
    return mean


def _flat(course: Line, base: Stretch, at: float) -> bool:
    """Return whether the halves of the level are equal."""
    end = int(np.searchsorted(course.s, at))
    half = (base.first + end) // 2
    if half <= base.first or end <= half:
        return True
    first, second = course.rate(base.first, half), course.rate(half, end)
    return max(first, second) < HALVES * min(first, second)
