"""Counts of a stretch of load, which add up: seconds, processor seconds, reads and writes.

Rates and percentiles are never recorded. They are derived from counts. Reads and writes are kept apart.
"""

from collections.abc import Iterable

import msgspec

from stend.base import limits
from stend.model.packed import merged
from stend.model.tally import NONE, NS, Tally


class Counts(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Totals of a stretch of load: its seconds, the host's busy CPU seconds (all cores), reads and writes."""

    seconds: limits.Seconds = 0
    cpu_s: limits.Number = 0
    read: Tally = Tally()
    write: Tally = Tally()

    def __post_init__(self) -> None:
        if 0 < self.seconds < NS:
            msgspec.structs.force_setattr(self, "seconds", lasted(self.seconds))

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(
            self.seconds + other.seconds, self.cpu_s + other.cpu_s, self.read + other.read, self.write + other.write
        )

    @property
    def both(self) -> Tally:
        """Return reads and writes added up, the base of a mix's IOPS, ART and MRT."""
        return self.read + self.write

    @property
    def ios(self) -> int:
        """Return the number of completed reads and writes."""
        return self.read.ios + self.write.ios

    @property
    def mean_s(self) -> float:
        """Return the average response time (ART) of reads and writes together, in seconds, or 0 without IOs."""
        return (self.read.latency_ns + self.write.latency_ns) / self.ios * NS if self.ios else 0.0

    @property
    def max_s(self) -> float:
        """Return the maximum response time (MRT) of reads and writes, in seconds."""
        return max(self.read.max_s, self.write.max_s)

    @property
    def iops(self) -> float:
        """Return completed reads and writes per second."""
        return self.ios / self.seconds if self.seconds else 0.0

    @property
    def bytes_per_s(self) -> float:
        """Return bytes read and written per second."""
        return (self.read.bytes + self.write.bytes) / self.seconds if self.seconds else 0.0

    def quantity(self, name: str) -> float:
        """Return a figure in base units: IOs/s, bytes/s, seconds of the average or the longest response time."""
        known = {"iops": self.iops, "throughput": self.bytes_per_s, "latency": self.mean_s, "longest": self.max_s}
        return known[name]

    def without_bins(self) -> "Counts":
        """Return the counts without latency bins, small enough to be written every second."""
        bare = (msgspec.structs.replace(t, bins={}) if t.bins else t for t in (self.read, self.write))
        return Counts(self.seconds, self.cpu_s, *bare)


def lasted(seconds: float) -> float:
    """Return 0 for a duration below a nanosecond, which no clock resolves and no rate can be derived from."""
    return 0.0 if seconds < NS else seconds


def added(many: Iterable[Counts]) -> Counts:
    """Add up counts like `sum`, but with a single copy of the bins."""
    seconds, cpu_s, reads, writes = 0.0, 0.0, [], []
    for counts in many:
        seconds, cpu_s = seconds + counts.seconds, cpu_s + counts.cpu_s
        reads.append(counts.read)
        writes.append(counts.write)
    return Counts(seconds, cpu_s, _tally(reads), _tally(writes))


def _tally(every: list[Tally]) -> Tally:
    many = [tally for tally in every if tally != NONE]
    if len(many) < 2:
        return many[0] if many else NONE
    ios, done = 0, 0
    waited: float = 0
    squares: float = 0
    for tally in many:
        ios, done = ios + tally.ios, done + tally.bytes
        waited, squares = waited + tally.latency_ns, squares + tally.latency_ns2
    bins = merged([tally.bins for tally in many])
    return Tally(ios, done, waited, squares, max(tally.max_ns for tally in many), bins)


def packed(counts: Counts, weight: int = 1) -> Counts:
    """Return the counts with their bins in compact arrays. Each observed IO counts as `weight` IOs."""
    return Counts(counts.seconds, counts.cpu_s, counts.read.weighed(weight), counts.write.weighed(weight))
