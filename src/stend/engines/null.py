"""An engine without a drive: it returns plausible counts at once, in virtual time, to measure the cost of stend."""

import math

from stend.model.counts import Counts
from stend.model.definition import Workload
from stend.model.stats import bin_edges_ns, bin_index
from stend.model.tally import Tally

IOPS = 200_000.0
BINS = 64
"""Latency bins that each direction fills, as many as a real drive without other load fills in a second."""


class NullLoad:
    """A load with equal counts at every interval, until a limit cuts the last one short."""

    def __init__(self, engine: "NullEngine", workload: Workload, limit_bytes: int | None) -> None:
        self.engine, self.left_bytes = engine, limit_bytes
        shares = sum(share for _, share in workload.sizes)
        self.block_bytes = round(sum(size * share for size, share in workload.sizes) / shares)
        self.read_pct = workload.read_pct
        self.middle_ns = workload.outstanding / engine.iops * 1e9
        self.began = self.ended = engine.clock_s
        self.over = False
        self.whole = self._counts(round(engine.iops * engine.interval_s) * self.block_bytes)

    def next(self) -> Counts | None:
        """Return an interval at once, or None once all of a limit is written."""
        if self.over:
            return None
        counts = self.whole
        if self.left_bytes is not None:
            if self.left_bytes < self._bytes(counts):
                counts = self._counts(self.left_bytes)
            self.left_bytes -= self._bytes(counts)
            self.over = self.left_bytes <= 0
        self.engine.clock_s += counts.seconds
        self.ended = self.engine.clock_s
        return counts

    def stop(self) -> None:
        """End the load. All its counts were returned already."""
        self.over = True

    def _bytes(self, counts: Counts) -> int:
        return counts.read.bytes + counts.write.bytes

    def _counts(self, total_bytes: int) -> Counts:
        """Return counts of this many bytes in the workload's mix at the engine's rate. The last block may be short."""
        ios = -(-total_bytes // self.block_bytes)
        reads = ios * self.read_pct // 100
        read_bytes = total_bytes if reads == ios else reads * self.block_bytes
        return Counts(
            seconds=ios / self.engine.iops,
            read=self._tally(reads, read_bytes),
            write=self._tally(ios - reads, total_bytes - read_bytes),
        )

    def _tally(self, ios: int, size_bytes: int) -> Tally:
        """Return response times in a triangle of bins around that of queue depth and rate (Little's law)."""
        if not ios:
            return Tally()
        first = max(bin_index(self.middle_ns) - BINS // 2, 0)
        shares = [min(i + 1, BINS - i) for i in range(BINS)]
        bins = {first + i: n for i, n in enumerate(_dealt(ios, shares)) if n}
        middles = {i: sum(bin_edges_ns(i)) / 2 for i in bins}
        return Tally(
            ios=ios,
            bytes=size_bytes,
            latency_ns=sum(n * middles[i] for i, n in bins.items()),
            latency_ns2=sum(n * middles[i] ** 2 for i, n in bins.items()),
            max_ns=middles[max(bins)],
            bins=bins,
        )


class NullEngine:
    """An engine without drive and waits: every workload has `iops`, and an interval costs microseconds."""

    def __init__(self, *, iops: float = IOPS, interval_s: float = 1.0) -> None:
        self.iops, self.interval_s, self.clock_s = iops, interval_s, 0.0

    def start(self, workload: Workload, *, seed: int, from_bytes: int = 0, limit_bytes: int | None = None) -> NullLoad:
        """Start a workload. See `Engine.start`."""
        return NullLoad(self, workload, limit_bytes if limit_bytes is not None else workload.played_bytes)

    def prepare(self, workload: Workload, *, seed: int, from_bytes: int = 0, limit_bytes: int | None = None) -> None:
        """Do nothing."""

    def idle(self, seconds: float) -> None:
        """Advance the virtual time."""
        self.clock_s += seconds

    def now(self) -> float:
        """Return the virtual seconds since the engine was created."""
        return self.clock_s

    def slept_s(self) -> float:
        """Return 0, because a virtual clock is never suspended."""
        return 0.0

    def close(self) -> None:
        """Do nothing."""


def _dealt(count: int, shares: list[int]) -> list[int]:
    """Return a count divided by shares into whole numbers with that sum."""
    total, dealt, marks = sum(shares), 0, list[int]()
    for share in shares:
        dealt += share
        marks.append(math.floor(count * dealt / total))
    return [b - a for a, b in zip([0, *marks], marks, strict=False)]
