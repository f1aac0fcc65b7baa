"""Cross stimulus: how far random writes set the drive back, and how long sequential writes take to recover."""

from collections.abc import Iterator
from statistics import median

from stend.findings import Finding, Sheet, look
from stend.model.record import Run

BACK = 0.9


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """Yield one finding per test whose first and last group have records."""
    for test in look.tests(run, "cross-stimulus"):
        first, last = (look.records(run, test.name, phase) for phase in ("sequential", "sequential-again"))
        if not first or not last:
            continue
        before = median(r.counts.bytes_per_s for r in first[-max(len(first) // 10, 1) :])
        after = median(r.counts.bytes_per_s for r in last[-max(len(last) // 10, 1) :])
        values = {"before": before, "after": after}
        back = next((r.end_s for r in last if r.counts.bytes_per_s >= BACK * before), None)
        if back is None:
            yield Finding(key="not_yet", test=test.name, values=values | {"seconds": last[-1].end_s}, side="con")
        else:
            yield Finding(key="recovered", test=test.name, values=values | {"minutes": back})
