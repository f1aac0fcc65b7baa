"""One ladder of queue depths cold and warm: the gain from a cache of the drive, and whether it keeps writes."""

from collections.abc import Iterator

from stend.base.units import mix_label
from stend.charts.parts import Drawing, axis, far_apart
from stend.charts.parts.marks import lines, octaves, series
from stend.findings import look
from stend.findings.look.hits import COLD_WARM
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.words import Language

FIGURES = {"iops": "iops", "ms": "latency", "max": "longest"}
"""Field -> name of its figure and axis."""


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield IOPS, mean and longest response time for each mix."""
    cells = [
        (phase, record.workload, record.counts) for phase in COLD_WARM for record in look.records(run, test.name, phase)
    ]
    names = [words.name_of("phase", phase) for phase in COLD_WARM if any(c[0] == phase for c in cells)]
    for read_pct in dict.fromkeys(load.read_pct for _, load, _ in cells):
        rows = [
            {
                "state": words.name_of("phase", phase),
                "q": load.outstanding,
                "iops": counts.iops,
                "ms": counts.mean_s * 1e3,
                "max": counts.max_s * 1e3,
            }
            for phase, load, counts in cells
            if load.read_pct == read_pct
        ]
        x = octaves("q", words("axis.outstanding"), [float(load.outstanding) for _, load, _ in cells])
        mix = mix_label(read_pct)
        for field, name in FIGURES.items():
            y = axis(field, words(f"axis.{name}"), log=field == "max" or far_apart(rows, field))
            chart = lines(x, y, series("state", words("axis.state"), names))
            title = words("chart.cold_warm", mix=mix, figure=words(f"figure.{name}"))
            yield Drawing(title, chart, {"rows": rows}, words("says.cold_warm"))
