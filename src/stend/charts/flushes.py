"""Flushes: how long one takes after bursts of growing length."""

from collections.abc import Iterator

from stend.charts.parts import Drawing, Row, axis
from stend.charts.parts.marks import lines, octaves, series
from stend.findings.look.synced import synced
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.words import Language


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield one chart: median response time of a flush by the bytes written before it."""
    name = words("figure.p50")
    rows: list[Row] = [
        {"kib": load.burst_bytes / 1024, "figure": name, "ms": flush_s * 1e3}
        for load in synced(run, test.name, "bursts")
        if (flush_s := load.flush_s) is not None
    ]
    if not rows:
        return
    x = octaves("kib", words("axis.burst_kib"), [row["kib"] for row in rows])
    y = axis("ms", words("axis.flush_ms"), log=True)
    chart = lines(x, y, series("figure", None, [name]))
    yield Drawing(words("chart.flushes"), chart, {"rows": rows}, words("says.flushes"))
