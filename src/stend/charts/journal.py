"""Synced writes: their rate and response times by the number of writers, one line per block size."""

from collections.abc import Iterator
from typing import NamedTuple

from stend.base.units import KiB
from stend.charts.parts import Drawing, Row, axis
from stend.charts.parts.marks import lines, octaves, series
from stend.findings.look.synced import synced
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.words import Language


class Panel(NamedTuple):
    """A chart: its phase, and the quantity of its vertical axis, on a logarithmic one if `log`."""

    phase: str
    quantity: str
    log: bool


PANELS = (Panel("journal", "iops", log=False), Panel("journal", "p99", log=True), Panel("with-reads", "p99", log=True))


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield the rate and the 99th percentile of synced writes alone, and the percentile beside reads."""
    phases = dict.fromkeys(panel.phase for panel in PANELS)
    sizes = {load.write.workload.block_bytes for phase in phases for load in synced(run, test.name, phase)}
    names = [words.show(size, "gib") for size in sorted(sizes)]  # the same colours in all charts
    for panel in PANELS:
        rows = list(_rows(run, test, panel, words))
        if not rows:
            continue
        x = octaves("threads", words("axis.writers"), [float(row["threads"]) for row in rows])
        y = axis("value", words("axis.synced_iops" if panel.quantity == "iops" else "axis.latency_ms"), log=panel.log)
        chart = lines(x, y, series("block", words("axis.block_size"), names, ordered=True))
        key = f"{panel.phase.replace('-', '_')}_{panel.quantity}"
        yield Drawing(words(f"chart.{key}"), chart, {"rows": rows}, words("says.journal"))


def _rows(run: Run, test: PlannedTest, panel: Panel, words: Language) -> Iterator[Row]:
    for load in synced(run, test.name, panel.phase):
        value, workload = load.write.value(panel.quantity), load.write.workload
        if value is not None:
            kib, scale = workload.block_bytes / KiB, 1.0 if panel.quantity == "iops" else 1e3
            block = words.show(workload.block_bytes, "gib")
            yield {"block": block, "kib": kib, "threads": workload.threads, "value": value * scale}
