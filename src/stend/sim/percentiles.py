"""Whether the tails of the virtual drives hold where they were not fitted.

Every second published percentile of a drive is fitted, the others are kept aside: like the squares of a chess board
over mix (reads, 65/35, writes), percentile (99, 99.99) and depth. The shapes of the mechanisms were chosen with all of
them in view; their numbers were fitted without those kept aside.
"""

import re
import statistics
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from stend.published import published
from stend.sim import calibrate
from stend.sim.calibrate import Row
from stend.sim.spec import Spec

MIXES, PERCENTS = ("100", "65", "0"), ("99", "99.99")
CELL = re.compile(r"latency p(?P<percent>[\d.]+) (?P<block>\d+K) (?P<read>\d+)(?: Q(?P<depth>\d+))?$")
MEDIAN, FACTOR = 0.25, 2.0
"""What is asked of those kept aside: their median error, and by which factor none is off."""


class Cell(NamedTuple):
    """One published percentile."""

    percent: str
    block: str
    read_pct: str
    depth: int


def cells(rows: Iterable[Row]) -> Iterator[tuple[Cell, Row]]:
    """The percentiles among the rows of a drive."""
    for row in rows:
        if found := CELL.match(row.cell):
            yield Cell(found["percent"], found["block"], found["read"], int(found["depth"] or 1)), row


def aside(cell: Cell) -> bool:
    """Whether it is one of the squares that are not fitted."""
    return (MIXES.index(cell.read_pct) + PERCENTS.index(cell.percent) + (cell.depth > 1)) % 2 == 1


def drives() -> list[str]:
    """Those that percentiles were published of and that have a profile."""
    return [name for name in calibrate.drives() if "latency" in published()[name]]


def rows(spec: Spec) -> Iterator[Row]:
    """Every published percentile of a drive, simulated in rounds after two fills."""
    return (row for _, row in cells(calibrate.measured(spec, ("latency",))))


def off(row: Row) -> float:
    """The factor between what is simulated and what is published, at least 1."""
    ratio = row.simulated / row.published
    return max(ratio, 1 / ratio) if ratio else float("inf")


def held(told: Iterable[Row]) -> bool:
    """Whether those kept aside are as near as is asked."""
    kept = [row for row in told if row.kept]
    near = statistics.median(abs(row.error) for row in kept) <= MEDIAN
    return near and all(off(row) <= FACTOR for row in kept)


def table(told: Iterable[Row]) -> str:
    """Markdown: every percentile, then median and worst of each drive's that were not fitted."""
    all_rows = list(told)
    lines = [
        "| drive | percentile | load | outstanding | published, us | simulated, us | ratio | |",
        "|---|--:|---|--:|--:|--:|--:|---|",
        *(_line(cell, row) for cell, row in cells(all_rows)),
        "",
        "| drive | fitted | not fitted | median error | worst factor |",
        "|---|--:|--:|--:|--:|",
    ]
    names = list(dict.fromkeys(row.drive for row in all_rows))
    each = [(name, [row for row in all_rows if row.drive == name]) for name in names]
    return "\n".join([*lines, *(_summary(*one) for one in [*each, ("all", all_rows)])])


def _line(cell: Cell, row: Row) -> str:
    load = {"100": "reads", "0": "writes"}.get(cell.read_pct, f"{cell.read_pct}/{100 - int(cell.read_pct)}")
    place = f"{row.drive} | {cell.percent} % | {cell.block} {load} | {cell.depth}"
    figures = f"{row.published:.6g} | {row.simulated:.4g} | {row.simulated / row.published:.2f}"
    return f"| {place} | {figures} | {'not fitted' if row.kept else 'fitted'} |"


def _summary(name: str, told: list[Row]) -> str:
    kept = [row for row in told if row.kept]
    median = statistics.median(abs(row.error) for row in kept)
    return f"| {name} | {len(told) - len(kept)} | {len(kept)} | {median:.1%} | {max(map(off, kept)):.2f} |"
