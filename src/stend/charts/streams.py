"""Streams of a captured workload: shares of the IOs, and the rate of each alone next to all of them together."""

from collections.abc import Iterator
from typing import Any

from stend.charts.parts import BLUE, GREEN, Drawing, Row, axis, far_apart
from stend.charts.parts.marks import nominal, tips
from stend.charts.parts.vega import Chart
from stend.findings import look
from stend.findings.look import streams
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.words import Language

TESTS = streams.TESTS
WIDE = 10
"""From this ratio of rates on the axis is logarithmic, with points instead of bars."""


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield the shares of the mix and the rates of streams that ran alone; only for the run's first test of streams."""
    if test.name != look.tests(run, *TESTS)[0].name:
        return
    rows = streams.streams(run)
    shares = [{"stream": words.show(row.label, "load"), "share": row.share_pct} for row in rows if row.share_pct]
    yield _bars(shares, "share", words("axis.share_ios"), words("chart.stream_shares"), BLUE, words)
    rates: list[Row] = [{"stream": words.show(row.label, "load"), "iops": row.alone.iops} for row in rows if row.alone]
    mix = streams.together(run)
    rates += [{"stream": words("streams.together"), "iops": mix.iops}] if mix and rates else []
    yield _bars(rates, "iops", words("axis.iops"), words("chart.stream_rates"), GREEN, words)


def _bars(rows: list[Row], field: str, name: str, title: str, colour: str, words: Language) -> Drawing:
    """Return horizontal bars in rows, so that names stay readable; dots if rates are far apart."""
    wide = field == "iops" and far_apart(rows, field, WIDE)
    x = axis(field, name, log=wide)
    shown = {"title": None}
    y = nominal("stream", sort=[row["stream"] for row in rows], axis=shown)
    base = Chart().encode(x=x, y=y, tooltip=tips(y | {"title": words("axis.stream")}, x))
    shape: dict[str, Any] = {"size": 110, "filled": True} if wide else {"height": 18}
    mark = base.mark("point" if wide else "bar", color=colour, **shape)
    label = {"field": field, "type": "quantitative", "format": ",.3~s"}
    text = base.mark("text", align="left", dx=8).encode(text=label)
    chart = (mark + text).properties(height=34 * max(len(rows), 1) + 20)
    return Drawing(title, chart, {"rows": rows}, words(f"says.stream_{'rates' if field == 'iops' else 'shares'}"))
