"""Application profiles over a ladder of outstanding IOs: IOPS, MB/s, mean response time (method of the reviews)."""

from collections.abc import Iterator
from typing import Any

from stend.charts.parts import SCALE, Drawing, axis
from stend.charts.parts.marks import lines, octaves, series
from stend.findings.look.figures import answers
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.words import Language

FIGURES = ("iops", "throughput", "latency")
OTHERS = "iometer"
"""Part of the names of phases that have charts apart, because more lines would not be readable."""


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield two charts per figure with one line per profile: those of Iometer, and the others."""
    cells = answers(run, test.name)
    groups = [[cell for cell in cells if (OTHERS in cell.phase) == apart] for apart in (False, True)]
    for figure in FIGURES:
        for group in filter(None, groups):
            names = list(dict.fromkeys(words.name_of("phase", cell.phase) for cell in group))
            rows: list[dict[str, Any]] = [
                {
                    "profile": words.name_of("phase", cell.phase),
                    "n": cell.workload.outstanding,
                    "value": cell.number(figure) * SCALE[figure],
                }
                for cell in group
            ]
            x = octaves("n", words("axis.outstanding"), [float(cell.workload.outstanding) for cell in group])
            y = axis("value", words(f"axis.{figure}"), log=True)
            chart = lines(x, y, series("profile", words("axis.profile"), names))
            key = "chart.profiles_iometer" if OTHERS in group[0].phase else "chart.profiles"
            title = words(key, figure=words(f"figure.{figure}"))
            yield Drawing(title, chart, {"rows": rows}, words("says.profiles"))
