"""Warm-up of a hot range: IOPS and response time over hours for each mix (method of the reviews)."""

from collections.abc import Iterator

from stend.base.units import mix_label
from stend.charts.parts import Drawing, axis, binned, far_apart, thin, time_scale, zoom
from stend.charts.parts.marks import series, thin_lines
from stend.findings import look
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.words import Language

NAMES = {"iops": "iops", "mean": "latency", "max": "longest"}


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield IOPS, mean and maximum response time, each mix from its own start."""
    records_of = {p.name: look.records(run, test.name, p.name) for p in test.phases if p.name.startswith("mix-")}
    records_of = {name: records for name, records in records_of.items() if records}
    if not records_of:
        return
    scale, title = time_scale(max(records[-1].end_s for records in records_of.values()), words)
    names = {p: mix_label(r[0].workload.read_pct) for p, r in records_of.items()}
    for figure, key in (("iops", "axis.iops"), ("mean", "axis.latency"), ("max", "axis.longest")):
        rows = []
        for phase, records in records_of.items():
            values = [
                {
                    "t": r.end_s / scale,
                    "value": {
                        "iops": r.counts.iops,
                        "mean": r.counts.mean_s * 1e3,
                        "max": r.counts.max_s * 1e3,
                    }[figure],
                    "mix": names[phase],
                }
                for r in records
            ]
            rows += (thin if figure == "max" else binned)(values, "t", "value", 500)
        y = axis("value", words(key), log=figure == "max" or far_apart(rows, "value"))
        chart = thin_lines(axis("t", title), y, series("mix", words("axis.mix"), list(names.values())))
        name = words(f"figure.{NAMES[figure]}")
        yield Drawing(
            words("chart.hot_range", figure=name),
            chart.add_params(zoom()),
            {"rows": rows},
            words("says.hot_range"),
        )
