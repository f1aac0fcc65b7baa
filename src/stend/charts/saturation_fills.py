"""Write saturation against GB written and drive fills, also on a log axis (PTS 8.2)."""

from collections.abc import Iterator, Sequence

from stend.charts.parts import Drawing, Row, axis, thin, zoom
from stend.charts.parts.marks import dots, series
from stend.findings import look
from stend.findings.look import Record
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.words import Language

TESTS = ("write-saturation",)


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield IOPS against GB written (linear and log) and against fills; for mixes only writes count."""
    records = look.records(run, test.name, look.main_phase(run, test))
    capacity = run.plan.device.capacity_bytes
    for field, unit, log in (("gb", 1e9, False), ("gb", 1e9, True), ("fills", float(capacity), False)):
        rows = thin(list(_rows(records, field, unit)), field, "iops")
        x, y = axis(field, words(f"axis.{field}_written")), axis("iops", words("axis.iops"), log=log)
        chart = dots(x, y, series("kind", None, ["IOPS"])).add_params(zoom())
        key = "chart.saturation_log" if log else f"chart.saturation_{field}"
        yield Drawing(words(key), chart, {"rows": rows}, words("says.saturation"))


def _rows(records: Sequence[Record], field: str, unit: float) -> Iterator[Row]:
    written = 0
    for record in records:
        written += record.counts.write.bytes
        if record.counts.iops:
            yield {field: written / unit, "iops": record.counts.iops, "kind": "IOPS"}
