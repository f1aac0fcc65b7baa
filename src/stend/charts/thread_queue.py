"""The sweep of threads and depths: IOPS, mean, maximum, standard deviation, 99.99 % (the reviews')."""

from collections.abc import Iterator

from stend.charts.parts import Drawing, Row, axis
from stend.charts.parts.marks import lines, octaves, series
from stend.definition import PlannedTest
from stend.findings import look
from stend.findings.language import Language
from stend.findings.look import Cell
from stend.record import Run
from stend.stats import percentile_s

FIGURES = ("iops", "mean", "max", "deviation", "p99.99")


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """A chart for each figure, a line for each thread count."""
    cells = [cell for cell in look.cells(run, test) if cell.phase == "sweep"]
    names = [f"T{t}" for t in sorted({cell.workload.threads for cell in cells})]
    for figure in FIGURES:
        rows = [row for cell in cells for row in _rows(cell, figure)]
        if not rows:
            continue
        x = octaves("q", words("axis.depth"), [row["q"] for row in rows])
        y = axis("value", words("axis.iops" if figure == "iops" else "axis.latency_ms"))
        chart = lines(x, y, series("t", words("axis.threads"), names, ordered=True))
        title = words("chart.thread_queue", test=words.title(test.name, test.title), figure=words(f"figure.{figure}"))
        yield Drawing(title, chart, {"rows": rows}, words("says.window_mean"))


def _rows(cell: Cell, figure: str) -> Iterator[Row]:
    both = cell.counts.both
    values = {"iops": cell.counts.iops, "mean": both.mean_s * 1e3, "max": both.max_s * 1e3}
    values["deviation"] = both.deviation_s * 1e3
    if figure == "p99.99":
        tail = percentile_s(both, 99.99)
        if tail is None:
            return
        values["p99.99"] = tail * 1e3
    yield {"t": f"T{cell.workload.threads}", "q": cell.workload.depth, "value": values[figure]}
