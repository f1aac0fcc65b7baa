"""Warm-up of a hot range: IOPS and response time over hours for each mix (method of the reviews)."""

from collections.abc import Iterator

from stend.base.units import mix_label
from stend.charts.parts import SCALE, Drawing, axis, binned, far_apart, thin, time_scale, zoom
from stend.charts.parts.marks import series, thin_lines
from stend.findings import look
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.words import Language


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield IOPS, mean and maximum response time, each mix from its own start."""
    records_of = {p.name: look.records(run, test.name, p.name) for p in test.phases if p.name.startswith("mix-")}
    records_of = {name: records for name, records in records_of.items() if records}
    if not records_of:
        return
    scale, title = time_scale(max(records[-1].end_s for records in records_of.values()), words)
    names = {p: mix_label(r[0].workload.read_pct) for p, r in records_of.items()}
    for figure in ("iops", "latency", "longest"):
        rows = []
        for phase, records in records_of.items():
            values = [
                {"t": r.end_s / scale, "value": r.counts.quantity(figure) * SCALE[figure], "mix": names[phase]}
                for r in records
            ]
            rows += (thin if figure == "longest" else binned)(values, "t", "value", 500)
        y = axis("value", words(f"axis.{figure}"), log=figure == "longest" or far_apart(rows, "value"))
        chart = thin_lines(axis("t", title), y, series("mix", words("axis.mix"), list(names.values())))
        heading = words("chart.hot_range", figure=words(f"figure.{figure}"))
        yield Drawing(heading, chart.add_params(zoom()), {"rows": rows}, words("says.hot_range"))
