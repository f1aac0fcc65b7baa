"""Sweep of threads and depths: IOPS, mean, maximum, standard deviation, 99.99 % (method of the reviews)."""

from collections.abc import Iterator

from stend.charts.parts import Drawing, Row, axis
from stend.charts.parts.marks import lines, octaves, series
from stend.findings.look.figures import Figures, answers
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.words import Language

FIGURES = ("iops", "mean", "max", "deviation", "p99.99")


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield one chart per figure with one line per thread count."""
    cells = [cell for cell in answers(run, test.name) if cell.phase == "sweep"]
    names = [f"T{t}" for t in sorted({cell.workload.threads for cell in cells})]
    for figure in FIGURES:
        rows = [row for cell in cells for row in _rows(cell, figure)]
        if not rows:
            continue
        x = octaves("q", words("axis.depth"), [row["q"] for row in rows])
        key = "iops" if figure == "iops" else "ms"
        y = axis("value", words("axis.iops" if key == "iops" else "axis.latency_ms"), log=figure == "max")
        chart = lines(x, y, series("t", words("axis.threads"), names, ordered=True))
        title = words(f"chart.thread_queue_{key}", figure=words(f"figure.{figure}"))
        yield Drawing(title, chart, {"rows": rows}, words("says.thread_queue"))


def _rows(row: Figures, figure: str) -> Iterator[Row]:
    value = row.tally.deviation_s if figure == "deviation" else row.value(figure)
    if value is not None:
        scale = 1.0 if figure == "iops" else 1e3
        yield {"t": f"T{row.workload.threads}", "q": row.workload.depth, "value": value * scale}
