"""Groups: whether the drives of a lot are of two kinds, shown by the figure that separates them most clearly.

The logarithms of a figure are cut at each place that leaves a quarter of the drives, and at least LEAST_GROUP, on
either side. The separation is the largest gap at such a place in deviations within the sides. A percentile is the
middle of a latency bin, so that a gap of one bin may be none: its gaps count less one bin. The separations of as many
drives of one kind are simulated from the exponential distribution: normal, heavy-tailed and skewed drives have smaller
ones. Holm's rule over all figures limits the probability of a false alarm in a lot to 5 %.
"""

from collections.abc import Iterator
from functools import cache
from math import ceil, exp
from typing import Any, NamedTuple

import numpy as np

from stend.many.batch.lot import Lot
from stend.many.batch.odd import LEAST_DRIVES, LEVEL, far_enough, least_spread, share_above, times
from stend.many.compare.differences import ONE_BIN, Figure
from stend.many.statistics import Array, holm

LEAST_GROUP = 3
DRAWN_AT_ONCE = 1_000_000
"""Numbers of a simulation that are in memory at a time."""


class Groups(NamedTuple):
    """The smaller group, its ratio to the other drives by medians, the gap in deviations, and Holm's p over figures.

    `settings` are those that differ between the two groups, each with the values of both.
    """

    few: tuple[int, ...]
    others: int
    figure: Figure
    ratio: float
    gap: float
    p: float
    settings: tuple[tuple[str, list[Any], list[Any]], ...]


def detect(lot: Lot) -> Groups | None:
    """Return the two groups of a lot, or None if no figure shows any."""
    logs = {figure: own for figure in lot.figures if len((own := lot.logs(figure))[0]) >= LEAST_DRIVES}
    apart = [separation(y, least_spread(figure), _blur(figure)) for figure, (_, y) in logs.items()]
    adjusted = holm([share_above(_largest(len(y)), gap) for (_, y), (gap, _) in zip(logs.values(), apart, strict=True)])
    every = zip(logs, apart, adjusted, strict=True)
    likely = [_groups(lot, figure, *logs[figure], cut, p) for figure, cut, p in every if p < LEVEL]
    return max((one for one in likely if far_enough(one.figure, one.ratio)), key=lambda one: one.gap, default=None)


def _groups(lot: Lot, figure: Figure, which: list[int], y: Array, apart: tuple[float, int], p: float) -> Groups:
    (gap, cut), order = apart, np.argsort(y)
    few, rest = sorted((order[:cut], order[cut:]), key=len)
    ratio = exp(float(np.median(y[few]) - np.median(y[rest])))
    names = tuple(which[i] for i in sorted(few))
    return Groups(
        names, len(rest), figure, ratio, float(gap), p, tuple(_settings(lot, names, [which[i] for i in rest]))
    )


def _settings(lot: Lot, *sides: Any) -> Iterator[tuple[str, list[Any], list[Any]]]:
    for name in (note.values["name"] for note in lot.notes if note.key == "unlike"):
        few, rest = (
            list(dict.fromkeys(run.settings.get(name) for i in side for run in lot.drives[i].runs)) for side in sides
        )
        if not {None, ""} & {*few, *rest} and not {*few} & {*rest}:  # an unknown one may be any
            yield name, few, rest


def _blur(figure: Figure) -> float:
    """Return by how much equal drives may differ because of latency bins, as a logarithm."""
    return ONE_BIN if figure.kind == "tail" else 0.0


def separation(y: Array, least: float = 0.0, blur: float = 0.0) -> tuple[Any, Any]:
    """Return the largest gap over the last axis, less `blur`, in deviations within its sides, which count as at least
    `least`, and the number of values below it.
    """
    y = np.sort(y - np.median(y, axis=-1, keepdims=True), axis=-1)
    count = y.shape[-1]
    side = max(LEAST_GROUP, ceil(count / 4))
    below = np.arange(1, count)
    total, squares = y.cumsum(-1), (y * y).cumsum(-1)
    left = squares[..., :-1] - total[..., :-1] ** 2 / below
    right = squares[..., -1:] - squares[..., :-1] - (total[..., -1:] - total[..., :-1]) ** 2 / (count - below)
    within = np.sqrt(np.maximum(left + right, 0) / (count - 2))
    gaps = ((np.diff(y) - blur) / np.maximum(within, least))[..., side - 1 : count - side]
    return gaps.max(-1), gaps.argmax(-1) + side


@cache
def _largest(count: int) -> Array:
    dice, left = np.random.default_rng(count), times(count)
    rows = max(DRAWN_AT_ONCE // count, 1)
    drawn = [separation(dice.exponential(size=(min(rows, left - at), count)))[0] for at in range(0, left, rows)]
    return np.sort(np.concatenate(drawn))
