"""Cross stimulus recovery: throughput over time by group, and with mean and maximum response time (PTS 10.2)."""

from collections.abc import Iterator

from stend.charts.parts import Drawing, axis, binned, thin, time_scale, zoom
from stend.charts.parts.marks import dots, series, thin_lines
from stend.charts.parts.vega import Chart
from stend.findings import look
from stend.findings.look import Record
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.words import Language


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield MB/s of the three groups, then response times below MB/s on separate axes."""
    records = look.records(run, test.name)
    if not records:
        return
    scale, title = time_scale(records[-1].end_s, words)
    groups = list(dict.fromkeys(r.result.where.phase for r in records))
    names = {phase: f"{i}. {words.name_of('phase', phase)}" for i, phase in enumerate(groups, 1)}
    x = axis("t", title)
    speed = [
        {"t": r.end_s / scale, "mbs": r.counts.bytes_per_s / 1e6, "group": names[r.result.where.phase]} for r in records
    ]
    chart = dots(x, axis("mbs", words("axis.throughput")), series("group", words("axis.group"), list(names.values())))
    rows = {"rows": thin(speed, "t", "mbs")}
    yield Drawing(words("chart.cross"), chart.add_params(zoom()), rows, words("says.cross"))
    yield _times(records, scale, title, words)


def _times(records: list[Record], scale: float, title: str, words: Language) -> Drawing:
    named = {"mean": words("figure.mean"), "max": words("figure.max")}
    times = [
        {"t": r.end_s / scale, "ms": value * 1e3, "figure": named[key]}
        for r in records
        for key, value in (("mean", r.counts.mean_s), ("max", r.counts.max_s))
        if value
    ]
    y = axis("ms", words("axis.latency_ms"), log=True)
    below = thin_lines(axis("t", title), y, series("figure", words("axis.response_time"), list(named.values())))
    speed = Chart("speed").mark("line", color="#009e73", strokeWidth=1.2)
    above = speed.encode(x=axis("t", title), y=axis("mbs", words("axis.throughput"))).properties(height=180)
    rows = {
        "rows": [r for name in named.values() for r in thin([t for t in times if t["figure"] == name], "t", "ms", 700)],
        "speed": binned([{"t": r.end_s / scale, "mbs": r.counts.bytes_per_s / 1e6} for r in records], "t", "mbs", 700),
    }
    chart = above & below.properties(height=180)
    return Drawing(words("chart.cross_times"), chart, rows, words("says.cross"))
