"""What a run tells of the trace it played."""

from stend.findings import look
from stend.model.definition import PlannedTest
from stend.model.pace import Pace
from stend.model.record import Run
from stend.model.stats import bin_edges_ns, percentile_s
from stend.model.tally import Tally


def replayed(run: Run, test: PlannedTest) -> tuple[Pace, tuple[Tally, Tally]]:
    """How the trace's times were kept, and what it did, reads and writes."""
    records = look.records(run, test.name, "replay")
    pace = next((r.result.pace for r in reversed(records) if r.result.pace), Pace())
    return pace, (records[-1].counts.read, records[-1].counts.write) if records else (Tally(), Tally())


def lateness_s(pace: Pace, percent: float) -> float | None:
    """How long after its time an IO was sent, by percentile; None where it was not measured or too few were sent."""
    waited = sum(sum(bin_edges_ns(index)) / 2 * ios for index, ios in pace.lateness.items())
    tally = Tally(ios=sum(pace.lateness.values()), latency_ns=waited, max_ns=pace.latest_ns, bins=dict(pace.lateness))
    return percentile_s(tally, percent)
