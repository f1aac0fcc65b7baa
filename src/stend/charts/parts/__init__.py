"""Shared parts of charts: one look, colours that stay distinct for every reader, axes with units."""

from collections.abc import Mapping, Sequence
from math import ceil, floor, log10
from statistics import median
from typing import Any, NamedTuple

from stend.words import Language

Row = dict[str, Any]

# Okabe and Ito: distinct for all common kinds of colour vision. Sky and orange are darker: contrast on paper is 3.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b98a00", "#3a97cf", "#000000", "#8c8c8c")
BLUE, RED, GREEN, PINK, ORANGE, SKY, BLACK, GREY = COLOURS
BAND = "#b3ddf5"
"""A band below lines: light, and without opacity, because its legend would show the full colour."""
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 1], [1, 3], [10, 4], [3, 6])
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right", "triangle-left")
WIDTH, HEIGHT = 640, 320
MOST_POINTS, MOST_LINES = 1500, 5
SCALE = {"iops": 1.0, "throughput": 1e-6, "latency": 1e3, "longest": 1e3}
"""Factors from figures in base units to those of an axis: IOPS, MB/s, ms."""


class Drawing(NamedTuple):
    """A chart from its file: a title, a Vega-Lite chart over named rows, and a sentence on how to read it."""

    title: str
    chart: Any
    rows: Mapping[str, Sequence[Row]]
    says: str = ""
    test: str = ""
    """The test that a chart of a comparison is of, or "" for one of several tests."""


class Picture(NamedTuple):
    """A finished chart: the name of its file, title, specification, and a sentence as alternative text."""

    name: str
    title: str
    spec: dict[str, Any]
    says: str


def thin(points: Sequence[Row], x: str, y: str, most: int = MOST_POINTS) -> list[Row]:
    """Return about `most` points of a long series: the lowest and the highest of each stretch, to keep every spike."""
    if len(points) <= most:
        return list(points)
    size = -(-len(points) // (most // 2))
    kept: list[Row] = []
    for start in range(0, len(points), size):
        stretch = points[start : start + size]
        ends = {id(p): p for p in (min(stretch, key=lambda p: p[y]), max(stretch, key=lambda p: p[y]))}
        kept += sorted(ends.values(), key=lambda p: p[x])
    return kept


def binned(points: Sequence[Row], x: str, y: str, most: int = MOST_POINTS) -> list[Row]:
    """Return about `most` points of a long series: the median of each equal stretch of `x`.

    A level stays a level even if it is short compared to the whole. `low` and `high` of a point are the lowest and
    highest tenth of its stretch, for a band. The first point is kept unchanged if its stretch has
    fewer than three, because the course begins with it.
    """
    if len(points) <= most:
        return list(points)
    width = max((points[-1][x] - points[0][x]) / most, 1e-12)
    bins: dict[int, list[Row]] = {}
    for point in points:
        bins.setdefault(min(int((point[x] - points[0][x]) / width), most - 1), []).append(point)
    kept: list[Row] = [points[0]] if len(bins[0]) == 2 else []
    for stretch in bins.values():
        values = sorted(point[y] for point in stretch)
        tenth = (len(values) - 1) // 10
        usual = stretch[len(stretch) // 2]
        low, high = values[tenth], values[len(values) - 1 - tenth]
        kept.append({**usual, y: median(values), "low": low, "high": high})
    return kept


def time_scale(longest_s: float, words: Language) -> tuple[float, str]:
    """Return seconds per unit of a time axis and its title: milliseconds, seconds, minutes or hours by the length."""
    for unit, scale, limit in (("ms", 1e-3, 0.1), ("s", 1.0, 300.0), ("min", 60.0, 6 * 3600.0)):
        if longest_s <= limit:
            return scale, words(f"axis.time_{unit}")
    return 3600.0, words("axis.time_h")


def axis(field: str, title: str, *, log: bool = False, zero: bool = True, **more: Any) -> dict[str, Any]:
    """Return a quantitative Vega-Lite channel with a title; `parts/ticks.py` places its ticks."""
    scale: dict[str, Any] = {"type": "log", "nice": True} if log else {"zero": zero, "nice": True}
    shown = {"format": ",.3~r"} if log else {}
    return {"field": field, "type": "quantitative", "title": title, "scale": scale, "axis": {**shown, **more}}


def whole_axis(field: str, title: str) -> dict[str, Any]:
    """Return an axis of cells that fill it: it begins and ends with them, not at round numbers."""
    return axis(field, title) | {"scale": {"nice": False, "zero": False}}


def far_apart(rows: Sequence[Row], field: str, times: float = 10.0) -> bool:
    """Return whether the smallest and the largest value of a column are so far apart that lines need a log axis."""
    values = [row[field] for row in rows if row[field] > 0]
    return bool(values) and max(values) >= times * min(values)


def position(field: str, end_bytes: float, words: Language) -> dict[str, Any]:
    """Return an axis of positions on a drive in GB, which ends where the tested range ends.

    If that is just below a round number, which can have a label, the axis ends there.
    """
    channel, end_gb = axis(field, words("axis.position")), end_bytes / 1e9
    decade = 10.0 ** floor(log10(end_gb))
    step = next(part * decade for part in (0.2, 0.5, 1.0) if end_gb <= 10 * part * decade)
    rounded_gb = float(f"{ceil(end_gb / step) * step:.2g}")
    return channel | {"scale": {"nice": False, "domain": [0, rounded_gb if rounded_gb < 1.01 * end_gb else end_gb]}}


def zoom() -> dict[str, Any]:
    """Return a parameter for panning and zooming the time axis: drag to pan, Shift and wheel to zoom.

    A wheel without Shift scrolls the page.
    """
    select = {"type": "interval", "encodings": ["x"], "zoom": "wheel![event.shiftKey]"}
    return {"name": "zoom", "select": select, "bind": "scales"}


def series_scale(names: Sequence[str], channel: Sequence[Any]) -> dict[str, Any]:
    """Return a fixed mapping of series to colours, dashes or shapes, so that a series looks the same in every chart.

    If there are more names than colours, a colour that is used again gets another dash and another shape.
    """
    size, turned = len(channel), channel is DASHES or channel is SHAPES
    return {"domain": list(names), "range": [channel[(i + turned * (i // size)) % size] for i in range(len(names))]}


def few(values: Sequence[Any]) -> list[Any]:
    """Return at most `MOST_LINES` values, evenly from the first to the last: more lines cannot be told apart."""
    if len(values) <= MOST_LINES:
        return list(values)
    return [values[i * (len(values) - 1) // (MOST_LINES - 1)] for i in range(MOST_LINES)]


def ladder(count: int) -> list[str]:
    """Return `count` colours in order, from dark to light: viridis, as far as its contrast on paper is 3."""
    steps = ["#440154", "#46327e", "#365c8d", "#277f8e", "#1fa187"]
    steps = steps if count <= len(steps) else [*steps[:3], "#2e6f8e", steps[3], "#21908c", steps[4]]
    if count <= 1:
        return [steps[0]]
    return [steps[round(i * (len(steps) - 1) / (count - 1))] for i in range(count)]
