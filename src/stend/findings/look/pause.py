"""One pause or one slower stretch in an otherwise even course: its start, length and rate."""

from typing import NamedTuple

import numpy as np

from stend.findings.look.levels import Array
from stend.findings.look.pieces import Line

LOW = 0.5
"""A sample below this share of the usual rate belongs to the stretch."""
STOPPED = 0.1
"""A stretch above this share of the usual rate is slower, not a pause."""
MOST = 0.3
"""A pause lasts at most this share of the whole time."""
ONE = 0.9
"""This share of all low samples must be in one stretch, or there is more than one pause."""
LEAST_GAIN = 1.1
"""A rate after a pause that is less than this many times the rate before has gained nothing."""


class Pause(NamedTuple):
    """Samples [first, last), their start and length in seconds, their rate, and whether the drive stood still."""

    first: int
    last: int
    begin_s: float
    seconds: float
    rate: float
    still: bool

    @property
    def key(self) -> str:
        """Return the key of a finding that states it."""
        return "paused" if self.still else "slowed"

    @property
    def values(self) -> dict[str, float]:
        """Return the values of its sentence."""
        return {"pause_s": self.seconds, "pause_at": self.begin_s} | ({} if self.still else {"pause_rate": self.rate})


def pause(course: Line) -> Pause | None:
    """Return the only pause or slower stretch of a course, or None if it has another number of them."""
    rates = course.rates
    if not len(rates):
        return None
    usual = float(np.median(rates))
    low = rates < LOW * usual
    edges = np.flatnonzero(np.diff(np.concatenate([[0], low.astype(int), [0]])))
    if not len(edges):
        return None
    first, last = max(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True), key=lambda run: run[1] - run[0])
    seconds = float(course.s[last] - course.s[first])
    if seconds > MOST * course.s[-1] or last - first < ONE * low.sum() or not 0 < first < last < len(rates):
        return None
    rate = float(np.median(rates[first:last]))  # the samples at both ends are only partly slower
    return Pause(first, last, float(course.s[first]), seconds, rate, rate < STOPPED * usual)


def kept(table: Array, gap: Pause) -> Array:
    """Return a table of samples without a pause and the two samples next to it, which are partly in it."""
    rows: Array = np.concatenate([table[: max(gap.first - 1, 1)], table[gap.last + 1 :]])
    return rows
