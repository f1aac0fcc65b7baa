"""Totals of the IOs of one direction: their number, response times, and fio's latency bins."""

from collections.abc import Mapping

import msgspec

from stend.base import limits

NS = 1e-9
PERCENTS = {"p50": 50.0, "p99": 99.0, "p99.9": 99.9, "p99.99": 99.99, "p99.999": 99.999}
"""The percentiles of response times that figures, tables, exports and the catalogue have, by name."""


class Tally(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """IOs of one direction: their number, bytes, summed response times, and fio's latency bins.

    `latency_ns2` is the sum of squares (for the standard deviation). `max_ns` is the longest in the interval, or the
    upper edge of the highest bin that grew. `bins` is {bin index: IOs}, sparse, and empty in Samples (see
    `stats.bin_edges_ns`).
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
        bins = dict(self.bins.items())  # dict() of another mapping would look up key by key
        for index, count in other.bins.items():
            bins[index] = bins.get(index, 0) + count
        return Tally(
            self.ios + other.ios,
            self.bytes + other.bytes,
            self.latency_ns + other.latency_ns,
            self.latency_ns2 + other.latency_ns2,
            max(self.max_ns, other.max_ns),
            bins,
        )

    def since(self, before: "Tally") -> "Tally":
        """Return what was added to the tally `before`, of the same load; `max_ns` is at most the highest bin's edge."""
        if before == NONE:
            return self
        bins = {index: more for index, n in self.bins.items() if (more := n - before.bins.get(index, 0)) > 0}
        return Tally(
            self.ios - before.ios,
            self.bytes - before.bytes,
            max(self.latency_ns - before.latency_ns, 0),
            max(self.latency_ns2 - before.latency_ns2, 0),
            min(self.max_ns, _upper_ns(max(bins))) if bins else 0,
            bins,
        )

    @property
    def mean_s(self) -> float:
        """Return the average response time (ART) in seconds; 0 without IOs."""
        return self.latency_ns / self.ios * NS if self.ios else 0.0

    @property
    def deviation_s(self) -> float:
        """Return the standard deviation of the response time in seconds; 0 below two IOs."""
        if self.ios < 2:
            return 0.0
        variance = (self.latency_ns2 - self.latency_ns**2 / self.ios) / (self.ios - 1)
        return float(max(variance, 0.0) ** 0.5 * NS)

    @property
    def max_s(self) -> float:
        """Return the maximum response time (MRT) in seconds."""
        return self.max_ns * NS


def _upper_ns(index: int) -> int:
    """Return the upper edge of a latency bin in ns (`stats.bin_edges_ns`)."""
    shift = max((index >> 6) - 1, 0)
    return (index - (shift << 6) + 1) << shift


NONE = Tally()
"""Tally of a direction without IOs; half of all tallies."""
