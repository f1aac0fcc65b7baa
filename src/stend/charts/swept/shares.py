"""Sensitivity of a figure: shares of its variance by parameter, alone and with interactions."""

from collections.abc import Iterator
from typing import Any

from stend.charts.parts import BLUE, ORANGE, Drawing, Row, series_scale
from stend.charts.parts.figures import figure_name
from stend.charts.parts.marks import nominal
from stend.charts.parts.vega import Chart
from stend.many.sweep.sensitivity import Effects, Share
from stend.many.sweep.study import Study
from stend.words import Language

MOST_FIGURES = 4


def draw(study: Study, words: Language) -> Iterator[Drawing]:
    """Yield one chart for each of the first figures."""
    driven = [(figure, effects) for figure, effects in study.effects.items() if not effects.why]
    for figure, effects in driven[:MOST_FIGURES]:
        values = {"figure": figure_name(figure, words), "n": effects.drives, "explained": effects.explained}
        yield Drawing(
            words("swept.shares", **values),
            _chart(effects, words),
            {"rows": list(_rows(effects, words))},
            words("swept.shares_says", **values),
        )


def _rows(effects: Effects, words: Language) -> Iterator[Row]:
    for name in effects.order:
        for kind, shares in (("first", effects.first), ("total", effects.total)):
            share = shares[name]
            text = words("swept.share_text", share=share.value, low=share.low, high=share.high)
            row: Row = {"name": name, "kind": words(f"swept.{kind}"), "text": text}
            yield row | {end: getattr(share, end) * 100 for end in Share._fields}


def _chart(effects: Effects, words: Language) -> Any:
    kinds = [words("swept.first"), words("swept.total")]
    x = {"type": "quantitative", "title": words("swept.share_axis"), "scale": {"domain": [0, 100]}}
    y = nominal("name", sort=effects.order, title=None)
    offset = nominal("kind", sort=kinds)
    legend = {"orient": "bottom", "title": None}
    colour = nominal("kind", scale=series_scale(kinds, [BLUE, ORANGE]), legend=legend)
    tips = [nominal(f, title=words(f"swept.tip_{f}")) for f in ("name", "kind", "text")]
    base = Chart().encode(y=y, yOffset=offset)
    bars = base.mark("bar").encode(x={**x, "field": "value"}, color=colour, tooltip=tips)
    ends = base.mark("rule", strokeWidth=1.4, color="#1b1f24").encode(x={**x, "field": "low"}, x2={"field": "high"})
    return (bars + ends).properties(height=max(80, 40 * len(effects.order)), width=520)
