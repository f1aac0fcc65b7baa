"""Drives on shared axes: runs in colours of a fixed order, published drives in grey."""

from collections.abc import Sequence
from itertools import count, cycle
from typing import Any

from stend.charts.parts import COLOURS, DASHES, SHAPES, Row, series_scale
from stend.charts.parts.marks import nominal
from stend.charts.parts.vega import Chart
from stend.findings import look
from stend.findings.look import Record
from stend.findings.look.figures import Figures, figures
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.words import Language

RANGE_KEY = "M-1,-.7h.3v.5h1.4v-.5h.3v1.4h-.3v-.5h-1.4v.5h-.3z"
"""Symbol of a legend for a drive that has only published ranges: a bar between two ticks, as in the chart."""
PUBLISHED = ((5, 3), (2, 3), (9, 3), (9, 3, 2, 3))
GREYS = ("#6e7781", "#8a9199", "#57606a", "#3d444c")
"""Their contrast is at least 3 on paper, and on dark pages after `page.js` has changed two of them."""


class Side:
    """A drive on the charts: its run, or its published figures (a table of published.toml)."""

    def __init__(self, name: str, run: Run | None = None, facts: dict[str, Any] | None = None) -> None:
        self.name, self.run, self.facts = name, run, facts or {}

    @property
    def rows(self) -> tuple[Figures, ...]:
        """Return all figures of its run; empty without a run."""
        return figures(self.run) if self.run else ()

    def test(self, name: str) -> PlannedTest | None:
        """Return its first test of this name, or None if it did not run one."""
        return next(iter(look.tests(self.run, name)), None) if self.run else None

    def records(self, name: str, phase: str) -> list[Record]:
        """Return the records of a phase of its first test of this name; empty if it did not run one."""
        test = self.test(name)
        return look.records(self.run, test.name, phase) if self.run and test else []


def several(sides: Sequence[Side]) -> bool:
    """Return True if more than one of these drives has a run."""
    return sum(1 for side in sides if side.run) > 1


def titled(title: str, side: Side, sides: Sequence[Side]) -> str:
    """Return the title of a chart of one drive, with the name of the drive if there are several runs."""
    return f"{title}, {side.name}" if several(sides) else title


def colours(sides: Sequence[Side]) -> list[str]:
    """Return one colour per drive: runs in a fixed order, published drives in greys; both repeat when used up."""
    runs, greys = cycle(COLOURS), cycle(GREYS)
    return [next(runs) if side.run else next(greys) for side in sides]


def dashes(sides: Sequence[Side]) -> list[Sequence[int]]:
    """Return one dash per drive: full for a colour's first run, another for each reuse; broken for published drives."""
    runs, published = count(), cycle(PUBLISHED)
    return [DASHES[next(runs) // len(COLOURS) % len(DASHES)] if side.run else next(published) for side in sides]


def channels(sides: Sequence[Side], rows: Sequence[Row]) -> dict[str, dict[str, Any]]:
    """Return colour, dash and shape of each drive that has a row, the same in every chart.

    One that has only ranges has their symbol, and a full line.
    """
    names, shown = [side.name for side in sides], {row["drive"] for row in rows}
    ranges = shown - {row["drive"] for row in rows if "from" not in row}
    base = nominal("drive", title=None)
    keep = [i for i, name in enumerate(names) if name in shown]
    shapes = [RANGE_KEY if n in ranges else s for n, s in zip(names, series_scale(names, SHAPES)["range"], strict=True)]
    lines = [DASHES[0] if n in ranges else dash for n, dash in zip(names, dashes(sides), strict=True)]
    marks: dict[str, list[Any]] = {"color": colours(sides), "strokeDash": lines, "shape": shapes}
    return {
        key: {**base, "scale": {"domain": [names[i] for i in keep], "range": [values[i] for i in keep]}}
        for key, values in marks.items()
    }


def in_sets(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Return the figures as the set `rows`, and the published ranges, if there are any, as the set `published`."""
    ranges = [row for row in rows if "from" in row]
    return {"rows": [row for row in rows if "from" not in row]} | ({"published": ranges} if ranges else {})


def published_marks(x: dict[str, Any], y: dict[str, Any], colour: dict[str, Any], words: Language) -> Any:
    """Return published ranges of the set `published` as bars between two ticks; a single number is one tick.

    The range runs from `from` to `to` along y, or along x if y has names.
    """
    upright = y.get("type") == "quantitative"
    along, kept = (y, x) if upright else (x, y)
    tips = [
        nominal("drive", title=words("compare.drive")),
        {"field": "from", "type": "quantitative", "title": words("beside.published_from"), "format": ",.4~r"},
        {"field": "to", "type": "quantitative", "title": words("beside.published_to"), "format": ",.4~r"},
    ]
    mark = Chart("published").mark("errorbar", ticks={"size": 14, "thickness": 2.5}, rule={"strokeWidth": 2.5})
    first, second = ("y", "y2") if upright else ("x", "x2")
    places = {first: {**along, "field": "from"}, second: {"field": "to"}, "x" if upright else "y": kept}
    return mark.encode(**places, color=colour, tooltip=tips)
