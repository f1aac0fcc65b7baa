"""Figures of synced writes: each load with its writes, whose response times end with their flush, and its flushes."""

from typing import NamedTuple

from stend.findings.look import records
from stend.findings.look.figures import Figures, listed, quantities
from stend.findings.look.once import once
from stend.model.record import Run
from stend.model.stats import percentile_s
from stend.model.tally import NONE, Tally

TEST = "journal"


class Synced(NamedTuple):
    """The writes of a load of one phase, its flushes, and how many of the host's processors were busy with it."""

    write: Figures
    flush: Tally
    busy: float = 0.0

    @property
    def flush_s(self) -> float | None:
        """Return the median response time of a flush in seconds (a small sample: the mean), or None without flushes."""
        values = quantities(self.flush, self.write.seconds, ("p50", "mean"))
        return values["p50"] or values["mean"]

    @property
    def slow_flush_s(self) -> float | None:
        """Return the response time in seconds that a tenth of the flushes exceed, or None for too small a sample."""
        return percentile_s(self.flush, 90)

    @property
    def burst_bytes(self) -> int:
        """Return the bytes that a thread writes between two flushes."""
        return self.write.workload.flush_every * self.write.workload.block_bytes

    @property
    def cycle_s(self) -> float:
        """Return the mean seconds from one flush of a thread to its next, or 0 without flushes."""
        return self.write.seconds * self.write.workload.outstanding / self.flush.ios if self.flush.ios else 0.0

    @property
    def waits_s(self) -> float:
        """Return the mean response time of a write without its flush in seconds, or 0 without flushes."""
        return (self.cycle_s - self.flush.mean_s) / self.write.workload.flush_every if self.flush.ios else 0.0

    def held_bytes(self, idle_s: float) -> float:
        """Return what the drive's buffer holds when the flush of one writer comes: rate of draining x time of a flush.

        Each flush leaves the medium idle for `idle_s`. What is in the buffer at the end of the step has not drained.
        """
        done, flushes = self.write.tally.bytes, self.flush.ios
        busy_s = self.write.seconds - flushes * idle_s
        held = done / busy_s * self.flush.mean_s
        return (done - min(done - flushes * self.burst_bytes, held)) / busy_s * self.flush.mean_s


@once
def synced(run: Run, test: str, phase: str) -> tuple[Synced, ...]:
    """Return the loads of a phase with writes, in order."""
    rows = [row for row in listed(run, test, phase) if row.tally.ios]
    mixed = {row.workload for row in rows if row.direction == "write"}
    writes = [row for row in rows if row.direction == ("write" if row.workload in mixed else "both")]
    flushes: dict[str, Tally] = {}
    busy: dict[str, float] = {}
    for record in records(run, test, phase):
        pace, label = record.result.pace, record.workload.label
        busy[label] = max(busy.get(label, 0.0), record.counts.cpu_s / record.counts.seconds)
        flushes[label] = flushes.get(label, NONE) + (pace.flush if pace else NONE)
    named = ((row.workload.label, row) for row in writes if row.workload.read_pct < 100)
    return tuple(Synced(row, flushes[label], busy[label]) for label, row in named)
