"""Find layout defects of finished pages from the outside: PDF, HTML, SVG charts and Vega-Lite specifications.

    python -m benchmarks.pages FILE... [--counts]

A folder stands for all such files in it. Each defect is one line; `--counts` prints one line per kind.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

SUFFIXES = (".pdf", ".html", ".svg", ".json")


class Defect(NamedTuple):
    """A layout defect: what is wrong with which text or element, and where."""

    kind: str
    place: str
    """Page, figure or anchor in the file."""
    text: str
    """The text or element and the figure that breaks the limit."""


Found = Iterator[Defect]


class Box(NamedTuple):
    """A rectangle in points or pixels; y grows downwards."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        """Return the extent from left to right."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """Return the extent from top to bottom."""
        return self.bottom - self.top

    def common(self, other: "Box") -> "Box":
        """Return the intersection; width or height is negative or 0 if there is none."""
        return Box(
            max(self.left, other.left),
            max(self.top, other.top),
            min(self.right, other.right),
            min(self.bottom, other.bottom),
        )


def box_around(points: Sequence[tuple[float, float]]) -> Box:
    """Return the smallest box around points."""
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return Box(min(xs), min(ys), max(xs), max(ys))


class Text(NamedTuple):
    """A piece of one line of text, as drawn."""

    text: str
    box: Box
    """Its ink."""
    visible: Box
    """The part of `box` that the page, the picture and all clip paths leave; of no size if none."""
    colour: tuple[float, float, float, float]
    """Red, green and blue (0-255), opacity (0-1)."""
    size_pt: float
    place: str
    drawn: bool
    """Whether it belongs to a chart."""


def files_of(paths: Sequence[Path]) -> list[Path]:
    """Return the files, and those in the folders, that can be checked."""
    inside = [sorted(p for p in path.rglob("*") if p.suffix in SUFFIXES) if path.is_dir() else [path] for path in paths]
    return [file for files in inside for file in files]
