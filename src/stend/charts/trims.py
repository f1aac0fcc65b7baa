"""Trims by size: response time and rate; reads by the share of trims; writes to half of a full and a trimmed drive."""

from collections.abc import Iterator, Sequence

from stend.base.units import KiB
from stend.charts.parts import Drawing, Row, axis, time_scale
from stend.charts.parts.marks import lines, octaves, series, thin_lines
from stend.findings import look
from stend.findings.look.figures import Figures, loads
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.words import Language

FIGURES = {"mean": ("axis.latency", 1e3), "iops": ("axis.trims", 1.0)}
HALVES = ("half-full", "half-trimmed")
READS = {"mean": ("figure.mean", 1e3), "p99": ("figure.p99", 1e3)}


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield response time and rate by size, the response times of reads, and the IOPS of writes to a half."""
    rows = [row for row in loads(run, test) if row.tally.ios]
    sizes = [row for row in rows if row.direction == "trim" and row.phase == "sizes"]
    for figure in FIGURES if sizes else ():
        yield _by_size(sizes, figure, words)
    if reads := [row for row in rows if row.direction == "both" and row.phase == "reads"]:
        yield _by_share(reads, words)
    yield from _halves(run, test, words)


def _by_size(rows: Sequence[Figures], figure: str, words: Language) -> Drawing:
    title, scale = FIGURES[figure]
    points = [
        {"kib": row.workload.trim_bytes / KiB, "depth": f"Q{row.workload.depth}", "value": row.number(figure) * scale}
        for row in rows
    ]
    x = octaves("kib", words("axis.trim_kib"), [row.workload.trim_bytes / KiB for row in rows])
    names = list(dict.fromkeys(f"Q{row.workload.depth}" for row in rows))
    chart = lines(x, axis("value", words(title), log=True), series("depth", words("axis.depth"), names))
    return Drawing(words(f"chart.trims_{figure}"), chart, {"rows": points}, words("says.trims"))


def _by_share(rows: Sequence[Figures], words: Language) -> Drawing:
    points: list[Row] = [
        {"share": row.workload.trim_pct, "figure": words(name), "value": value * scale}
        for row in rows
        for figure, (name, scale) in READS.items()
        if (value := row.value(figure))
    ]
    names = list(dict.fromkeys(point["figure"] for point in points))
    x = axis("share", words("axis.trim_share"))
    chart = lines(x, axis("value", words("axis.latency_ms"), log=True), series("figure", None, names))
    return Drawing(words("chart.trims_reads"), chart, {"rows": points}, words("says.trims_reads"))


def _halves(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    held = {phase: look.records(run, test.name, phase) for phase in HALVES}
    scale, time = time_scale(max((records[-1].end_s for records in held.values() if records), default=0.0), words)
    rows = [
        {"t": record.end_s / scale, "half": words.name_of("phase", phase), "iops": record.counts.iops}
        for phase, records in held.items()
        for record in records
    ]
    if rows:
        names = [words.name_of("phase", phase) for phase, records in held.items() if records]
        x, y = axis("t", time), axis("iops", words("axis.iops"))
        chart = thin_lines(x, y, series("half", None, names))
        yield Drawing(words("chart.trims_half"), chart, {"rows": rows}, words("says.trims_half"))
