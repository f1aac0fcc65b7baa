"""A figure over the parameter with the largest effect: one dot per drive, coloured by the second parameter."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import exp, log
from statistics import fmean
from typing import Any

from stend.charts.parts import BLACK, DASHES, SHAPES, Drawing, Row, axis, ladder, series_scale
from stend.charts.parts.figures import figure_name
from stend.charts.parts.marks import nominal
from stend.charts.parts.vega import Chart
from stend.charts.swept.named import axis_title, parameter, scaled, tight
from stend.many.compare.differences import Figure
from stend.many.sweep.design import Range, Value
from stend.many.sweep.study import Study
from stend.words import Language

MOST_FIGURES = 4
GROUPS = 3
BINS, LEAST_A_BIN = 10, 4
MOST_DOTS, CROWD = 800, 200
RATES = ("iops", "throughput")


def draw(study: Study, words: Language) -> Iterator[Drawing]:
    """Yield one chart for each of the first figures that a parameter drives."""
    driven = [(figure, effects) for figure, effects in study.effects.items() if not effects.why]
    for figure, effects in driven[:MOST_FIGURES]:
        first, *others = effects.order
        second = others[0] if others else ""
        names, group = (
            _groups([row[second] for row in study.results.values], words)
            if second
            else ([], [""] * len(study.results.drives))
        )
        rows = _rows(study, figure, first, group)
        values = {"figure": figure_name(figure, words), "first": first, "second": second}
        yield Drawing(
            words("swept.course" if second else "swept.course_alone", **values),
            _chart(study, figure, (first, second), names, rows, words),
            {"rows": rows[:MOST_DOTS], "means": _means(rows, study, first)},
            words("swept.course_says", **values),
        )


def _rows(study: Study, figure: Figure, first: str, group: Sequence[str]) -> list[Row]:
    results = study.results
    return [
        {"x": row[first], "y": scaled(value, figure.quantity), "group": group[i]}
        for i, (row, value) in enumerate(zip(results.values, results.column(figure), strict=True))
        if value
    ]


def _groups(values: Sequence[Value], words: Language) -> tuple[list[str], list[str]]:
    """Return the group names in order and the group of each drive.

    A few values are groups themselves; many numbers are split into `GROUPS` parts of about equal size.
    """
    levels = sorted(set(values), key=lambda value: (isinstance(value, str), value))
    if len(levels) <= GROUPS + 2:
        return [parameter(value, words) for value in levels], [parameter(value, words) for value in values]
    ordered = sorted(float(value) for value in values)
    cuts = [ordered[len(ordered) * k // GROUPS] for k in range(GROUPS)] + [ordered[-1]]
    names = [f"{words.show(low, 'n')}–{words.show(high, 'n')}" for low, high in pairwise(cuts)]
    return names, [names[max(k for k in range(GROUPS) if k == 0 or float(value) >= cuts[k])] for value in values]


def _means(rows: Sequence[Row], study: Study, first: str) -> list[Row]:
    """Return geometric means over bins of about as many drives, at least four; none if the parameter has no order."""
    if not _numeric(study, first):
        return []
    ordered = sorted(rows, key=lambda row: row["x"])
    size = max(len(ordered) // BINS, LEAST_A_BIN)
    bins = [ordered[k : k + size] for k in range(0, len(ordered), size)]
    return [
        {"x": fmean(row["x"] for row in part), "y": exp(fmean(log(row["y"]) for row in part))}
        for part in bins
        if 2 * len(part) >= size
    ]


def _numeric(study: Study, name: str) -> bool:
    return all(type(row[name]) in (int, float) for row in study.results.values)


def _chart(
    study: Study, figure: Figure, over: tuple[str, str], names: Sequence[str], rows: Sequence[Row], words: Language
) -> Any:
    first, second = over
    values = study.results.design.parameters[first]
    if _numeric(study, first):
        x = tight(axis("x", first, log=isinstance(values, Range) and values.log, zero=False), rows)
    else:
        x = nominal("x", title=first, axis={"labelAngle": 0})
    y = tight(axis("y", axis_title(figure.quantity, words), log=True), rows)
    base = nominal("group", title=second)
    colour = {**base, "scale": series_scale(names, ladder(len(names)))}
    shape = {**base, "scale": series_scale(names, SHAPES)}
    shown = {"color": colour, "shape": shape} if second else {}
    tips = [nominal(f, title=t) for f, t in (("x", first), ("group", second)) if t]
    size = 26 if len(rows) > CROWD else 80
    dots = Chart().mark("point", filled=True, size=size, opacity=0.7).encode(x=x, y=y, tooltip=tips, **shown)
    line = Chart("means").mark("line", color=BLACK, strokeDash=DASHES[1], strokeWidth=2).encode(x=x, y=y)
    return (line + dots).properties(height=280, width=520)
