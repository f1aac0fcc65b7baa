"""Latency bins: fio's own, stat.h of fio 3."""

from collections.abc import Mapping
from typing import TypeVar

BIN_BITS = 6
BINS_PER_GROUP = 1 << BIN_BITS
BIN_GROUPS = 29
BINS = BIN_GROUPS * BINS_PER_GROUP

Key = TypeVar("Key", int, str)


def bin_index(ns: float) -> int:
    """Return the fio latency bin of a response time: exact below 128 ns, then 64 bins per doubling."""
    value = int(ns)
    shift = value.bit_length() - 1 - BIN_BITS
    return min((shift << BIN_BITS) + (value >> shift), BINS - 1) if shift > 0 else value


def bin_edges_ns(index: int) -> tuple[int, int]:
    """Return [lower, upper) of a bin in nanoseconds. The last bin also holds everything longer."""
    if index < 2 * BINS_PER_GROUP:
        return index, index + 1
    shift = (index >> BIN_BITS) - 1
    lower = (BINS_PER_GROUP + (index & (BINS_PER_GROUP - 1))) << shift
    return lower, lower + (1 << shift)


def added(first: Mapping[Key, int], second: Mapping[Key, int]) -> dict[Key, int]:
    """Return the counts of both, added up by bin or other key."""
    if not first:
        return dict(second.items())
    counts = dict(first.items())  # dict() of another mapping would look up key by key
    for key, count in second.items():
        counts[key] = counts.get(key, 0) + count
    return counts
