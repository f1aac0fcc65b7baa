"""One look for all charts, and the number format of each language on their axes."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from stend.base.text import capital
from stend.charts.parts import COLOURS, HEIGHT, WIDTH, Drawing, Picture, Row, coincide
from stend.charts.parts.fit import alone, fitted, titled
from stend.words import Language

FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
INK, FAINT, WARN = "#1b1f24", "#dfe3e8", "#a40000"
GROUPED = 4
"""Digits from which Vega groups a number."""
LABELS = 60
"""Least width of the labels and the title of an axis in pixels."""
WIDER_FONT = 1.25
"""Width of a bold letter of DejaVu Sans, the widest common font without serifs, in those of `FONT`."""
FRAME = {"left": 28, "right": 12, "top": 5, "bottom": 5}
"""Pixels around a chart in a separate file: by these a label may be longer in another font."""


LEGEND: dict[str, Any] = {
    "orient": "bottom",
    "layout": {"bottom": {"anchor": "start", "direction": "vertical"}},
    "titleOrient": "left",
    "titleFontWeight": "normal",
    "symbolOpacity": 1,
    "labelFontSize": 11,
    "titleFontSize": 11,
    "titleLimit": 240,
}


def locale(words: Language) -> dict[str, Any]:
    """Return the number format of a language as Vega takes it."""
    form = words.format_of
    signs = {"decimal": form.decimal, "thousands": form.group, "minus": "−"}
    return {"number": {**signs, "grouping": [3], "currency": ["", ""]}}


def ungrouped(words: Language) -> dict[str, Any]:
    """Return labels of axes without groups below `group_from` digits: Vega groups all numbers from four digits on."""
    form = words.format_of
    if form.group_from <= GROUPED:
        return {}
    small = f"abs(datum.value) < 1e{form.group_from - 1}"
    return {"axisQuantitative": {"labelExpr": f"{small} ? replace(datum.label, '{form.group}', '') : datum.label"}}


def config(words: Language) -> dict[str, Any]:
    """Return Vega-Lite's `config`: fonts, colours, sizes, locale."""
    text = {"labelFont": FONT, "titleFont": FONT, "labelColor": INK, "titleColor": INK}
    return {
        "background": "white",
        "font": FONT,
        "locale": locale(words),
        "view": {
            "continuousWidth": WIDTH,
            "continuousHeight": HEIGHT,
            "discreteWidth": WIDTH,
            "discreteHeight": HEIGHT,
            "stroke": "#8b949e",
        },
        "axis": {
            **text,
            "labelFontSize": 11,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "gridColor": FAINT,
            "titlePadding": 8,
            "labelOverlap": "parity",
            "labelSeparation": 8,
            "labelFlush": False,
        },
        **ungrouped(words),
        "legend": {**text, **LEGEND},
        "header": {**text, "labelFontSize": 11, "titleFontSize": 11},
        "title": {
            "font": FONT,
            "color": INK,
            "fontSize": 14,
            "anchor": "start",
            "offset": 10,
            "subtitleFont": FONT,
            "subtitleColor": WARN,
            "subtitleFontSize": 12,
        },
        "range": {"category": list(COLOURS)},
        "line": {"strokeWidth": 2},
    }


def pictures(name: str, drawings: Iterable[Drawing], words: Language, stamps: Sequence[str]) -> Iterator[Picture]:
    """Yield the drawings that have rows as finished pictures."""
    for drawing in drawings:
        if any(drawing.rows.values()):
            yield finished(name, drawing, words, stamps)


def finished(name: str, drawing: Drawing, words: Language, stamps: Sequence[str]) -> Picture:
    """Return a drawing with theme, locale, rows and stamps."""
    spec: dict[str, Any] = drawing.chart.to_dict()
    spec["datasets"] = {key: [_rounded(row) for row in rows] for key, rows in drawing.rows.items()}
    named = capital(drawing.title)
    if only := [name for name in alone(spec) if name not in named]:
        named = f"{named}: {', '.join(only)}"
    title: dict[str, Any] = {"text": named}
    if stamps:
        title |= {"subtitle": list(stamps)}
    says = " ".join((drawing.says or named, *coincide.sentences(spec, words)))
    spec |= {"title": title, "description": f"{named}. {says}", "config": config(words)}
    width = spec.get("width", WIDTH)
    return Picture(name, named, fitted(spec, width, width + LABELS), says)


def framed(picture: Picture) -> Picture:
    """Return a chart for a separate file: its text fits in the fonts of other hosts, whose letters are wider."""
    title = dict(picture.spec["title"])
    titled(title, (picture.spec.get("width", WIDTH) + LABELS) / WIDER_FONT)
    return picture._replace(spec={**picture.spec, "title": title, "padding": FRAME})


def _rounded(row: Row) -> Row:
    """Return a row with numbers of so many digits that a table rounds them as it rounds the figures themselves."""
    return {k: float(f"{v:.10g}") if isinstance(v, float) else v for k, v in row.items()}
