"""Write saturation over time: IOPS of each record, and its response times on a log axis (PTS 8.2 and the reviews)."""

from collections.abc import Iterator, Sequence

from stend.charts.parts import BLUE, DASHES, Drawing, Row, axis, data, ladder, series_scale, thin, time_scale, zoom
from stend.charts.parts.plain import Chart
from stend.definition import PlannedTest
from stend.findings import look
from stend.findings.language import Language
from stend.findings.look import Record
from stend.record import Run
from stend.stats import percentile_s

TESTS = ("write-saturation",)
FIGURES = ("mean", "p50", "p99", "p99.9", "p99.99", "max")


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """IOPS, then response times, of the phase that saturates."""
    records = look.records(run, test.name, look.main_phase(run, test))
    if not records:
        return
    scale, title = time_scale(records[-1].end_s, words)
    label = records[0].workload.label
    yield _iops(
        records, scale, title, words("chart.saturation", test=words.title(test.name, test.title), label=label), words
    )
    yield _latency(
        records,
        scale,
        title,
        words("chart.saturation_latency", test=words.title(test.name, test.title), label=label),
        words,
    )


def _iops(records: Sequence[Record], scale: float, time: str, title: str, words: Language) -> Drawing:
    rows: list[Row] = [{"t": r.end_s / scale, "iops": r.counts.iops} for r in records]
    tips = [{"field": "t", "title": time, "format": ",.4~g"}, {"field": "iops", "title": "IOPS", "format": ",.0f"}]
    base = Chart(data()).encode(x=axis("t", time), y=axis("iops", words("axis.iops")), tooltip=tips)
    line = base.mark_line(color=BLUE, strokeWidth=1, opacity=0.6)
    dots = base.mark_circle(color=BLUE, size=14).add_params(zoom())
    return Drawing(title, line + dots, {"rows": thin(rows, "t", "iops")}, words("says.saturation"))


def _latency(records: Sequence[Record], scale: float, time: str, title: str, words: Language) -> Drawing:
    names = [words(f"figure.{name}") for name in FIGURES]
    series = [[row for r in records for row in _figures(r, scale, name, words)] for name in FIGURES]
    rows = [row for one in series for row in thin(one, "t", "ms", 500)]
    shared = {"field": "figure", "type": "nominal", "title": words("axis.response_time"), "sort": names}
    chart = (
        Chart(data())
        .mark_line(strokeWidth=1.4, point={"size": 8, "opacity": 0.5})
        .encode(
            x=axis("t", time),
            y=axis("ms", words("axis.latency_ms"), log=True, plain=True),
            color={**shared, "scale": series_scale(names, ladder(len(names)))},
            strokeDash={**shared, "scale": series_scale(names, DASHES)},
            tooltip=[
                {"field": "figure", "title": words("axis.response_time")},
                {"field": "t", "title": time, "format": ",.4~g"},
                {"field": "ms", "title": words("axis.latency_ms"), "format": ",.4~g"},
            ],
        )
        .add_params(zoom())
    )
    return Drawing(title, chart, {"rows": rows}, words("says.saturation_latency"))


def _figures(record: Record, scale: float, name: str, words: Language) -> Iterator[Row]:
    tally = record.counts.both
    if name == "mean":
        value: float | None = tally.mean_s
    elif name == "max":
        value = tally.max_s
    else:
        value = percentile_s(tally.bins, float(name[1:]))
    if value:
        yield {"t": record.end_s / scale, "ms": value * 1e3, "figure": words(f"figure.{name}")}
