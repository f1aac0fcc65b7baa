"""Figures of a run about the trace that it replayed."""

from stend.findings import look
from stend.model.definition import PlannedTest
from stend.model.pace import Pace
from stend.model.record import Run
from stend.model.stats import bin_edges_ns, percentile_s
from stend.model.tally import Tally


def replayed(run: Run, test: PlannedTest) -> tuple[Pace, tuple[Tally, Tally]]:
    """Return how the trace's times were kept, and the replay's reads and writes."""
    records = look.records(run, test.name, "replay")
    pace = next((r.result.pace for r in reversed(records) if r.result.pace), Pace())
    return pace, (records[-1].counts.read, records[-1].counts.write) if records else (Tally(), Tally())


def lateness_s(pace: Pace, percent: float) -> float | None:
    """Return how late IOs were sent in seconds, by percentile, or None if not measured or the sample is too small."""
    waited = sum(sum(bin_edges_ns(index)) / 2 * ios for index, ios in pace.lateness.items())
    tally = Tally(ios=sum(pace.lateness.values()), latency_ns=waited, max_ns=pace.latest_ns, bins=dict(pace.lateness))
    return percentile_s(tally, percent)
