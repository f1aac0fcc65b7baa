"""IOPS, MB/s and mean response time against block size, for each mix (method of the reviews)."""

from collections.abc import Iterator

from stend.base.units import mix_label
from stend.charts.parts import SCALE, Drawing, axis, far_apart
from stend.charts.parts.marks import lines, octaves, series
from stend.findings.look.figures import answers
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.words import Language

FAR = 100.0
"""Rates of random blocks of a disk differ by more, and of a solid-state drive by less."""


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield three charts for sequential and three for random IO."""
    cells = answers(run, test.name)
    for phase in dict.fromkeys(cell.phase for cell in cells):
        group = [cell for cell in cells if cell.phase == phase]
        mixes = [mix_label(pct) for pct in dict.fromkeys(cell.workload.read_pct for cell in group)]
        for figure in ("iops", "throughput", "latency"):
            rows = [
                {
                    "kib": cell.workload.block_bytes / 1024,
                    "mix": mix_label(cell.workload.read_pct),
                    "value": cell.number(figure) * SCALE[figure],
                }
                for cell in group
            ]
            x = octaves("kib", words("axis.block_kib"), [cell.workload.block_bytes / 1024 for cell in group])
            y = axis("value", words(f"axis.{figure}"), log=figure != "throughput" or far_apart(rows, "value", FAR))
            chart = lines(x, y, series("mix", words("axis.mix"), mixes))
            title = words("chart.block_sweep", phase=phase, figure=words(f"figure.{figure}"))
            yield Drawing(title, chart, {"rows": rows}, words("says.block_sweep"))
