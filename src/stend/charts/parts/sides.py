"""Drives on shared axes: runs in colours of a fixed order, published drives in grey."""

from collections.abc import Sequence
from itertools import count, cycle
from typing import Any

from stend.charts.parts import COLOURS, DASHES, SHAPES, series_scale
from stend.findings import look
from stend.findings.look.figures import Figures, figures
from stend.model.definition import PlannedTest
from stend.model.record import Run

PUBLISHED = (5, 3)
GREYS = ("#6e7781", "#9aa2ab", "#57606a", "#b1b8bf")


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


def colours(sides: Sequence[Side]) -> list[str]:
    """Return one colour per drive: runs in a fixed order, published drives in greys; both repeat when used up."""
    runs, greys = cycle(COLOURS), cycle(GREYS)
    return [next(runs) if side.run else next(greys) for side in sides]


def dashes(sides: Sequence[Side]) -> list[Sequence[int]]:
    """Return one dash per drive: full for a colour's first run, another for each reuse; one for published drives."""
    runs = count()
    return [DASHES[next(runs) // len(COLOURS) % len(DASHES)] if side.run else PUBLISHED for side in sides]


def channels(sides: Sequence[Side], shown: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return colour, dash and shape of each drive, the same in every chart; the legend lists the drives in `shown`."""
    names = [side.name for side in sides]
    base: dict[str, Any] = {"field": "drive", "type": "nominal", "title": None}
    legend = {"legend": None} if len(shown) < 2 else {"legend": {"orient": "bottom", "columns": 2, "labelLimit": 300}}
    keep = [i for i, name in enumerate(names) if name in shown]
    shapes = series_scale(names, SHAPES)["range"]
    marks: dict[str, list[Any]] = {"color": colours(sides), "strokeDash": dashes(sides), "shape": shapes}
    return {
        key: {**base, **legend, "scale": {"domain": [names[i] for i in keep], "range": [values[i] for i in keep]}}
        for key, values in marks.items()
    }
