"""Application profiles over a ladder of outstanding IOs: IOPS, MB/s, mean response time (the reviews')."""

from collections.abc import Iterator

from stend.charts.parts import Drawing, axis
from stend.charts.parts.marks import lines, octaves, series
from stend.definition import PlannedTest
from stend.findings.look.figures import answers
from stend.record import Run
from stend.words import Language

SCALE = {"iops": 1.0, "throughput": 1e-6, "latency": 1e3}


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """A chart for each figure, a line for each profile."""
    cells = answers(run, test.name)
    names = list(dict.fromkeys(words.name_of("phase", cell.phase) for cell in cells))
    for figure, scale in SCALE.items():
        rows = [
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
        y = axis("value", words(f"axis.{figure}"), log=figure == "latency", plain=True)
        chart = lines(x, y, series("profile", words("axis.profile"), names))
        title = words("chart.profiles", test=words.title(test.name, test.title), figure=words(f"figure.{figure}"))
        yield Drawing(title, chart, {"rows": rows}, words("says.profiles"))
