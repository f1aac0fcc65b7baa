"""What a run tells of the trace it played."""

from stend.definition import PlannedTest
from stend.findings import look
from stend.pace import Pace
from stend.record import Run, Tally


def replayed(run: Run, test: PlannedTest) -> tuple[Pace, tuple[Tally, Tally]]:
    """How the trace's times were kept, and what it did, reads and writes."""
    records = look.records(run, test.name, "replay")
    pace = next((r.result.pace for r in reversed(records) if r.result.pace), Pace())
    return pace, (records[-1].counts.read, records[-1].counts.write) if records else (Tally(), Tally())
