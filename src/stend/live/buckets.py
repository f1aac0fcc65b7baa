"""A series of any length in level memory, in which no peak disappears."""

from collections.abc import Iterator
from typing import NamedTuple

from stend.record import Sample

MOST = 2000
"""Buckets kept; where there would be more, each two become one."""


class Band(NamedTuple):
    """What one quantity did in a bucket: its least, its mean, its most; base units."""

    low: float
    mean: float
    high: float

    def joined(self, other: "Band", share: float) -> "Band":
        """Both, of which the other weighs that share."""
        mean = self.mean + (other.mean - self.mean) * share
        return Band(min(self.low, other.low), mean, max(self.high, other.high))


class Bucket(NamedTuple):
    """A stretch of a run that ends at `t` seconds, `seconds` of load in it; response times are weighed by their IOs."""

    t: float
    seconds: float
    ios: int
    iops: Band
    throughput: Band
    latency: Band

    def joined(self, later: "Bucket") -> "Bucket":
        """This one and a later one as one."""
        seconds, ios = self.seconds + later.seconds, self.ios + later.ios
        share, weight = later.seconds / seconds if seconds else 0, later.ios / ios if ios else 0
        return Bucket(
            later.t,
            seconds,
            ios,
            self.iops.joined(later.iops, share),
            self.throughput.joined(later.throughput, share),
            self.latency.joined(later.latency, weight),
        )


def bucket(sample: Sample, t: float) -> Bucket:
    """One sample as a bucket of its own; the most of its response times is its longest."""
    counts = sample.counts
    iops, throughput, mean_s = counts.iops, counts.bytes_per_s, counts.mean_s
    return Bucket(
        t,
        counts.seconds,
        counts.read.ios + counts.write.ios,
        Band(iops, iops, iops),
        Band(throughput, throughput, throughput),
        Band(mean_s, mean_s, max(counts.max_s, mean_s)),
    )


class Buckets:
    """The series: at most `MOST` buckets of equal numbers of samples, the last one still filling.

    `each` is how many samples a bucket holds: 1, then 2, 4, ... as the run grows.
    """

    def __init__(self) -> None:
        self.all: list[Bucket] = []
        self.each = 1
        self._open = 0

    def add(self, sample: Sample, t: float) -> None:
        """One more sample, at `t` seconds of the run."""
        one = bucket(sample, t)
        if self._open:
            self.all[-1] = self.all[-1].joined(one)
        else:
            if len(self.all) == MOST:
                self.all = list(_halved(self.all))
                self.each *= 2
            self.all.append(one)
        self._open = (self._open + 1) % self.each


def _halved(buckets: list[Bucket]) -> Iterator[Bucket]:
    for first, second in zip(buckets[::2], buckets[1::2], strict=True):
        yield first.joined(second)
