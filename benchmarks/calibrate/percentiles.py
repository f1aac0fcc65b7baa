"""Compare published percentiles with simulated ones, by kind of cell.

A kind is a block size, a percentile and a queue depth. The profiles are fitted to the kinds whose values are published
here: 4 KiB at 99 and 99.99 %. The `unseen` cells of published.toml are of other kinds (8 KiB, 99.9 %). No profile can
be fitted to them because their values are not in the repository. `table` prints the simulated values for readers of the
publication. To print the errors, put the published values into published.toml.
"""

import math
import re
import statistics
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from benchmarks.calibrate import fit
from benchmarks.calibrate.fit import Row
from stend.model.published import published
from stend.sim.spec import Spec

MIXES = ("100", "65", "0")
FITTED = tuple(("4K", percent) for percent in ("99", "99.99"))
"""Block size and percentile of the kinds that profiles are fitted to."""
CELL = re.compile(r"latency p(?P<percent>[\d.]+) (?P<block>\d+K) (?P<read>\d+)(?: Q(?P<depth>\d+))?$")
MEDIAN, FACTOR = 0.25, 2.0
"""Limits for the known percentiles: the largest median error, and the largest factor of a single error."""


class Cell(NamedTuple):
    """One percentile of a publication."""

    percent: str
    block: str
    read_pct: str
    depth: int

    @property
    def fitted(self) -> bool:
        """Return True if profiles are fitted to this kind of cell."""
        return (self.block, self.percent) in FITTED

    @property
    def kind(self) -> str:
        """Return the name of the kind: `8K 99.99 % QD1`."""
        return f"{self.block} {self.percent} % QD{self.depth}"


def cells(rows: Iterable[Row]) -> Iterator[tuple[Cell, Row]]:
    """Yield the percentiles among the rows of a drive."""
    for row in rows:
        if match := CELL.match(row.cell):
            yield Cell(match["percent"], match["block"], match["read"], int(match["depth"] or 1)), row


def drives() -> list[str]:
    """Return the drives with published percentiles and a profile."""
    return [name for name in fit.drives() if "latency" in published()[name]]


def rows(spec: Spec) -> Iterator[Row]:
    """Simulate every percentile of a drive's publication; `published` is NaN for the unseen ones."""
    facts, simulated = published()[spec.name], fit.simulated(spec, "latency")
    known = {f"latency {cell}": value for cell, value in facts["latency"].items()}
    every = [name for name in (*known, *facts.get("unseen", {}).get("cells", ())) if CELL.match(name)]
    for name in dict.fromkeys(every):
        value = simulated[name.removeprefix("latency ")]
        yield Row(spec.name, name, known.get(name, math.nan), value, name not in known)


def factor(row: Row) -> float:
    """Return the factor between the simulated and the published value, at least 1."""
    ratio = row.simulated / row.published
    return max(ratio, 1 / ratio) if ratio else math.inf


def held(all_rows: Iterable[Row]) -> bool:
    """Return True if the known percentiles are within the limits MEDIAN and FACTOR."""
    known = [row for row in all_rows if not math.isnan(row.published)]
    near = statistics.median(abs(row.error) for row in known) <= MEDIAN
    return near and all(factor(row) <= FACTOR for row in known)


def table(all_rows: Iterable[Row]) -> str:
    """Return Markdown: every percentile, then median and largest factor by kind and by drive."""
    each = list(cells(all_rows))
    lines = [
        "| drive | kind | load | published, us | simulated, us | ratio | |",
        "|---|---|---|--:|--:|--:|---|",
        *(_line(cell, row) for cell, row in each),
        "",
        "| kind of cell | cells | known here | fitted | median error | largest factor |",
        "|---|--:|--:|---|--:|--:|",
    ]
    kinds = dict.fromkeys(cell.kind for cell, _ in each)
    lines += [_summary(kind, [pair for pair in each if pair[0].kind == kind]) for kind in kinds]
    for name in dict.fromkeys(row.drive for _, row in each):
        lines.append(_summary(name, [pair for pair in each if pair[1].drive == name]))
    return "\n".join([*lines, _summary("all", each)])


def _line(cell: Cell, row: Row) -> str:
    load = {"100": "reads", "0": "writes"}.get(cell.read_pct, f"{cell.read_pct}/{100 - int(cell.read_pct)}")
    place = f"{row.drive} | {cell.kind} | {load}"
    if math.isnan(row.published):
        return f"| {place} | not known here | {row.simulated:.4g} | | not fitted |"
    figures = f"{row.published:.6g} | {row.simulated:.4g} | {row.simulated / row.published:.2f}"
    return f"| {place} | {figures} | {'fitted' if cell.fitted else 'not fitted'} |"


def _summary(name: str, pairs: list[tuple[Cell, Row]]) -> str:
    known = [row for _, row in pairs if not math.isnan(row.published)]
    fitted = {cell.fitted for cell, _ in pairs}
    how = "in part" if len(fitted) > 1 else "yes" if True in fitted else "no"
    counts = f"{name} | {len(pairs)} | {len(known)} | {how}"
    if not known:
        return f"| {counts} | - | - |"
    median = statistics.median(abs(row.error) for row in known)
    return f"| {counts} | {median:.1%} | {max(map(factor, known)):.2f} |"
