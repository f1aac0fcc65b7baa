"""Saturation of every run, in the colour of its side."""

from collections.abc import Iterator, Sequence
from typing import Any

from stend.charts.parts import COLOURS, DASHES, Drawing, Row, axis, binned, series_scale, time_scale, zoom
from stend.charts.parts.marks import Channel, tips
from stend.charts.parts.vega import Chart
from stend.many.compare import Comparison, Outcome
from stend.words import Language

MOST_POINTS = 300


def draw(whole: Comparison, words: Language) -> Iterator[Drawing]:
    """Yield one chart per test that saturates on both sides."""
    for test in dict.fromkeys(test for run in whole.a.runs for test in run.courses):
        longest_s = max((point[0] for run in whole.runs for point in run.courses.get(test, ())), default=0.0)
        scale, title = time_scale(longest_s, words)
        rows = [row for side in (whole.a, whole.b) for run in side.runs for row in _rows(side.name, run, test, scale)]
        if len({row["side"] for row in rows}) < 2:
            continue
        names = [whole.a.name, whole.b.name]
        run = {"field": "run", "type": "nominal", "title": words("overlay.run")}
        x, y = axis("t", title), axis("iops", words("axis.iops"))
        chart = run_lines(x, y, names, words, (run, x, y), opacity=0.75).add_params(zoom())
        heading = words("overlay.courses", test=words.title(test, test), a=names[0], b=names[1])
        yield Drawing(heading, chart, {"rows": rows}, words("overlay.courses_says"), test)


def run_lines(
    x: Channel, y: Channel, names: Sequence[str], words: Language, shown: Sequence[Channel], *, opacity: float
) -> Any:
    """Return one line per run in the colour and dash of its side. The tooltip has the side and `shown`."""
    side = {"field": "side", "type": "nominal", "title": words("overlay.side")}
    return (
        Chart()
        .mark("line", strokeWidth=1.2, opacity=opacity)
        .encode(
            x=x,
            y=y,
            color={**side, "scale": series_scale(names, COLOURS)},
            strokeDash={**side, "scale": series_scale(names, DASHES)},
            detail={"field": "run", "type": "nominal"},
            tooltip=tips(side, *shown),
        )
    )


def _rows(side: str, run: Outcome, test: str, scale: float) -> list[Row]:
    points = run.courses.get(test, ())
    rows = [{"t": end_s / scale, "iops": iops, "side": side, "run": run.name} for end_s, iops in points]
    return binned(rows, "t", "iops", MOST_POINTS)
