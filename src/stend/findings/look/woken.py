"""Reads after rests: each rest with its first reads, and the reads without a rest beside them."""

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from stend.findings import look
from stend.findings.look.figures import Figures, listed
from stend.findings.look.once import once
from stend.model.bins import bin_edges_ns
from stend.model.definition import Workload
from stend.model.pace import MOST_LATE, Pace
from stend.model.packed import rising
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
SIGMAS = 1.96
"""Standard deviations on each side in a 95 % interval."""
QUARTERS = (0.25, 0.5, 0.75)
HALF_BIN = 0.008
"""Half the width of fio's bins, in parts of a response time."""
WAKES = 1.5
"""Times the response time without a rest from which a drive had been asleep. A deeper state takes as much longer."""
PART = 1 / 3
"""Least share of reads in each of two groups that make a median meaningless. A choice of stend."""
SAME = 0.02
"""Share by which quartiles of rests of one state may differ whatever their scatter: a bin of response times."""


class Parts(NamedTuple):
    """Two groups of reads after rests of one length: before about half of them the drive was in a deeper state.

    The medians are in seconds. `slow` is the number of reads of the slower group.
    """

    fast_s: float
    slow_s: float
    slow: int


class Rest(NamedTuple):
    """The reads after rests of one length, in seconds. Response times count from when a read was due.

    `busy` is the mean number of the host's processors that were busy meanwhile. `parts` are the groups of reads that a
    median would mix, None if there are none.
    """

    rest_s: float
    row: Figures
    pace: Pace
    busy: float
    parts: Parts | None

    @property
    def reads(self) -> int:
        """Return the number of reads."""
        return self.row.tally.ios

    @property
    def usual_s(self) -> float:
        """Return the median response time in seconds, of a small sample the mean, of two groups that of the faster."""
        return self.parts.fast_s if self.parts else self.row.value("p50") or self.row.number("mean")

    @property
    def medians_s(self) -> tuple[float, ...]:
        """Return the median response time in seconds, or those of both groups."""
        return (self.parts.fast_s, self.parts.slow_s) if self.parts else (self.usual_s,)

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
        """Return how many reads surely took longer than this."""
        return slower(self.row.tally, bound_s)


class Quantile(NamedTuple):
    """A quantile of response times in seconds, with its 95 % interval by ranks, which holds for any distribution."""

    low_s: float
    mid_s: float
    high_s: float


class Level(NamedTuple):
    """Rests after which the drive is in the same state, and the median of all their first reads, in seconds."""

    from_s: float
    to_s: float
    median: Quantile
    reads: int

    @property
    def error_s(self) -> float:
        """Return the half width of the interval of the median, at least half a bin of response times."""
        low_s, mid_s, high_s = self.median
        return max(high_s - mid_s, mid_s - low_s, HALF_BIN * mid_s)


def slower(tally: Tally, bound_s: float) -> int:
    """Return how many IOs surely took longer than this: those of bins that begin above it."""
    return sum(count for index, count in tally.bins.items() if bin_edges_ns(index)[0] * NS > bound_s)


@once
def rests(run: Run, test: str) -> tuple[Figures | None, tuple[Rest, ...]]:
    """Return the reads without a rest (None if there are none), and the rests before which the drive was idle."""
    rows = [row for row in listed(run, test, PHASE) if row.direction == "both" and row.tally.ios]
    held: dict[Workload, tuple[Pace, float]] = {}
    for record in look.records(run, test, PHASE):
        held[record.workload] = record.result.pace or Pace(), record.counts.cpu_s / record.counts.seconds
    paced = (row for row in rows if row.workload.rate_iops)
    every = (Rest(1 / row.workload.rate_iops, row, *held[row.workload], parts(row.tally)) for row in paced)
    awake = next((row for row in rows if not row.workload.rate_iops), None)
    return awake, tuple(sorted(rest for rest in every if rest.kept))


def parts(tally: Tally) -> Parts | None:
    """Return two groups of reads if each has a good share of them and the median may be of either, or None.

    Times between the groups do not occur, and those of the slower group are `WAKES` times as long.
    """
    low_s, _, high_s = quantile(tally, 0.5)
    inside = [index for index in rising(tally.bins)[0] if low_s <= middle_s(index) <= high_s]
    times, first = max(((middle_s(b) / middle_s(a), b) for a, b in pairwise(inside)), default=(0.0, 0))
    if times <= WAKES:
        return None
    fast = {index: n for index, n in tally.bins.items() if index < first}
    slow = {index: n for index, n in tally.bins.items() if index >= first}
    (fast_s,), (slow_s,) = (_ranked(bins, [sum(bins.values()) / 2]) for bins in (fast, slow))
    groups = Parts(fast_s, slow_s, sum(slow.values()))
    return groups if PART <= groups.slow / tally.ios <= 1 - PART else None


def levels(rests: Sequence[Rest]) -> list[Level]:
    """Return the levels of rests in order of length. Rests are joined where the quartiles of their reads are equal.

    Rests after which the drive is in either of two states are in no level.
    """
    found = list[tuple[list[Rest], Tally]]()
    for rest in (rest for rest in rests if not rest.parts):
        tally = rest.row.tally
        if found and all(_equal(quantile(found[-1][1], share), quantile(tally, share)) for share in QUARTERS):
            found[-1] = ([*found[-1][0], rest], found[-1][1] + tally)
        else:
            found.append(([rest], tally))
    return [Level(held[0].rest_s, held[-1].rest_s, quantile(tally, 0.5), tally.ios) for held, tally in found]


def quantile(tally: Tally, share: float) -> Quantile:
    """Return the quantile below which a share of the IOs lies. Times are the middles of fio's bins (within 0.8 %)."""
    half = SIGMAS * math.sqrt(tally.ios * share * (1 - share))
    ranks = [math.floor(tally.ios * share - half), tally.ios * share, math.ceil(tally.ios * share + half) + 1]
    return Quantile(*_ranked(tally.bins, ranks) if len(tally.bins) > 1 else [tally.mean_s] * 3)


def _ranked(bins: Mapping[int, int], ranks: Sequence[float]) -> list[float]:
    """Return the middles of the bins in which IOs of these ranks are, in seconds."""
    indices, counts = rising(bins)
    below = list(accumulate(counts))
    return [middle_s(indices[bisect_left(below, min(max(rank, 1), below[-1]))]) for rank in ranks]


def middle_s(index: int) -> float:
    """Return the middle of a bin of response times in seconds."""
    return sum(bin_edges_ns(index)) / 2 * NS


def _equal(a: Quantile, b: Quantile) -> bool:
    return a.low_s <= b.high_s * (1 + SAME) and b.low_s <= a.high_s * (1 + SAME)
