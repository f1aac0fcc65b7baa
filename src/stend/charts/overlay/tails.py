"""How many IOs are slower than a response time: a line a run, its colour that of its side (log-log)."""

from collections.abc import Iterator

from stend.charts.exceedance import curve
from stend.charts.parts import COLOURS, DASHES, Drawing, Row, axis, data, series_scale
from stend.charts.parts.marks import tips
from stend.charts.parts.plain import Chart
from stend.many.compare import Comparison, Difference, Outcome
from stend.words import Language

MOST_CHARTS = 4
MOST_POINTS = 120


def draw(whole: Comparison, words: Language) -> Iterator[Drawing]:
    """One chart for every load whose tail is a result, the smallest loads first, at most four."""
    own = [one for one in whole.differences if one.quantity == "max" and one.key.direction == "both"]
    own.sort(key=lambda one: (not one.key.phase.startswith("histogram"), one.key.state != "saturated"))
    for one in own[:MOST_CHARTS]:
        names = [whole.a.name, whole.b.name]
        rows = [row for side in (whole.a, whole.b) for row in _rows(side.name, side.runs, one)]
        x = axis("ms", words("axis.latency_ms"), log=True, plain=True)
        y = axis("share", words("axis.exceedance"), log=True, plain=True)
        side = {"field": "side", "type": "nominal", "title": words("overlay.side")}
        chart = (
            Chart(data())
            .mark_line(strokeWidth=1.2, opacity=0.8)
            .encode(
                x=x,
                y=y,
                color={**side, "scale": series_scale(names, COLOURS)},
                strokeDash={**side, "scale": series_scale(names, DASHES)},
                detail={"field": "run", "type": "nominal"},
                tooltip=tips(side, x, y),
            )
        )
        told = {"test": words.title(one.key.test, one.key.test), "load": one.key.load, "phase": one.key.phase}
        yield Drawing(words("overlay.tails", **told), chart, {"rows": rows}, words("overlay.tails_says"))


def _rows(side: str, runs: tuple[Outcome, ...], one: Difference) -> Iterator[Row]:
    for run in runs:
        figures = run.rows.get(one.key)
        points = list(curve(figures.tally.bins, side)) if figures else []
        step = max(len(points) // MOST_POINTS, 1)
        for point in points[::step]:
            yield {"ms": point["ms"], "share": point["share"], "side": side, "run": run.name}
