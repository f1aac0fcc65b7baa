"""Search of a service map: which cell is measured next, so that few cells show where the contours are."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations, pairwise

from stend.model.service_map import Bracket, Cell, Key, Search, between, bounded, bracket, columns, contour, crossing

SHARE = 0.4
"""Share of the allowed distance that a bracket may take; lines between columns take the rest."""
EDGE = 0.15
"""Least distance of a cell from the ends of its bracket, as a share of it."""
NARROWEST = 1 / 40
"""Least distance of columns, as a share of the write axis."""


def following(measured: Sequence[Cell], wanted: Search) -> tuple[float, float] | None:
    """Return (reads, written bytes) per second of the next cell, or None when the search is complete.

    1. Repeat a cell once that the host spoiled. 2. Repeat both cells where more writes seem to leave room for more
    reads. 3. Narrow the most doubtful bracket of any contour in any column. 4. Begin a column where lines between
    columns are farthest from the contours, until all are near.
    """
    if not wanted.keys or len(measured) >= wanted.cells:
        return None
    last = measured[-1] if measured else None
    if last and last.why == "host" and sum(c[:2] == last[:2] for c in measured) == 1:
        return last.reads, last.writes
    begun = columns(measured)
    cell = _doubtful(begun, measured, wanted) or _narrowed(begun, wanted)
    if cell is None and (writes := _begun(measured, wanted)) is not None:
        cell = _first(measured, writes, wanted), writes
    return cell and (float(round(cell[0])), float(round(cell[1])))


FIRST = (0.0, 1.0, 0.5, 0.05, 0.25, 0.75)
"""Columns that every search begins with, as shares of the write axis: the first writes often cost most."""


def _narrowed(begun: dict[float, list[Cell]], wanted: Search) -> tuple[float, float] | None:
    """Return the next cell of the most doubtful bracket, or None if all are clear enough."""
    doubtful, chosen = SHARE * wanted.within * wanted.axes.reads, None
    for writes in begun:
        for key in wanted.keys:
            found = bounded(begun, writes, key, wanted.axes.reads)
            doubt = crossing(found, key)[1]
            if found.failed > wanted.least * (1 + 1e-9) and doubt > doubtful:
                doubtful, chosen = doubt, (_inside(begun, writes, key, found, wanted), writes)
    return chosen


def _doubtful(begun: dict[float, list[Cell]], measured: Sequence[Cell], wanted: Search) -> tuple[float, float] | None:
    """Return a cell to repeat that another one with more writes contradicts, or None."""
    near, times = wanted.within * wanted.axes.reads, Counter((cell.reads, cell.writes) for cell in measured)
    order = sorted(begun)
    for key in wanted.keys:
        found = {x: bracket(begun[x], key, wanted.axes.reads) for x in order}
        for fewer, more in combinations(order, 2):
            for place in ((found[fewer].failed, fewer), (found[more].held, more)):
                if found[more].held >= found[fewer].failed + near and times[place] == 1:
                    return place
    return None


def _inside(begun: dict[float, list[Cell]], writes: float, key: Key, found: Bracket, wanted: Search) -> float:
    """Return a read rate within a bracket where its contour is expected; the least rate if no cell has held."""
    if not found.held:
        return wanted.least
    wide, guess = found.failed - found.held, crossing(found, key)[0]
    expected = _expected(begun, writes, key, wanted)
    if expected is not None and (found.held_s is None or found.failed_s is None):
        guess = expected
    return min(max(guess, found.held + EDGE * wide), found.failed - EDGE * wide)


def _expected(begun: dict[float, list[Cell]], writes: float, key: Key, wanted: Search) -> float | None:
    """Return the contour at a column on the line between its neighbours, or None without two of them."""
    others = [cell for x, column in begun.items() if x != writes for cell in column]
    return between(contour(others, key, wanted.axes.reads), writes)


def _begun(measured: Sequence[Cell], wanted: Search) -> float | None:
    """Return the write rate of the next column, or None if lines between columns are near enough.

    How far a line may be off shows in the distance of a monotone cubic from it, in the middle between two columns.
    """
    begun, width, top = columns(measured), wanted.axes.writes, wanted.axes.reads
    for share in FIRST:
        if all(abs(writes - share * width) > NARROWEST / 2 * width for writes in begun):
            return share * width
    farthest, chosen = wanted.within / 4 * wanted.axes.reads, None
    curves = [contour(measured, key, top) for key in wanted.keys]
    for place, (left, right) in enumerate(pairwise(sorted(begun))):
        if right - left > 2 * NARROWEST * width:
            off = max(_bend(points, place) for points in curves)
            farthest, chosen = (off, float(round((left + right) / 2))) if off > farthest else (farthest, chosen)
    return chosen


def _bend(points: Sequence[tuple[float, float]], place: int) -> float:
    """Return how far a contour may be from the line in the middle of a stretch.

    That is the distance of a monotone cubic (Fritsch and Butland 1984). A contour that ends at 0 may do so anywhere.
    """
    slopes = [(y2 - y1) / (x2 - x1) for (x1, y1), (x2, y2) in pairwise(points)]
    here = slopes[place]
    before, after = slopes[max(place - 1, 0)], slopes[min(place + 1, len(slopes) - 1)]
    ends = [2 * a * here / (a + here) if a * here > 0 else 0.0 for a in (before, after)]
    (x1, y1), (x2, y2) = points[place : place + 2]
    return max(abs(ends[0] - ends[1]) / 8 * (x2 - x1), 0.0 if y2 else y1 / 4)


def _first(measured: Sequence[Cell], writes: float, wanted: Search) -> float:
    """Return the read rate of a column's first cell: where its first contour is expected, or half of the axis."""
    begun = columns(measured)
    expected = [_expected(begun, writes, key, wanted) for key in wanted.keys]
    known = [y for y in expected if y is not None]
    near = wanted.within * wanted.axes.reads
    return max(max(known) + 0.4 * near if known else wanted.axes.reads / 2, wanted.least)
