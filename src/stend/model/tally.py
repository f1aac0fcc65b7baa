"""Totals of the IOs of one direction: their number, response times, and fio's latency bins."""

from collections.abc import Mapping

import msgspec

from stend.base import limits
from stend.model.bins import BINS, bin_edges_ns
from stend.model.packed import Bins, merged

NS = 1e-9
PERCENTS = {"p50": 50.0, "p99": 99.0, "p99.9": 99.9, "p99.99": 99.99, "p99.999": 99.999}
"""The percentiles of response times that figures, tables, exports and the catalogue have, by name, ascending."""
TAIL = tuple(name for name, percent in PERCENTS.items() if percent > 50)


class Tally(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """IOs of one direction: their number, bytes, summed response times, and fio's latency bins.

    `latency_ns2` is the sum of squares (for the standard deviation). `max_ns` is the longest in the interval, or the
    upper edge of the highest bin that grew. `bins` is {bin index: IOs}, sparse, and empty in Samples (see
    `bins.bin_edges_ns`).
    """

    ios: limits.Count = 0
    bytes: limits.Count = 0
    latency_ns: limits.Nanoseconds = 0
    latency_ns2: limits.Squares = 0
    max_ns: limits.Nanoseconds = 0
    bins: Mapping[limits.Bin, limits.Count] = {}

    def __add__(self, other: "Tally") -> "Tally":
        if self == NONE:
            return other
        if other == NONE:
            return self
        return Tally(
            self.ios + other.ios,
            self.bytes + other.bytes,
            self.latency_ns + other.latency_ns,
            self.latency_ns2 + other.latency_ns2,
            max(self.max_ns, other.max_ns),
            merged([self.bins, other.bins]),
        )

    def since(self, before: "Tally") -> "Tally":
        """Return what was added to the tally `before` of the same load.

        The longest response time is exact if the total's maximum grew. Otherwise it is the upper edge of the highest
        bin that grew, or the total's maximum if that is the last bin, which has no upper edge.
        """
        if before == NONE:
            return self
        grown = {index: more for index, n in self.bins.items() if (more := n - before.bins.get(index, 0))}
        if self.max_ns > before.max_ns or BINS - 1 in grown:
            longest = self.max_ns
        else:
            longest = min(self.max_ns, bin_edges_ns(max(grown))[1]) if grown else 0.0
        return Tally(
            self.ios - before.ios,
            self.bytes - before.bytes,
            max(self.latency_ns - before.latency_ns, 0),
            max(self.latency_ns2 - before.latency_ns2, 0),
            longest,
            grown,
        )

    def weighed(self, weight: int) -> "Tally":
        """Return the tally with its bins in compact arrays. Each observed IO counts as `weight` IOs."""
        if not self.bins:
            return self
        return Tally(self.ios, self.bytes, self.latency_ns, self.latency_ns2, self.max_ns, Bins(self.bins, weight))

    @property
    def mean_s(self) -> float:
        """Return the average response time (ART) in seconds, or 0 without IOs."""
        return self.latency_ns / self.ios * NS if self.ios else 0.0

    @property
    def deviation_s(self) -> float:
        """Return the standard deviation of the response time in seconds, or 0 below two IOs."""
        if self.ios < 2:
            return 0.0
        variance = (self.latency_ns2 - self.latency_ns**2 / self.ios) / (self.ios - 1)
        return float(max(variance, 0.0) ** 0.5 * NS)

    @property
    def max_s(self) -> float:
        """Return the maximum response time (MRT) in seconds."""
        return self.max_ns * NS


NONE = Tally()
"""Tally of a direction without IOs; half of all tallies."""
