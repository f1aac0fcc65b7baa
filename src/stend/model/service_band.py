"""How far chance moves the contours of a service map: each wait is shifted by what the parts of its cell differ by."""

import math
from collections.abc import Sequence
from itertools import accumulate

from stend.model.service_map import FLAT, Axes, Cell, Key, columns, contour

SIGMAS = 2.0
"""Standard errors by which a wait is longer or shorter."""


def band(measured: Sequence[Cell], key: Key, ends: Axes) -> list[tuple[float, float, float]]:
    """Return (written bytes, lowest, highest reads) per second of a contour, if all waits are longer or shorter.

    Where waits hardly change with the rate, a small error of a wait moves the contour far. More writes leave room for
    fewer reads, thus a place bounds those on its left from below and those on its right from above.
    """
    errors = _errors(measured, key.percent)
    low, high = (contour([_shifted(cell, errors, sign) for cell in measured], key, ends) for sign in (1, -1))
    lowest = list(accumulate((reads for _, reads in reversed(low)), max))[::-1]
    highest = list(accumulate((reads for _, reads in high), min))
    return [(x, min(a, b), max(a, b)) for (x, _), a, b in zip(low, lowest, highest, strict=True)]


def _errors(measured: Sequence[Cell], percent: float) -> dict[tuple[float, float], dict[float, float]]:
    """Return {(reads, writes): {percentile: error of the logarithm}}; at least FLAT with all its errors.

    The difference of two parts is a poor estimate. Therefore it is the root mean square of a cell and its neighbours in
    the column.
    """
    found: dict[tuple[float, float], dict[float, float]] = {}
    for column in columns(measured).values():
        known = [cell.scatter.get(percent) for cell in column]
        for place, cell in enumerate(column):
            near = [error for error in known[max(place - 1, 0) : place + 2] if error is not None]
            mean = math.sqrt(sum(error * error for error in near) / len(near)) if near else 0.0
            found[cell.reads, cell.writes] = {percent: max(mean, FLAT / SIGMAS)}
    return found


def _shifted(cell: Cell, errors: dict[tuple[float, float], dict[float, float]], sign: int) -> Cell:
    waits = {
        percent: wait and wait * math.exp(sign * SIGMAS * errors[cell.reads, cell.writes].get(percent, 0.0))
        for percent, wait in cell.waits.items()
    }
    return cell._replace(waits=waits)
