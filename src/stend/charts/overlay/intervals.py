"""The largest differences with their intervals on one scale, and the line of no difference."""

from collections import Counter
from collections.abc import Iterator, Sequence
from math import log
from typing import Any

from stend.charts.overlay.ratio_map import change, interval, verdict_named
from stend.charts.parts import BLACK, BLUE, GREY, ORANGE, RED, SKY, Drawing, Row, series_scale
from stend.charts.parts.figures import named
from stend.charts.parts.marks import nominal, ratio_axis
from stend.charts.parts.vega import Chart
from stend.many.compare import Comparison, Difference
from stend.many.compare.groups import access
from stend.words import Language

MOST_ROWS, MOST_ALIKE = 16, 3
LOOKS = {
    "better": (BLUE, "triangle-up"),
    "worse": (RED, "triangle-down"),
    "same": (BLACK, "circle"),
    "ahead": (SKY, "triangle-up"),
    "behind": (ORANGE, "triangle-down"),
    "close": ("#767676", "circle"),
    "undecided": ("#767676", "diamond"),
    "not comparable": (GREY, "cross"),
}
"""Colour and shape of each verdict."""


def draw(whole: Comparison, words: Language) -> Iterator[Drawing]:
    """Yield one chart, if at least two ratios differ from 1; better and worse come first."""
    differing = [d for d in whole.differences if d.ratio != 1]
    differing = _few(sorted(differing, key=lambda d: (d.verdict not in ("better", "worse"), -abs(log(d.ratio)))))
    if len(differing) > 1:
        rows = [
            _row(difference, label, words)
            for difference, label in zip(differing, _labels(differing, words), strict=True)
        ]
        values = {"n": len(rows), "a": whole.a.name, "b": whole.b.name}
        yield Drawing(
            words("overlay.intervals", **values),
            _chart(rows, words),
            {"rows": rows, "one": [{"x": 1}]},
            words("overlay.intervals_says" if any(d.low is not None for d in differing) else "overlay.ratios_says"),
        )


def _few(ranked: Sequence[Difference]) -> list[Difference]:
    """Return the first rows, at most `MOST_ALIKE` of one test, kind of load and quantity."""
    kept: list[Difference] = []
    counts: Counter[tuple[Any, ...]] = Counter()
    for row in ranked:
        key = row.key
        alike = (key.test, access(key.random_pct, key.read_pct), key.direction, row.quantity)
        counts[alike] += 1
        if counts[alike] <= MOST_ALIKE:
            kept.append(row)
    return kept[:MOST_ROWS]


def _labels(rows: Sequence[Difference], words: Language) -> list[str]:
    """Return the name of each figure, with its state where another figure has the same name."""
    names = [named(row.key, row.quantity, words) for row in rows]
    states = [words(f"kept_state.{row.key.state}") for row in rows]
    return [f"{n} ({state})" if names.count(n) > 1 else n for n, state in zip(names, states, strict=True)]


def _row(difference: Difference, label: str, words: Language) -> Row:
    ratio, low, high = difference.ratio, difference.low, difference.high
    verdict = verdict_named(difference.verdict, words)
    ends = {"low": low, "high": high} if low is not None and high is not None else {"low": ratio, "high": ratio}
    texts = {"text": change(ratio, words), "interval": interval(difference, words), "verdict": verdict}
    return {"name": label, "ratio": ratio} | texts | ends


def _chart(rows: list[Row], words: Language) -> Any:
    order = [row["name"] for row in rows]
    low, high = min(row["low"] for row in rows), max(row["high"] for row in rows)
    x = ratio_axis(low, high, "overlay.ratio", words)
    y = nominal("name", sort=order, title=None)
    names = {verdict_named(v, words): look for v, look in LOOKS.items()}
    verdict = nominal("verdict", title=words("column.verdict"))
    colour = {**verdict, "scale": series_scale(list(names), [look[0] for look in names.values()])}
    shape = {**verdict, "scale": series_scale(list(names), [look[1] for look in names.values()])}
    tips = [nominal(f, title=words(f"overlay.tip_{f}")) for f in ("name", "text", "interval", "verdict")]
    base = Chart().encode(y=y)
    equality = Chart("one").mark("rule", color=GREY, strokeDash=[4, 3]).encode(x={**x, "field": "x"})
    bars = base.mark("rule", strokeWidth=1.6).encode(x={**x, "field": "low"}, x2={"field": "high"}, color=colour)
    dots = base.mark("point", filled=True, size=60).encode(
        x={**x, "field": "ratio"}, color=colour, shape=shape, tooltip=tips
    )
    return (equality + bars + dots).properties(height=max(90, 19 * len(rows)), width=420)
