"""Marks that most charts are made of: lines with points, dots over time, grouped bars."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import ceil, floor, log2
from typing import Any

from stend.base.units import KiB
from stend.charts.parts import BLACK, COLOURS, DASHES, GREY, SHAPES, Row, axis, ladder, series_scale
from stend.charts.parts.vega import Chart
from stend.words import Language

Channel = dict[str, Any]


def nominal(field: str, **more: Any) -> Channel:
    """Return a Vega-Lite channel of names, such as those of drives."""
    return {"field": field, "type": "nominal", **more}


def category(field: str, title: str, order: Sequence[str], **more: Any) -> Channel:
    """Return a nominal axis in a fixed order with horizontal labels."""
    shown = {"labelAngle": 0}
    return nominal(field, title=title, sort=list(order), axis=shown, **more)


def kib(size_bytes: float, words: Language) -> str:
    """Return a block size for an axis in KiB, as `octaves` writes it: 512 -> `0.5`."""
    return words.show(size_bytes / KiB, "n")


def octaves(field: str, title: str, values: Sequence[float]) -> Channel:
    """Return a base-2 logarithmic axis with a tick at each value; linear if all values are equal.

    If a value is not a power of two (the queue depth 3 of disks), ticks are at all powers of two around the values.
    """
    marked = sorted(set(values))
    if len(marked) > 1 and any(log2(value) % 1 for value in marked):
        marked = [2.0**power for power in range(floor(log2(marked[0])), ceil(log2(marked[-1])) + 1)]
    scale = {"type": "log", "base": 2, "nice": False, "domain": [marked[0], marked[-1]]}
    if min(values) == max(values):
        scale = {"type": "linear", "zero": False}
    ticks = {"values": marked, "format": ",~g", "labelFlush": False}
    return {"field": field, "type": "quantitative", "title": title, "scale": scale, "axis": ticks}


NARROW = 4
"""Ratio of the ends of an axis of ratios up to which it is linear."""
RISE = 1.1
"""IOPS rise with the queue if they grow by this ratio over its last two steps, and never fall by it."""


def by_load(rows: Sequence[Row], field: str, words: Language) -> tuple[Channel, Channel, str]:
    """Return the x axis of response times under growing load, the order of its points, and "iops" or "depth".

    Rows have `n` outstanding IOs, `iops`, and `field`, the name of their line. Where IOPS do not rise with depth, lines
    against IOPS would be knots.
    """
    order: Channel = {"field": "n", "type": "quantitative"}
    for name in dict.fromkeys(row[field] for row in rows):
        rates = [row["iops"] for row in sorted((r for r in rows if r[field] == name), key=lambda row: row["n"])]
        if rates[-1] < RISE * rates[max(len(rates) - 3, 0)] or any(b * RISE < a for a, b in pairwise(rates)):
            return octaves("n", words("axis.outstanding"), [float(row["n"]) for row in rows]), order, "depth"
    return axis("iops", words("axis.iops")), order, "iops"


def tips(*channels: Channel) -> list[Channel]:
    """Return one tooltip line per channel, numbers to four digits."""
    return [
        {"field": c["field"], "type": c["type"], "title": c.get("title") or " "}
        | ({"format": ",.4~r"} if c["type"] == "quantitative" else {})
        for c in channels
    ]


def series(field: str, title: str | None, names: Sequence[str], *, ordered: bool = False) -> dict[str, Channel]:
    """Return colour, dash and shape of a series, so that it is readable in grey and for every kind of colour vision."""
    base = nominal(field, title=title)
    colours = ladder(len(names)) if ordered else COLOURS
    channels = {"color": colours, "strokeDash": DASHES, "shape": SHAPES}
    return {name: {**base, "scale": series_scale(names, values)} for name, values in channels.items()}


def shapes_of(shapes: Mapping[str, str], rows: Sequence[Row], title: str | None, **more: Any) -> Channel:
    """Return the shape of points by their field `how`. The legend has only names that rows have."""
    kept = [name for name in shapes if any(row["how"] == name for row in rows)]
    return nominal("how", title=title, scale=series_scale(kept, [shapes[name] for name in kept]), **more)


def lines(x: Channel, y: Channel, kinds: dict[str, Channel], *, size: int = 40, **more: Any) -> Any:
    """Return lines with points; the legend shows the points, as a dash makes their outlines unreadable."""
    base = Chart().encode(x=x, y=y, color=kinds["color"], **more)
    dash = {"strokeDash": kinds["strokeDash"]} if "strokeDash" in kinds else {}
    shape = {"shape": kinds["shape"]} if "shape" in kinds else {}
    line = base.mark("line", strokeWidth=1.8).encode(**dash)
    points = base.mark("point", size=size, filled=True, opacity=1).encode(tooltip=tips(kinds["color"], x, y), **shape)
    return (line + points).resolve(legend={"strokeDash": "independent"})


def above(value: float, y: Channel, rows: Sequence[Row]) -> Channel:
    """Return a logarithmic axis with room for a level line below all rows."""
    lowest = min(row[y["field"]] for row in rows)
    return y if lowest < value else y | {"scale": y["scale"] | {"domainMin": value / 2}}


def level(rows: str, y: Channel) -> Any:
    """Return a dashed line across the chart at the value of a data set, with the text `what` above it."""
    rule = Chart(rows).mark("rule", color=GREY, strokeDash=[5, 3], strokeWidth=1.6).encode(y=y)
    named = {"text": nominal("what"), "y": y, "x": {"value": 6}}
    return rule + Chart(rows).mark("text", align="left", dy=-7, color=BLACK).encode(**named)


def thin_lines(x: Channel, y: Channel, kinds: dict[str, Channel]) -> Any:
    """Return lines for long series: no point shapes, small dots that only carry the tooltip."""
    shown = {key: kinds[key] for key in ("color", "strokeDash")}
    line = Chart().mark("line", point={"size": 8, "opacity": 0.5}, strokeWidth=1.4)
    return line.encode(x=x, y=y, tooltip=tips(kinds["color"], x, y), **shown)


def band(x: Channel, y: Channel, colour: Channel) -> Any:
    """Return the band between `low` and `high` of each point, to be drawn behind its line."""
    low, high = {**y, "field": "low"}, {"field": "high"}
    plain = Chart().transform({"filter": "isValid(datum.low)"})
    return plain.mark("area", opacity=0.2, clip=True).encode(x=x, y=low, y2=high, color=colour)


def dots(x: Channel, y: Channel, kinds: dict[str, Channel], *, size: int = 14) -> Any:
    """Return a scatter of records."""
    tooltip = tips(kinds["color"], x, y)
    shown = {key: kinds[key] for key in ("color", "shape")}
    return Chart().mark("point", size=size, filled=True, opacity=0.7).encode(x=x, y=y, tooltip=tooltip, **shown)


def bars(x: Channel, y: Channel, kinds: dict[str, Channel]) -> Any:
    """Return grouped bars, one per series, in the order of the series' scale."""
    colour = kinds["color"]
    offset = {"field": colour["field"], "sort": colour["scale"]["domain"]}
    bar = Chart().mark("bar", stroke="white", strokeWidth=0.4)
    return bar.encode(x=x, xOffset=offset, y=y, color=colour, tooltip=tips(x, colour, y))


LIGHT = 0.179
"""Luminance of a cell from which black has more contrast than white: at least 4.5 with every colour."""


def ink(field: str) -> Channel:
    """Return the colour of text on cells coloured by a field; "#000" and "#fff" stay the same on dark pages."""
    light = f"luminance(scale('color', datum[{field!r}])) > {LIGHT}"
    return {"condition": {"test": light, "value": "#000"}, "value": "#fff"}


LINE_HEIGHT = 13
"""Distance of two lines of a text in a cell, in pixels. Vega places the first line where the text is."""
EDGE = 0.03
"""Share of a scale that is left empty at each end, so that no mark is cut."""


def ratio_axis(low: float, high: float, title: str, words: Language) -> Channel:
    """Return the x axis of ratios around 1, at least from 0.95 to 1.05.

    It is linear up to a factor of `NARROW`, where few round numbers are left. Its labels have equal decimal places.
    """
    least, most = min(low, 0.95), max(high, 1.05)
    margin = (most / least) ** EDGE
    domain = [least / margin, most * margin]
    even = domain[1] < NARROW * domain[0]
    linear = {"zero": False, "nice": True, "domain": [least, most]}
    return {
        "type": "quantitative",
        "title": words(f"{title}_even" if even else title),
        "scale": linear if even else {"type": "log", "domain": domain, "nice": False},
        "axis": {"labelOverlap": "greedy"} | ({} if even else {"format": "~g"}),
    }


def cells(x: Channel, y: Channel, colour: Channel, tooltip: Sequence[Channel], *, lines: int = 1) -> Any:
    """Return a heat map with the field `text` of each row, of so many lines, in the middle of its cell."""
    base = Chart().encode(x=x, y=y)
    raised = {"dy": -LINE_HEIGHT / 2 * (lines - 1)} if lines > 1 else {}
    label = base.mark("text", fontSize=11, lineBreak="\n", **raised).encode(text=nominal("text"))
    return base.mark("rect", stroke="#8b949e").encode(color=colour, tooltip=list(tooltip)) + label.encode(
        color=ink(colour["field"])
    )
