"""Exceedance: the share of IOs slower than a response time, as far as the sample size allows (log-log)."""

from collections.abc import Iterator, Mapping
from typing import Any

from stend.charts.parts import Drawing, Row, axis, few
from stend.charts.parts.marks import Channel, series, thin_lines
from stend.findings import look
from stend.model.counts import Counts, added
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.model.stats import bin_edges_ns, least_beyond
from stend.words import Language

TESTS = (
    "latency", "write-saturation", "composite", "demand-intensity", "rwsw-demand-intensity", "multi-wsat",
    "thread-queue-sweep",
)  # fmt: skip
PHASES = ("histogram", "max", "mid", "min", "sweep")


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield one chart with one line per phase whose response times are a result."""
    phases = [p for p in look.measuring(run, test) if p.name.split("-")[0] in PHASES]
    phases = [p for p in phases if p.name != "sweep"] or phases
    series_of: dict[str, Counts] = {}
    for phase in phases or look.measuring(run, test)[-1:]:
        records = look.records(run, test.name, phase.name)
        load = records[-1].workload
        total = added(r.counts for r in records if r.workload == load)
        for way in ("read", "write"):
            if getattr(total, way).bins:
                named = words.name_of("phase", phase.name), words.show(load.label, "load"), words(f"direction.{way}")
                series_of[", ".join(named)] = Counts(total.seconds, 0, getattr(total, way))
    names = few(list(series_of))
    rows = [row for name in names for row in curve(series_of[name].read.bins, name)]
    chart = share_lines(series("name", None, names), words).properties(height=340)
    yield Drawing(words("chart.exceedance"), chart, {"rows": rows}, words("says.exceedance"))


def share_lines(kinds: dict[str, Channel], words: Language) -> Any:
    """Return lines of the points of `curve`."""
    x = axis("ms", words("axis.latency_ms"), log=True)
    return thin_lines(x, axis("share", words("axis.exceedance"), log=True), kinds)


def curve(bins: Mapping[int, int], name: str) -> Iterator[Row]:
    """Yield points down to the share of ten IOs; beyond it the share is left to chance."""
    total = left = sum(bins.values())
    least = least_beyond(bins)
    for index in sorted(bins):
        left -= bins[index]
        if left < least:
            return
        yield {"ms": bin_edges_ns(index)[1] / 1e6, "share": 100 * left / total, "name": name}
