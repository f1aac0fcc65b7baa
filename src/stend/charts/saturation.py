"""Write saturation over time: IOPS of each record, and its response times on a log axis (PTS 8.2 and the reviews)."""

from collections.abc import Iterator, Sequence
from typing import Any

from stend.charts.parts import BLUE, DASHES, Drawing, Row, axis, ladder, series_scale, thin, time_scale, zoom
from stend.charts.parts.marks import shaded
from stend.charts.parts.vega import Chart
from stend.findings import look
from stend.findings.look import Record
from stend.findings.look.figures import SATURATING
from stend.findings.look.heat import throttled
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.model.stats import percentile_s
from stend.words import Language

TESTS = ("write-saturation", "multi-wsat")
FIGURES = ("mean", "p50", "p99", "p99.9", "p99.99", "max")


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield IOPS, then response times, of the phase that saturates."""
    phase = next((p.name for p in test.phases if p.name in SATURATING), look.main_phase(run, test))
    records = look.records(run, test.name, phase)
    if not records:
        return
    scale, time = time_scale(records[-1].end_s, words)
    hot = [(begin / scale, end / scale) for begin, end in throttled(run, records)]
    values = {"test": words.title(test.name, test.title), "label": records[0].workload.label}
    for key, made in (
        ("saturation", _iops(records, scale, time, words)),
        ("saturation_latency", _latency(records, scale, time, words)),
    ):
        chart, more = shaded(made[0], axis("t", time), hot)
        says = words(f"says.{key}") + (" " + words("says.throttled") if hot else "")
        yield Drawing(words(f"chart.{key}", **values), chart.add_params(zoom()), {"rows": made[1], **more}, says)


def _iops(records: Sequence[Record], scale: float, time: str, words: Language) -> tuple[Any, list[Row]]:
    rows: list[Row] = [{"t": r.end_s / scale, "iops": r.counts.iops} for r in records]
    tips = [{"field": "t", "title": time, "format": ",.4~g"}, {"field": "iops", "title": "IOPS", "format": ",.0f"}]
    base = Chart().encode(x=axis("t", time), y=axis("iops", words("axis.iops")), tooltip=tips)
    line = base.mark("line", color=BLUE, strokeWidth=1, opacity=0.6)
    return line + base.mark("circle", color=BLUE, size=14), thin(rows, "t", "iops")


def _latency(records: Sequence[Record], scale: float, time: str, words: Language) -> tuple[Any, list[Row]]:
    names = [words(f"figure.{name}") for name in FIGURES]
    series = [[row for r in records for row in _figures(r, scale, name, words)] for name in FIGURES]
    rows = [row for points in series for row in thin(points, "t", "ms", 500)]
    shared = {"field": "figure", "type": "nominal", "title": words("axis.response_time"), "sort": names}
    chart = (
        Chart()
        .mark("line", strokeWidth=1.4, point={"size": 8, "opacity": 0.5})
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
    )
    return chart, rows


def _figures(record: Record, scale: float, name: str, words: Language) -> Iterator[Row]:
    tally = record.counts.both
    if name == "mean":
        value: float | None = tally.mean_s
    elif name == "max":
        value = tally.max_s
    else:
        value = percentile_s(tally, float(name[1:]))
    if value:
        yield {"t": record.end_s / scale, "ms": value * 1e3, "figure": words(f"figure.{name}")}
