"""How far the contours of a service map move when the map is measured again.

Each wait is shifted by what the parts of its cell differ by. A drive also changes between two visits of a cell, which
the parts of one visit cannot show. Therefore the search measures some cells again (`repeated`), and the contours are
shifted by as much as these cells move them.
"""

import math
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate

from stend.model.service_map import (
    FLAT,
    Axes,
    Cell,
    Key,
    between,
    bounded,
    bracket,
    brackets,
    columns,
    contour,
    crossing,
)

SIGMAS = 2.0
"""Standard errors by which a wait is longer or shorter."""
STUDENT = (12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.20, 2.18)
"""Student's t of 1 to 12 degrees of freedom, two-sided 95 %; the last one serves for more of them."""
FEW = 3
"""Fewer moves of a contour than this are pooled with those of the other contours."""
SIDES = 2.0
"""Four cells hold a contour: one on both sides in its column and in those beside it. A repeated map measures all again,
and the square of its move is the sum of four."""
REACH = 0.1
"""Cells nearer to a contour than this share of the read axis count as near."""
STEPS = 20
Place = tuple[float, float]
Points = Sequence[tuple[float, float]]
Band = list[tuple[float, float, float]]


def band(measured: Sequence[Cell], key: Key, ends: Axes, keys: Sequence[Key] = ()) -> Band:
    """Return (written bytes, lowest, highest reads) per second between which 95 % of repeated contours are.

    `keys` are all contours of the map. Where waits hardly change with the rate, a small error of a wait moves the
    contour far. More writes leave room for fewer reads, thus a place bounds those on its left from below and those on
    its right from above.
    """
    errors, moved = _errors(measured, key.percent), moves(measured, key, ends)
    if len(moved) < FEW:
        moved = [move for other in keys for move in moves(measured, other, ends)]
    freedom = max(len(moved), 1)
    student = STUDENT[min(freedom, len(STUDENT)) - 1]
    share = SIDES * student * math.sqrt(sum(move * move for move in moved) / freedom)
    low, high = (contour([_shifted(cell, errors, sign) for cell in measured], key, ends) for sign in (1, -1))
    lowest = list(accumulate((reads for _, reads in reversed(low)), max))[::-1]
    highest = list(accumulate((reads for _, reads in high), min))
    places = [(x, min(a, b), max(a, b)) for (x, _), a, b in zip(low, lowest, highest, strict=True)]
    lows, highs = [(x, a) for x, a, _ in places], [(x, b) for x, _, b in places]
    return [(x, _tube(lows, x, share, ends)[0], _tube(highs, x, share, ends)[1]) for x, _, _ in places]


def repeated(measured: Sequence[Cell], keys: Sequence[Key], ends: Axes) -> Place | None:
    """Return (reads, written bytes) per second of a cell to measure again, or None if none is left.

    In turn that is the cell nearest to most contours, which a small change of the drive moves, and the middle one of
    those that bound a contour, which shows places that seem to be certain.
    """
    times, near = Counter((cell.reads, cell.writes) for cell in measured), dict[Place, float]()
    for key in keys:
        reads = dict(contour(measured, key, ends))
        for place in _bounding(measured, key, ends):
            apart = abs(place[0] - reads[place[1]]) / ends.reads
            near[place] = near.get(place, 0.0) + max(1 - apart / REACH, 0.0)
    once = [place for place in times if times[place] == 1 and place in near]
    turn = sum(count > 1 for count in times.values())
    if turn % 2 and once:
        return once[len(once) // 2]
    return max(once, key=near.__getitem__, default=None)


def moves(measured: Sequence[Cell], key: Key, ends: Axes) -> list[float]:
    """Return how far a contour moves, as shares of an axis, if one cell has the waits of its second visit.

    Cells that do not bound the contour are left out unless they move it.
    """
    visits: dict[Place, list[Cell]] = {}
    for cell in measured:
        if cell.why != "host":
            visits.setdefault((cell.reads, cell.writes), []).append(cell)
    first = {place: cells[0] for place, cells in visits.items()}
    points, found = contour([*first.values()], key, ends), list[float]()
    bounding, before = _bounding([*first.values()], key, ends), dict(points)
    for place, (_, *again) in visits.items():
        if again:
            begun = columns([*{**first, place: again[0]}.values()])
            reads, _ = crossing(bounded(brackets(begun, key, ends.reads), place[1]), key)
            if place in bounding or reads != before[place[1]]:
                found.append(_distance(points, place[1], reads, ends))
    return found


def _bounding(measured: Sequence[Cell], key: Key, ends: Axes) -> set[Place]:
    """Return the cells on both sides of a contour, of the columns in which it has reads."""
    found = set[Place]()
    for column in columns(measured).values():
        edges = bracket(column, key, ends.reads)
        if edges.held:
            found |= {(cell.reads, cell.writes) for cell in column if cell.reads in edges[:2]}
    return found


def _distance(points: Points, writes: float, reads: float, ends: Axes) -> float:
    """Return the least share of both axes by which a contour must be widened to hold a place, by bisection."""
    near, far = 0.0, 1.0
    low, high = _tube(points, writes, near, ends)
    if low <= reads <= high:
        return 0.0
    for _ in range(STEPS):
        middle = (near + far) / 2
        low, high = _tube(points, writes, middle, ends)
        near, far = (near, middle) if low <= reads <= high else (middle, far)
    return far


def _tube(points: Points, writes: float, share: float, ends: Axes) -> tuple[float, float]:
    """Return the lowest and the highest reads at a write rate of a contour that a share of both axes widens.

    Reads alone are widened in reads only: their rate of writes is exactly 0.
    """
    wide = share * ends.writes if writes else 0.0
    left, right = max(writes - wide, points[0][0]), writes + wide
    low, high = between(points, right) or 0.0, between(points, left) or 0.0
    return max(low - share * ends.reads, 0.0), min(high + share * ends.reads, ends.reads)


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
