"""Marks that most charts are made of: lines with points, dots over time, grouped bars."""

from collections.abc import Sequence
from typing import Any

from stend.charts.parts import COLOURS, DASHES, RED, SHAPES, ladder, series_scale
from stend.charts.parts.vega import Chart

Channel = dict[str, Any]


def category(field: str, title: str, order: Sequence[str], **more: Any) -> Channel:
    """Return a nominal axis in a fixed order with horizontal labels."""
    shown = {"labelAngle": 0, "labelLimit": 120}
    return {"field": field, "type": "nominal", "title": title, "sort": list(order), "axis": shown, **more}


def octaves(field: str, title: str, values: Sequence[float]) -> Channel:
    """Return a base-2 logarithmic axis with a tick at each value; linear if all values are equal."""
    scale = {"type": "log", "base": 2, "nice": False, "domain": [min(values), max(values)]}
    if min(values) == max(values):
        scale = {"type": "linear", "zero": False}
    ticks = {"values": sorted(set(values)), "format": "~g", "labelFlush": False}
    return {"field": field, "type": "quantitative", "title": title, "scale": scale, "axis": ticks}


def tips(*channels: Channel) -> list[Channel]:
    """Return one tooltip line per channel, numbers to four digits."""
    return [
        {"field": c["field"], "type": c["type"], "title": c.get("title") or c["field"]}
        | ({"format": ",.4~g"} if c["type"] == "quantitative" else {})
        for c in channels
    ]


def series(field: str, title: str | None, names: Sequence[str], *, ordered: bool = False) -> dict[str, Channel]:
    """Return colour, dash and shape of a series, so that it is readable in grey and for every kind of colour vision."""
    base: Channel = {"field": field, "type": "nominal", "title": title}
    colours = ladder(len(names)) if ordered else COLOURS
    if len(names) < 2:
        base["legend"] = None
    channels = {"color": colours, "strokeDash": DASHES, "shape": SHAPES}
    return {name: {**base, "scale": series_scale(names, values)} for name, values in channels.items()}


def shaded(
    chart: Any, x: Channel, spans: Sequence[tuple[float, float]]
) -> tuple[Any, dict[str, list[dict[str, float]]]]:
    """Return a chart over time with shaded stretches, and their rows; `spans` are in units of the x axis."""
    if not spans:
        return chart, {}
    wide = Chart("hot").mark("rect", color=RED, opacity=0.15).encode(x={**x, "field": "from"}, x2={"field": "to"})
    return wide + chart, {"hot": [{"from": begin, "to": end} for begin, end in spans]}


def lines(x: Channel, y: Channel, kinds: dict[str, Channel], *, size: int = 40, width: float = 1.8, **more: Any) -> Any:
    """Return lines with points."""
    tooltip = tips(kinds["color"], x, y)
    return (
        Chart()
        .mark("line", point={"size": size, "filled": True}, strokeWidth=width)
        .encode(x=x, y=y, tooltip=tooltip, **kinds, **more)
    )


def thin_lines(x: Channel, y: Channel, kinds: dict[str, Channel]) -> Any:
    """Return lines for long series: no point shapes, small dots that only carry the tooltip."""
    tooltip = tips(kinds["color"], x, y)
    shown = {key: kinds[key] for key in ("color", "strokeDash")}
    return (
        Chart()
        .mark("line", point={"size": 8, "opacity": 0.5}, strokeWidth=1.4)
        .encode(x=x, y=y, tooltip=tooltip, **shown)
    )


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
    return (
        Chart()
        .mark("bar", stroke="white", strokeWidth=0.4)
        .encode(x=x, xOffset=offset, y=y, color=colour, tooltip=tips(x, colour, y))
    )
