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


ROW = 28
"""Pixels that a row with a name of two lines needs."""
STRETCH = 1.6
"""By so much a plot becomes taller to end level with the one beside it."""
NAMED = ("nominal", "ordinal")
"""Types of an axis of names."""
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
    if channel.get("type") not in NAMED:
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
    rows, columns = (_channel(picture, name).get("type") in NAMED for name in "yx")
    usual = max(usual, HEIGHT) if rows and columns else usual  # the cells of a map have lines of text
    view = {**spec["config"]["view"], "continuousHeight": usual, "discreteHeight": usual}
    spec |= {"config": {**spec["config"], "view": view}, "title": {**spec["title"], "fontSize": 13}}
    if "spec" in spec:
        spec |= {"spec": {**spec["spec"], "width": SMALL, "height": SMALL}, "columns": 4 if alone else 2}
    elif "vconcat" in spec:
        most, more = min(usual, HEIGHT), max(usual - HEIGHT, 0) / len(spec["vconcat"])
        spec["vconcat"] = [{**p, "width": plot, "height": min(p["height"], most) + more} for p in spec["vconcat"]]
    else:
        own = {"height": height_of(spec.get("height", HEIGHT), usual)} if "height" in spec or not rows else {}
        spec = {key: value for key, value in spec.items() if key != "width"} | own
        spec["autosize"] = {"type": "fit-x", "contains": "padding"}
    made = fitted(spec, plot - NAMES * rows, whole)
    return picture._replace(spec=made | ({"width": whole} if "autosize" in made else {}))


def levelled(left: Picture, right: Picture) -> tuple[Picture, Picture]:
    """Return two charts of a row with titles of as many lines and plots of one height.

    It is that of the taller one, or of the one without rows if the rows of the other have room in it. Few rows beside a
    tall plot keep their height.
    """
    pair = left, right
    lines = max(map(_title_lines, pair))
    several = any(key in one.spec for one in pair for key in ("spec", "vconcat"))
    heights, rows = [height(one.spec) for one in pair], [ROW * len(_names(one, _channel(one, "y"))) for one in pair]
    alike = bool(rows[0]) == bool(rows[1])
    wanted = max(whole if alike or not own else own for whole, own in zip(heights, rows, strict=True))
    level = None if several or wanted > STRETCH * min(heights) else wanted
    return _levelled(left, lines, level), _levelled(right, lines, level)


def _levelled(picture: Picture, lines: int, level: float | None) -> Picture:
    title, more = picture.spec["title"], lines - _title_lines(picture)
    texts = [title["text"]] if isinstance(title["text"], str) else title["text"]
    spec = {**picture.spec, "title": {**title, "text": [*texts, *[" "] * more]} if more else title}
    return picture._replace(spec=spec if level is None else {**spec, "height": level})


def _channel(picture: Picture, name: str) -> dict[str, Any]:
    """Return a channel of the first layer of a chart, or {}."""
    channel: dict[str, Any] = picture.spec.get("layer", [picture.spec])[0].get("encoding", {}).get(name, {})
    return channel


def _title_lines(picture: Picture) -> int:
    """Return the lines of the title and the stamps of a chart."""
    texts = (picture.spec["title"].get(key, []) for key in ("text", "subtitle"))
    return sum(1 if isinstance(text, str) else len(text) for text in texts)
