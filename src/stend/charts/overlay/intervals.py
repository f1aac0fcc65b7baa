"""The largest differences with their intervals on one scale, and the line of no difference."""

from collections.abc import Iterator
from math import log
from typing import Any

from stend.charts.overlay.ratio_map import change
from stend.charts.parts import GREY, Drawing, Row, series_scale
from stend.charts.parts.figures import named
from stend.charts.parts.vega import Chart
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
    """Yield one chart, if at least two ratios differ from 1; better and worse come first."""
    differing = [d for d in whole.differences if d.ratio != 1]
    differing = sorted(differing, key=lambda d: (d.verdict not in ("better", "worse"), -abs(log(d.ratio))))[:MOST_ROWS]
    if len(differing) > 1:
        rows = [_row(difference, whole, words) for difference in differing]
        values = {"n": len(rows), "a": whole.a.name, "b": whole.b.name}
        yield Drawing(
            words("overlay.intervals", **values),
            _chart(rows, words),
            {"rows": rows, "one": [{"x": 1}]},
            words("overlay.intervals_says"),
        )


def name(difference: Difference, words: Language) -> str:
    """Return a figure in short words: test, load, state if it is stated, quantity."""
    return named(difference.key, difference.quantity, words)


def _row(difference: Difference, whole: Comparison, words: Language) -> Row:
    ratio, low, high = difference.ratio, difference.low, difference.high
    verdict = words(f"verdict.{difference.verdict.replace(' ', '_')}")
    ends = {"low": low, "high": high} if low is not None and high is not None else {"low": ratio, "high": ratio}
    return {"name": name(difference, words), "ratio": ratio, "text": change(ratio, words), "verdict": verdict} | ends


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
    base = Chart().encode(y=y)
    equality = Chart("one").mark("rule", color=GREY, strokeDash=[4, 3]).encode(x={**x, "field": "x"})
    bars = base.mark("rule", strokeWidth=1.6).encode(x={**x, "field": "low"}, x2={"field": "high"}, color=colour)
    dots = base.mark("point", filled=True, size=60).encode(
        x={**x, "field": "ratio"}, color=colour, shape=shape, tooltip=tips
    )
    return (equality + bars + dots).properties(height=max(90, 19 * len(rows)), width=420)
