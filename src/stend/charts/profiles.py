"""Application profiles over a ladder of outstanding IOs: IOPS, MB/s, mean response time (method of the reviews)."""

from collections.abc import Iterator
from typing import Any

from stend.charts.parts import Drawing, axis
from stend.charts.parts.marks import lines, octaves, series
from stend.findings.look.figures import answers
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.words import Language

SCALE = {"iops": 1.0, "throughput": 1e-6, "latency": 1e3}
WIDE = 10
"""From this ratio of rates on the axis is logarithmic: a stream would push random loads to the bottom of a linear
one."""


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield one chart per figure with one line per profile."""
    cells = answers(run, test.name)
    names = list(dict.fromkeys(words.name_of("phase", cell.phase) for cell in cells))
    for figure, scale in SCALE.items():
        rows: list[dict[str, Any]] = [
            {
                "profile": words.name_of("phase", cell.phase),
                "n": cell.workload.outstanding,
                "value": cell.number(figure) * scale,
            }
            for cell in cells
        ]
        if not rows:
            continue
        x = octaves("n", words("axis.outstanding"), [float(cell.workload.outstanding) for cell in cells])
        log = figure == "latency" or _wide([row["value"] for row in rows])
        y = axis("value", words(f"axis.{figure}"), log=log)
        chart = lines(x, y, series("profile", words("axis.profile"), names))
        title = words("chart.profiles", figure=words(f"figure.{figure}"))
        yield Drawing(title, chart, {"rows": rows}, words("says.profiles"))


def _wide(values: list[float]) -> bool:
    some = [value for value in values if value > 0]
    return bool(some) and max(some) >= WIDE * min(some)
