"""Charts for half the width of a page; their letters have the size of the text around them."""

from typing import Any

from stend.charts.parts import Picture
from stend.charts.parts.fit import LONG, fitted

WIDTH, PLOT, HEIGHT = 440, 350, 200
"""Width of a chart and of its plot, and height of a plot without rows, in pixels: on half a page 11 px are 6.1 pt."""
NAMES = 75
"""Pixels of the plot that the names of rows take."""
MOST_HEIGHT = 300
LOW, TALL = 130, 330
"""Heights of a plot that fits only then on the page of its chapter, and of the tallest above an empty foot."""
SMALL = 135
"""Width of one of several small charts."""
ALONE = 895
"""Width of a chart without a neighbour, which takes the whole width of the page at the same scale."""


STRETCH = 1.6
"""By so much a plot becomes taller to end level with the one beside it."""
MOST_COLUMNS = 8
"""Number of columns of a map up to which its numbers fit in half the width of a page."""


def height(spec: dict[str, Any]) -> float:
    """Return the height of the plots of a chart for half a page, in pixels."""
    usual = spec["config"]["view"]["continuousHeight"]
    parts = [spec["spec"]] if "spec" in spec else spec.get("vconcat", [spec])
    return float(sum(part.get("height", usual) for part in parts))


def height_of(given: float, usual: int) -> float:
    """Return the height of a plot with a given height: at most `MOST_HEIGHT`, then lower or taller as `usual` is."""
    given = min(given, MOST_HEIGHT)
    return min(given, usual) if usual < HEIGHT else min(given + usual - HEIGHT, given * TALL / HEIGHT)


def wide(picture: Picture) -> bool:
    """Return whether a chart needs the width of a page: a map of many columns, or rows with long names."""
    views = (view["encoding"] for view in picture.spec.get("layer", [picture.spec]) if "encoding" in view)
    for encoding in views:
        x, y = (_names(picture, encoding.get(name, {})) for name in "xy")
        if y and (len(x) > MOST_COLUMNS or max(map(len, y)) > LONG):
            return True
    return False


def _names(picture: Picture, channel: dict[str, Any]) -> set[str]:
    """Return the names on an axis of a chart; empty for an axis of numbers."""
    if channel.get("type") not in ("nominal", "ordinal"):
        return set()
    return {
        str(row[channel["field"]])
        for rows in picture.spec["datasets"].values()
        for row in rows
        if channel["field"] in row
    }


def half(picture: Picture, *, alone: bool = False, usual: int = HEIGHT) -> Picture:
    """Return a chart that is `WIDTH` wide including its labels, so that the letters of all such charts are equal.

    A chart `alone` is as wide as two of them and no taller. `usual` is the height of its plot.
    """
    whole = ALONE if alone else WIDTH
    plot = whole - (WIDTH - PLOT)
    spec: dict[str, Any] = dict(picture.spec)
    rows = spec.get("layer", [spec])[0].get("encoding", {}).get("y", {}).get("type") in ("nominal", "ordinal")
    view = {**spec["config"]["view"], "continuousHeight": usual, "discreteHeight": usual}
    spec |= {"config": {**spec["config"], "view": view}, "title": {**spec["title"], "fontSize": 13}}
    if "spec" in spec:
        spec |= {"spec": {**spec["spec"], "width": SMALL, "height": SMALL}, "columns": 4 if alone else 2}
    elif "vconcat" in spec:
        most = min(usual, HEIGHT)
        spec["vconcat"] = [{**p, "width": plot, "height": min(p["height"], most)} for p in spec["vconcat"]]
    else:
        own = {"height": height_of(spec.get("height", HEIGHT), usual)} if "height" in spec or not rows else {}
        spec = {key: value for key, value in spec.items() if key != "width"} | own
        spec["autosize"] = {"type": "fit-x", "contains": "padding"}
    made = fitted(spec, plot - NAMES * rows, whole)
    return picture._replace(spec=made | ({"width": whole} if "autosize" in made else {}))


def levelled(left: Picture, right: Picture) -> tuple[Picture, Picture]:
    """Return two charts of a row with titles of as many lines and plots of one height: that of the taller one.

    A plot of few rows beside a tall one keeps its height.
    """
    lines = max(map(_title_lines, (left, right)))
    several = any(key in one.spec for one in (left, right) for key in ("spec", "vconcat"))
    lower, taller = sorted((height(left.spec), height(right.spec)))
    tallest = None if several or taller > STRETCH * lower else taller
    return _levelled(left, lines, tallest), _levelled(right, lines, tallest)


def _levelled(picture: Picture, lines: int, tallest: float | None) -> Picture:
    title, more = picture.spec["title"], lines - _title_lines(picture)
    texts = [title["text"]] if isinstance(title["text"], str) else title["text"]
    spec = {**picture.spec, "title": {**title, "text": [*texts, *[" "] * more]} if more else title}
    return picture._replace(spec=spec if tallest is None else {**spec, "height": tallest})


def _title_lines(picture: Picture) -> int:
    """Return the lines of the title and the stamps of a chart."""
    texts = (picture.spec["title"].get(key, []) for key in ("text", "subtitle"))
    return sum(1 if isinstance(text, str) else len(text) for text in texts)
