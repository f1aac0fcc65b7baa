"""A drive, and how drives are told apart on shared axes: runs in colours of a fixed order, published ones in grey."""

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
    """A drive on the charts: its run, or what was published of it (a table of published.toml)."""

    def __init__(self, name: str, run: Run | None = None, facts: dict[str, Any] | None = None) -> None:
        self.name, self.run, self.facts = name, run, facts or {}

    @property
    def rows(self) -> tuple[Figures, ...]:
        """All figures of its run."""
        return figures(self.run) if self.run else ()

    def test(self, name: str) -> PlannedTest | None:
        """The first of its tests that is one of this name; None where it ran none."""
        return next(iter(look.tests(self.run, name)), None) if self.run else None


def colours(sides: Sequence[Side]) -> list[str]:
    """Return the colours of runs in their order, greys for published drives; both start again where they end."""
    runs, greys = cycle(COLOURS), cycle(GREYS)
    return [next(runs) if side.run else next(greys) for side in sides]


def dashes(sides: Sequence[Side]) -> list[Sequence[int]]:
    """Return a full line for each run, another dash for each further run of its colour; one for published drives."""
    runs = count()
    return [DASHES[next(runs) // len(COLOURS) % len(DASHES)] if side.run else PUBLISHED for side in sides]


def channels(sides: Sequence[Side], shown: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Colour, dash and shape of each drive, the same in every chart; the legend has those that are shown."""
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
