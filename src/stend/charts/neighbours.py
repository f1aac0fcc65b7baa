"""A victim's p99 and IOPS beside each neighbour, by the neighbour's queue depth."""

from collections.abc import Iterator

from stend.charts.parts import Drawing, Row, axis
from stend.charts.parts.marks import lines, octaves, series
from stend.findings.look.neighbours import Pair, paces_of, pairs
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.words import Language

FIGURES = {"p99": ("axis.p99_ms", 1e3), "iops": ("axis.iops", 1.0)}


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield a chart of the p99 and one of the IOPS for each victim, without loads that the host sent late."""
    for phase, both in pairs(run, test).items():
        kept = paces_of(run, test, phase)
        every = [pair for pair in both if not kept[pair.row.workload].invalid]
        depths = [float(pair.depth) for pair in every if pair.depth]
        names = [_name(kind, words) for kind in dict.fromkeys(pair.neighbour for pair in every)]
        for figure, (title, scale) in FIGURES.items():
            rows = [row for pair in every for row in _rows(pair, figure, scale, depths, words)]
            if not any(pair.depth and pair.row.value(figure) for pair in every):
                continue
            x = octaves("depth", words("axis.neighbour_depth"), depths)
            y = axis("value", words(title), log=True)
            chart = lines(x, y, series("neighbour", words("axis.neighbour"), names))
            says = words("says.neighbours_late" if len(every) < len(both) else "says.neighbours")
            yield Drawing(words(f"chart.neighbours_{figure}", phase=phase), chart, {"rows": rows}, says)


def _name(kind: str, words: Language) -> str:
    return words.name_of("neighbour", kind or "alone")


def _rows(pair: Pair, figure: str, scale: float, depths: list[float], words: Language) -> Iterator[Row]:
    """Yield the point of a pair. The victim alone is a level line over all depths."""
    value = pair.row.value(figure)
    if value:
        for depth in [pair.depth] if pair.depth else sorted(set(depths)):
            yield {"depth": depth, "neighbour": _name(pair.neighbour, words), "value": value * scale}
