"""Response times over time as a heat map: the distribution of each moment's IOs on a log axis."""

import math
from collections.abc import Iterator, Sequence
from functools import cache

from stend.charts.parts import Drawing, Row, axis, time_scale, whole_axis
from stend.charts.parts.vega import Chart
from stend.findings import look
from stend.findings.look import Record
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.model.stats import bin_edges_ns
from stend.words import Language

TESTS = ("write-saturation", "idle-recovery", "cross-stimulus", "hot-range")
COLUMNS, PER_DECADE = 90, 8


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield one chart over everything that the test measured."""
    kept = {p.name for p in test.phases if not p.name.startswith(("precondition", "fill"))}
    records = [r for r in look.records(run, test.name) if r.result.where.phase in kept and r.counts.ios]
    if len(records) < 3:
        return
    scale, title = time_scale(records[-1].end_s, words)
    rows = list(_cells(records, scale))
    x = whole_axis("t", title)
    y = axis("low", words("axis.latency_ms"), log=True)
    colour = {
        "field": "share",
        "type": "quantitative",
        "title": words("axis.share"),
        "scale": {"type": "log", "scheme": "viridis", "reverse": True},
        "legend": {"format": "~g"},
    }
    tooltip = [
        {"field": "t", "title": title, "format": ",.4~r"},
        {"field": "low", "title": words("axis.latency_ms"), "format": ",.3~g"},
        {"field": "share", "title": words("axis.share"), "format": ",.3~g"},
    ]
    chart = Chart().mark("rect").encode(x=x, x2="t2", y=y, y2="high", color=colour, tooltip=tooltip)
    yield Drawing(words("chart.latency_heat"), chart, {"rows": rows}, words("says.latency_heat"))


def _cells(records: Sequence[Record], scale: float) -> Iterator[Row]:
    """Yield cells in columns of equal duration; the share is in per cent of the column's IOs."""
    begin, end = records[0].start_s, records[-1].end_s
    width = (end - begin) / min(COLUMNS, len(records))
    columns: dict[int, dict[int, int]] = {}
    for record in records:
        column = columns.setdefault(int((record.start_s - begin) / width + 1e-9), {})
        for index, count in record.counts.both.bins.items():
            row = _row(index)
            column[row] = column.get(row, 0) + count
    for number, column in columns.items():
        total = sum(column.values())
        for row, count in column.items():
            low, high = 10 ** (row / PER_DECADE) / 1e6, 10 ** ((row + 1) / PER_DECADE) / 1e6
            t = begin + number * width
            yield {"t": t / scale, "t2": (t + width) / scale, "low": low, "high": high, "share": 100 * count / total}


@cache
def _row(index: int) -> int:
    lower, upper = bin_edges_ns(index)
    return math.floor(math.log10(max((lower + upper) / 2, 1)) * PER_DECADE)
