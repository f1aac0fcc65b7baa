"""Search of a service map: which cell is measured next, so that few cells show where the contours are."""

import math
from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from stend.model.service_band import repeated
from stend.model.service_map import (
    Bracket,
    Cell,
    Key,
    Search,
    Stretch,
    between,
    bounded,
    brackets,
    columns,
    contour,
    crossing,
    stretches,
)

EDGE = 0.15
"""Least distance of a cell from the ends of its bracket, as a share of it."""
AIM = 0.3
"""Distance of a cell from the place where its contour is expected, as a share of the allowed distance."""
FARTHER = 4
"""Growth of the steps away from a wrong expectation."""
NARROWEST = 1 / 40
"""Least distance of columns, as a share of the write axis."""
ALONE = 0.8
"""Part of the allowed distance that the brackets of reads alone may take."""
REPEATED = 1 / 6
"""Share of the cells that are measured again after the search."""
ENOUGH = 0.35
"""Brackets at least this share of what the distance of columns leaves open are narrowed first."""


def following(measured: Sequence[Cell], wanted: Search) -> tuple[float, float] | None:
    """Return (reads, written bytes) per second of the next cell, or None when the search is complete.

    1. Begin with reads alone. 2. Repeat a cell once that the host spoiled. 3. Repeat both cells where more writes seem
    to leave room for more reads. 4. Where a contour may be farthest from its line, narrow a bracket or begin a column.
    5. Measure some cells again: what they differ by is what the drive changes by (`service_band`).
    """
    if not wanted.keys or len(measured) >= wanted.cells:
        return None
    if not measured:
        return float(round(wanted.axes.reads / 2)), 0.0
    last, begun = measured[-1], columns(measured)
    if last.why == "host" and sum(c[:2] == last[:2] for c in measured) == 1:
        return last.reads, last.writes
    again = round(REPEATED * wanted.cells)
    cell = None
    if len({cell[:2] for cell in measured}) < wanted.cells - again:
        cell = _doubtful(begun, measured, wanted) or _worst(begun, measured, wanted)
    if cell is None and sum(times > 1 for times in Counter(cell[:2] for cell in measured).values()) < again:
        return repeated(measured, wanted.keys, wanted.axes)
    return cell and (float(round(cell[0])), float(round(cell[1])))


def _worst(begun: dict[float, list[Cell]], measured: Sequence[Cell], wanted: Search) -> tuple[float, float] | None:
    """Return a cell where a contour may be farthest from its line, or None if all are near enough.

    The brackets of reads alone come first: cells with writes leave cleaning behind, which slows later reads.
    """
    found = stretches(measured, wanted)
    if len(begun) == 1:
        for stretch in sorted(found, key=lambda one: -one.brackets[0]):
            if stretch.brackets[0] > ALONE * wanted.within and (cell := _narrowed(begun, measured, stretch, wanted)):
                return cell
    for stretch in sorted(found, key=lambda one: -one.most):
        if stretch.most <= wanted.within:
            return None
        apart = stretch.right - stretch.left > 2 * NARROWEST * wanted.axes.writes
        if max(stretch.brackets) < ENOUGH * stretch.columns and apart:
            writes = float(round((stretch.left + stretch.right) / 2))
            return _first(measured, writes, wanted), writes
        if cell := _narrowed(begun, measured, stretch, wanted):
            return cell
    return None


def _narrowed(
    begun: dict[float, list[Cell]], measured: Sequence[Cell], stretch: Stretch, wanted: Search
) -> tuple[float, float] | None:
    """Return a cell inside the wider bracket of a stretch, or None if no new cell is left there."""
    for part, writes in sorted(zip(stretch.brackets, stretch[:2], strict=True), reverse=True):
        if part > 0 and writes in begun:
            reads = float(round(_inside(begun, writes, stretch.key, wanted)))
            if all((reads, writes) != cell[:2] for cell in measured):
                return reads, writes
    return None


def _doubtful(begun: dict[float, list[Cell]], measured: Sequence[Cell], wanted: Search) -> tuple[float, float] | None:
    """Return a cell to repeat that another one with more writes contradicts, or None."""
    near, times = wanted.within * wanted.axes.reads, Counter((cell.reads, cell.writes) for cell in measured)
    order = sorted(begun)
    for key in wanted.keys:
        found = brackets(begun, key, wanted.axes.reads)
        for fewer, more in combinations(order, 2):
            for place in ((found[fewer].failed, fewer), (found[more].held, more)):
                if found[more].held >= found[fewer].failed + near and times[place] == 1:
                    return place
    return None


def _inside(begun: dict[float, list[Cell]], writes: float, key: Key, wanted: Search) -> float:
    """Return a read rate within a bracket: between two known waits where they cross the limit, otherwise by `_near`."""
    found = bounded(brackets(begun, key, wanted.axes.reads), writes)
    wide, middle = found.failed - found.held, (found.held + found.failed) / 2
    if found.held_s is not None and found.failed_s is not None and math.isfinite(found.failed_s):
        guess = crossing(found, key)[0]
        return min(max(guess, found.held + EDGE * wide), found.failed - EDGE * wide)
    expected = _expected(begun, writes, key, wanted)
    return max(middle if expected is None else _near(expected, found, wanted), wanted.least)


def _near(expected: float, found: Bracket, wanted: Search) -> float:
    """Return a read rate that likely is an end of a narrow bracket around the expected one.

    Beyond a wrong expectation the steps grow by FARTHER, up to the middle of the bracket. Without a held cell the least
    rate is next.
    """
    aim, middle = AIM * wanted.within * wanted.axes.reads, (found.held + found.failed) / 2
    if not found.held and expected + aim >= found.failed:
        return wanted.least
    if expected - aim <= found.held:
        return min(found.held + max(2 * aim, FARTHER * (found.held - expected)), middle)
    if expected + aim >= found.failed:
        return max(found.failed - max(2 * aim, FARTHER * (expected - found.failed)), middle)
    return expected - aim


def _expected(begun: dict[float, list[Cell]], writes: float, key: Key, wanted: Search) -> float | None:
    """Return the contour at a column on the line between its neighbours, or None without two of them."""
    others = [cell for x, column in begun.items() if x != writes for cell in column]
    return between(contour(others, key, wanted.axes), writes)


def _first(measured: Sequence[Cell], writes: float, wanted: Search) -> float:
    """Return the read rate of a column's first cell: where its first contour is expected, or half of the axis."""
    begun = columns(measured)
    expected = [_expected(begun, writes, key, wanted) for key in wanted.keys]
    known = [y for y in expected if y is not None]
    aim = AIM * wanted.within * wanted.axes.reads
    return max(max(known) - aim if known else wanted.axes.reads / 2, wanted.least)
