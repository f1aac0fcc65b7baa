"""A series of any length in constant memory, which keeps every minimum and maximum."""

import math
from typing import NamedTuple

from stend.model.counts import Counts
from stend.model.events import Sample
from stend.model.tally import NS

MOST = 2000
"""Largest number of buckets; then each two neighbours are merged."""


class Band(NamedTuple):
    """Minimum, mean and maximum of one quantity in a bucket, in base units."""

    low: float
    mean: float
    high: float

    def joined(self, other: "Band", share: float) -> "Band":
        """Return the band of both; `share` (0 to 1) is the weight of `other` in the mean."""
        mean = self.mean + (other.mean - self.mean) * share
        return Band(min(self.low, other.low), mean, max(self.high, other.high))


class Bucket(NamedTuple):
    """A part of a run that ends at `t` seconds, with `seconds` of load. Mean response times are weighted by IOs.

    `place` is the number of the last sample's phase in the plan, from 0, and `round` its round.
    """

    t: float
    seconds: float
    ios: int
    iops: Band
    throughput: Band
    latency: Band
    place: int = 0
    round: int = 0

    def joined(self, later: "Bucket") -> "Bucket":
        """Return this bucket merged with the next one."""
        seconds, ios = self.seconds + later.seconds, self.ios + later.ios
        share, weight = later.seconds / seconds if seconds else 0, later.ios / ios if ios else 0
        return Bucket(
            later.t,
            seconds,
            ios,
            self.iops.joined(later.iops, share),
            self.throughput.joined(later.throughput, share),
            self.latency.joined(later.latency, weight),
            later.place,
            later.round,
        )


class Buckets:
    """A series of at most `MOST` buckets with equal numbers of samples. The last one may be incomplete.

    `each` is the number of samples per bucket: 1, then 2, 4, ... as the run grows.
    """

    def __init__(self) -> None:
        self.closed: list[Bucket] = []
        self.each, self._held = 1, 0
        self._open: Open | None = None

    def __len__(self) -> int:
        return len(self.closed) + (self._open is not None)

    def since(self, start: int = 0) -> list[Bucket]:
        """Return the buckets from number `start` on, with the incomplete one."""
        return [*self.closed[start:], *([self._open.bucket] if self._open else [])]

    def add(self, sample: Sample, t: float, place: int = 0, number: int = 0) -> None:
        """Add a sample that ends at `t` seconds of the run, in round `number` of phase `place`."""
        if self._open is None:
            if len(self.closed) == MOST:
                pairs = zip(self.closed[::2], self.closed[1::2], strict=True)
                self.closed = [first.joined(second) for first, second in pairs]
                self.each *= 2
            self._open = Open()
        self._open.add(sample.counts, t, place, number)
        self._held += 1
        if self._held == self.each:
            self.closed.append(self._open.bucket)
            self._open, self._held = None, 0


class Open:
    """An incomplete bucket. It holds plain numbers, because a day has 86,400 samples."""

    def __init__(self) -> None:
        self.t = self.seconds = self.bytes = self.waited_ns = 0.0
        self.ios = self.place = self.round = 0
        self.low_iops = self.low_bps = self.low_s = math.inf
        self.high_iops = self.high_bps = self.high_s = 0.0

    def add(self, counts: Counts, t: float, place: int, number: int) -> None:
        """Add the counts of a sample. The maximum of response times is the longest single one."""
        self.place, self.round = place, number
        read, write, seconds = counts.read, counts.write, counts.seconds
        ios, nbytes, waited = read.ios + write.ios, read.bytes + write.bytes, read.latency_ns + write.latency_ns
        iops, bps = (ios / seconds, nbytes / seconds) if seconds else (0.0, 0.0)
        mean_s = waited / ios * NS if ios else 0.0
        high_s = max(read.max_ns, write.max_ns) * NS
        self.t, self.seconds, self.ios = t, self.seconds + seconds, self.ios + ios
        self.bytes, self.waited_ns = self.bytes + nbytes, self.waited_ns + waited
        self.low_iops, self.high_iops = min(self.low_iops, iops), max(self.high_iops, iops)
        self.low_bps, self.high_bps = min(self.low_bps, bps), max(self.high_bps, bps)
        self.low_s, self.high_s = min(self.low_s, mean_s), max(self.high_s, mean_s, high_s)

    @property
    def bucket(self) -> Bucket:
        """Return the bucket of the samples so far."""
        seconds, ios = self.seconds, self.ios
        iops, bps = (ios / seconds, self.bytes / seconds) if seconds else (0.0, 0.0)
        return Bucket(
            self.t,
            seconds,
            ios,
            Band(self.low_iops, iops, self.high_iops),
            Band(self.low_bps, bps, self.high_bps),
            Band(self.low_s, self.waited_ns / ios * NS if ios else 0.0, self.high_s),
            self.place,
            self.round,
        )
