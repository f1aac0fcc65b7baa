"""The largest differences with their intervals, on one scale, beside the band in which all counts as the same."""

from collections.abc import Iterator
from math import log
from typing import Any

from stend.charts.overlay.ratio_map import change
from stend.charts.parts import GREY, Drawing, Row, data, series_scale
from stend.charts.parts.figures import named
from stend.charts.parts.plain import Chart
from stend.many.compare import Comparison, Difference
from stend.words import Language

MOST_ROWS = 24
LOOKS = {
    "better": ("#0072b2", "triangle-up"),
    "worse": ("#d55e00", "triangle-down"),
    "same": ("#000000", "circle"),
    "undecided": ("#767676", "diamond"),
    "not comparable": ("#999999", "cross"),
}
"""Colour and shape of each verdict."""


def draw(whole: Comparison, words: Language) -> Iterator[Drawing]:
    """One chart, unless nothing differs by any measure; sure differences first."""
    own = [one for one in whole.differences if one.ratio != 1]
    own = sorted(own, key=lambda one: (one.verdict not in ("better", "worse"), -abs(log(one.ratio))))[:MOST_ROWS]
    if len(own) > 1:
        rows = [_row(one, whole, words) for one in own]
        told = {"n": len(rows), "a": whole.a.name, "b": whole.b.name}
        yield Drawing(
            words("overlay.intervals", **told),
            _chart(rows, words),
            {"rows": rows, "one": [{"x": 1}]},
            words("overlay.intervals_says"),
        )


def name(one: Difference, words: Language) -> str:
    """A figure in few words: test, load, state where it is told, quantity."""
    return named(one.key, one.quantity, words)


def _row(one: Difference, whole: Comparison, words: Language) -> Row:
    row: Row = {"name": name(one, words), "ratio": one.ratio, "text": change(one.ratio, words)}
    row |= {"verdict": words(f"verdict.{one.verdict.replace(' ', '_')}"), "low": one.ratio, "high": one.ratio}
    return row | ({"low": one.low, "high": one.high} if one.low is not None and one.high is not None else {})


def _chart(rows: list[Row], words: Language) -> Any:
    order = [row["name"] for row in rows]
    low, high = min(row["low"] for row in rows), max(row["high"] for row in rows)
    domain = [max(min(low, 0.95) * 0.98, 0.05), min(max(high, 1.05) * 1.02, 20)]
    x = {
        "type": "quantitative",
        "title": words("overlay.ratio"),
        "scale": {"type": "log", "domain": domain, "nice": False, "clamp": True},
        "axis": {"format": "~g", "labelOverlap": "greedy"},
    }
    y = {
        "field": "name",
        "type": "nominal",
        "sort": order,
        "title": None,
        "axis": {"labelLimit": 520, "labelFontSize": 10},
    }
    kinds = [words(f"verdict.{v.replace(' ', '_')}") for v in LOOKS]
    verdict = {"field": "verdict", "type": "nominal", "title": words("column.verdict")}
    colour = {**verdict, "scale": series_scale(kinds, [colour for colour, _ in LOOKS.values()])}
    shape = {**verdict, "scale": series_scale(kinds, [shape for _, shape in LOOKS.values()])}
    tips = [{"field": f, "type": "nominal", "title": words(f"overlay.tip_{f}")} for f in ("name", "text", "verdict")]
    base = Chart(data()).encode(y=y)
    one = Chart(data("one")).mark_rule(color=GREY, strokeDash=[4, 3]).encode(x={**x, "field": "x"})
    bars = base.mark_rule(strokeWidth=1.6).encode(x={**x, "field": "low"}, x2={"field": "high"}, color=colour)
    dots = base.mark_point(filled=True, size=60).encode(
        x={**x, "field": "ratio"}, color=colour, shape=shape, tooltip=tips
    )
    return (one + bars + dots).properties(height=max(90, 19 * len(rows)), width=420)
