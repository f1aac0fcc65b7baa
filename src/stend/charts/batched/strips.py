"""Distribution of each figure over the drives: one row per figure, one dot per drive; odd or few drives are named."""

from collections.abc import Iterator
from typing import Any

from stend.charts.parts import COLOURS, GREY, SHAPES, Drawing, Row, series_scale
from stend.charts.parts.figures import figure_name
from stend.charts.parts.marks import nominal, ratio_axis
from stend.charts.parts.vega import Chart
from stend.many.batch.verdict import Batch
from stend.many.compare.differences import Figure
from stend.words import Language

MOST_FIGURES = 12
MOST_MARKED = 6


def draw(batch: Batch, words: Language) -> Iterator[Drawing]:
    """Yield one chart: first the figures in which a drive is odd, then those in which one is farthest from the others,
    in spreads, and the largest difference of that drive; without such distances, those with the widest spread.
    They need a figure that two drives have.
    """
    if not batch.lot.figures:
        return
    odd = [departure.figure for departures in batch.odd.values() for departure in departures]
    named = (batch.groups, *batch.distances[:1], batch.largest)
    told = [departure.figure for departure in named if departure]
    far = [*told, *(departure.figure for departure in batch.distances)]
    others = sorted(batch.lot.figures, key=lambda figure: -batch.spreads[figure].deviation)
    figures = list(dict.fromkeys([*odd, *far, *others]))[:MOST_FIGURES]
    values = {"n": len(batch.lot.drives), "figures": len(figures)}
    rows = [row for figure in figures for row in _rows(batch, figure, words)]
    yield Drawing(
        words("batched.strips", **values),
        _chart(rows, batch, words),
        {"rows": rows, "one": [{"x": 1}]},
        words(f"batched.strips_{'odd' if odd else 'far' if far else 'even'}_says"),
    )


def _named(batch: Batch) -> list[int]:
    """Return the drives with a colour and a shape: odd ones; without any all if there are few, else those of a small
    group, else the farthest.
    """
    every = range(len(batch.lot.drives))
    farthest = [odd.drive for odd in batch.distances[:1]]
    if batch.groups and not batch.odd and len(batch.groups.few) <= MOST_MARKED:
        return list(batch.groups.few)
    return list(batch.odd)[:MOST_MARKED] or (list(every) if len(every) <= MOST_MARKED else farthest)


def _rows(batch: Batch, figure: Figure, words: Language) -> Iterator[Row]:
    middle, name, every = batch.spreads[figure].median, figure_name(figure, words), len(batch.lot.drives)
    if batch.spreads[figure].drives < every:
        name = words("batched.of_drives", figure=name, n=batch.spreads[figure].drives, of=every)
    marked = _named(batch)
    every_drive = enumerate(batch.lot.drives)
    for i, drive in sorted(every_drive, key=lambda placed: placed[0] in marked):  # marked dots are above the others
        if figure in drive.values:
            kind = drive.name if i in marked else words("batched.others")
            ratio = drive.values[figure] / middle
            text = words("batched.deviation", change=ratio - 1)
            yield {"figure": name, "x": ratio, "kind": kind, "drive": drive.name, "text": text}


def _chart(rows: list[Row], batch: Batch, words: Language) -> Any:
    named = _named(batch)
    others = [words("batched.others")] * (len(named) < len(batch.lot.drives))
    names = [*others, *(batch.lot.drives[i].name for i in named)]
    low, high = min(row["x"] for row in rows), max(row["x"] for row in rows)
    x = ratio_axis(low, high, "batched.ratio", words)
    order = list(dict.fromkeys(row["figure"] for row in rows))
    y = nominal("figure", sort=order, title=None)
    base = nominal("kind", title=None, legend={"orient": "top", "columns": 4})
    shades = [*([GREY] if others else COLOURS[:1]), *(colour for colour in COLOURS[1:] if colour != GREY)]
    colour = {**base, "scale": series_scale(names, shades)}
    shape = {**base, "scale": series_scale(names, SHAPES)}
    tips = [nominal(f, title=words(f"batched.tip_{f}")) for f in ("drive", "text", "figure")]
    median_line = Chart("one").mark("rule", color=GREY, strokeDash=[4, 3]).encode(x={**x, "field": "x"})
    dots = Chart().mark("point", filled=True, size=42, opacity=0.75)
    dots = dots.encode(x={**x, "field": "x"}, y=y, color=colour, shape=shape, tooltip=tips)
    if not others:  # each drive has its own line in a row, so that no dot hides another
        y["scale"] = {"paddingInner": 0.5, "paddingOuter": 0.25}
        dots = dots.encode(y=y, yOffset=nominal("kind", sort=names))
    return (median_line + dots).properties(height=max(90, 19 * len(order)), width=420)
