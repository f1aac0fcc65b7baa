"""One pause in a course that is even otherwise: how long it was and when it began."""

from typing import NamedTuple

import numpy as np

from stend.findings.look.pieces import Array, Line

LOW = 0.5
"""A sample below this part of the usual rate belongs to a pause."""
MOST = 0.3
"""A pause lasts no longer than this part of the whole time."""
ONE = 0.9
"""This part of all low samples must lie in one row, or there is more than one pause."""


class Pause(NamedTuple):
    """Samples [first, last) of a pause, and its seconds."""

    first: int
    last: int
    begin_s: float
    seconds: float


def pause(course: Line) -> Pause | None:
    """Return the only pause of a course; None where there is none, or more than one."""
    rates = course.rates
    if not len(rates):
        return None
    low = rates < LOW * float(np.median(rates))
    edges = np.flatnonzero(np.diff(np.concatenate([[0], low.astype(int), [0]])))
    if not len(edges):
        return None
    first, last = max(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True), key=lambda run: run[1] - run[0])
    seconds = float(course.s[last] - course.s[first])
    if seconds > MOST * course.s[-1] or last - first < ONE * low.sum() or not 0 < first < last < len(rates):
        return None
    return Pause(first, last, float(course.s[first]), seconds)


def kept(table: Array, gap: Pause) -> Array:
    """Return a table of samples without a pause and the two samples beside it, which are half of it."""
    rows: Array = np.concatenate([table[: max(gap.first - 1, 1)], table[gap.last + 1 :]])
    return rows
