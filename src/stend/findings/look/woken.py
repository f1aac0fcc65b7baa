"""Reads after rests: each rest with its first reads, and the reads without a rest beside them."""

from typing import NamedTuple

from stend.findings import look
from stend.findings.look.figures import Figures, listed
from stend.findings.look.once import once
from stend.model.bins import bin_edges_ns
from stend.model.definition import Workload
from stend.model.pace import MOST_LATE, Pace
from stend.model.record import Run
from stend.model.stats import percentile_s
from stend.model.tally import NS, Tally

TEST, PHASE = "wake", "rests"
HOST_S = 1e-3
"""A longer response time by less than this may be the host's, whose processors sleep during a rest too: the deepest
state of Linux' intel_idle (C10) takes 0.9 ms to leave. A drive in memory was slower by 0.1 ms."""
SHARE = 0.1
"""Share of a response time, or of `HOST_S`, that the usual lateness of the sender may have."""
LATE = 0.25
"""Share of reads that the host may send late (`LATE_S`): a median does not depend on them."""


BUSY = 0.5
"""Processors that were busy on average during rests, from which other work on the host may have delayed reads."""


class Rest(NamedTuple):
    """The reads after rests of one length, in seconds; response times count from when a read was due.

    `busy` is the mean number of the host's processors that were busy meanwhile.
    """

    rest_s: float
    row: Figures
    pace: Pace
    busy: float

    @property
    def reads(self) -> int:
        """Return the number of reads."""
        return self.row.tally.ios

    @property
    def usual_s(self) -> float:
        """Return the median response time in seconds, of a small sample the mean."""
        return self.row.value("p50") or self.row.number("mean")

    @property
    def longest_s(self) -> float:
        """Return the longest response time in seconds."""
        return self.row.number("max")

    @property
    def late_s(self) -> float:
        """Return how late the sender usually was, in seconds: the median, of a small sample the longest; 0 unknown."""
        sent = Tally(ios=sum(self.pace.lateness.values()), max_ns=self.pace.latest_ns, bins=self.pace.lateness)
        return percentile_s(sent, 50) or (sent.max_s if sent.ios else 0.0)

    @property
    def late(self) -> bool:
        """Return True if the host, and not the drive, may have made these reads slow."""
        return self.pace.host_share > LATE or self.late_s > SHARE * max(self.usual_s, HOST_S)

    @property
    def kept(self) -> bool:
        """Return True if the drive rested before each read: it had answered the one before."""
        return self.pace.full_share <= MOST_LATE and self.pace.unsent <= MOST_LATE * self.pace.sent

    def slower(self, bound_s: float) -> int:
        """Return how many reads surely took longer than this: those of bins that begin above it."""
        bins = self.row.tally.bins.items()
        return sum(count for index, count in bins if bin_edges_ns(index)[0] * NS > bound_s)


@once
def rests(run: Run, test: str) -> tuple[Figures | None, tuple[Rest, ...]]:
    """Return the reads without a rest (None if there are none), and the rests before which the drive was idle."""
    rows = [row for row in listed(run, test, PHASE) if row.direction == "both" and row.tally.ios]
    held: dict[Workload, tuple[Pace, float]] = {}
    for record in look.records(run, test, PHASE):
        held[record.workload] = record.result.pace or Pace(), record.counts.cpu_s / record.counts.seconds
    every = (Rest(1 / row.workload.rate_iops, row, *held[row.workload]) for row in rows if row.workload.rate_iops)
    awake = next((row for row in rows if not row.workload.rate_iops), None)
    return awake, tuple(sorted(rest for rest in every if rest.kept))
