"""Sequential throughput by position in the range: the zones of a disk (method of the reviews)."""

from collections.abc import Iterator

from stend.charts.parts import Drawing, axis, position
from stend.charts.parts.marks import series, thin_lines
from stend.findings import look
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.words import Language


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield one chart of reads and writes."""
    names = {"read": words("direction.read"), "write": words("direction.write")}
    rows = [
        {
            "gb": (record.workload.start_bytes + record.workload.range_bytes / 2) / 1e9,
            "mbs": record.counts.bytes_per_s / 1e6,
            "way": name,
        }
        for phase, name in names.items()
        for record in look.records(run, test.name, phase)
    ]
    x = position("gb", test.profile.active_range(run.plan.device), words)
    y = axis("mbs", words("axis.throughput"))
    chart = thin_lines(x, y, series("way", None, list(names.values())))
    yield Drawing(words("chart.lba_profile"), chart, {"rows": rows}, words("says.lba_profile"))
