"""Mean and maximum response time by block size and mix, as bars (PTS 7.2)."""

from collections.abc import Iterator

from stend.base.units import mix_label
from stend.charts.parts import Drawing, axis
from stend.charts.parts.marks import bars, category, kib, series
from stend.findings.look.figures import Figures, answers
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.words import Language


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield two charts per queue depth. The maximum is the largest of the window."""
    cells = [cell for cell in answers(run, test.name) if cell.phase.startswith("rounds")]
    for phase in dict.fromkeys(cell.phase for cell in cells):
        group = [cell for cell in cells if cell.phase == phase]
        for figure in ("latency", "longest"):
            yield _drawing(group, figure, words)


def _drawing(cells: list[Figures], figure: str, words: Language) -> Drawing:
    rows = [
        {
            "size": kib(cell.workload.block_bytes, words),
            "mix": mix_label(cell.workload.read_pct),
            "ms": cell.number("max" if figure == "longest" else "mean") * 1e3,
        }
        for cell in cells
    ]
    sizes = [kib(size, words) for size in sorted({cell.workload.block_bytes for cell in cells})]
    mixes = [mix_label(pct) for pct in sorted({cell.workload.read_pct for cell in cells})]
    first = cells[0].workload
    chart = bars(
        category("size", words("axis.block_kib"), sizes),
        axis("ms", words(f"axis.{figure}")),
        series("mix", words("axis.mix"), mixes),
    )
    title = words("chart.latency_table", figure=words(f"figure.{figure}"), t=first.threads, q=first.depth)
    return Drawing(title, chart, {"rows": rows}, words("says.window_mean"))
