"""Throughput by block size and direction, as bars (PTS 6.2)."""

from collections.abc import Iterator

from stend.charts.parts import Drawing, axis
from stend.charts.parts.marks import bars, category, series
from stend.findings.look.figures import answers
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.words import Language


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield one chart with a pair of bars per block size and threads x depth."""
    rows = [
        {
            "size": f"{words.show(row.workload.block_bytes, 'gib')} T{row.workload.threads} Q{row.workload.depth}",
            "kind": words("direction.read" if row.workload.read_pct == 100 else "direction.write"),
            "mbs": row.number("throughput") / 1e6,
        }
        for row in answers(run, test.name)
    ]
    sizes = list(dict.fromkeys(str(bar["size"]) for bar in rows))
    kinds = series("kind", None, [words("direction.read"), words("direction.write")])
    chart = bars(category("size", words("axis.block_size"), sizes), axis("mbs", words("axis.throughput")), kinds)
    yield Drawing(words("chart.throughput_bars"), chart, {"rows": rows}, words("says.window_mean"))
