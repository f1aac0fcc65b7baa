"""Add up the reads of a survey until they are taken for a record."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stend.model.stats import BINS, bin_index
from stend.model.surveyed import MOST_UNREAD, SHIFT, Cell, Surveyed, Unread
from stend.model.tally import Tally

COARSE = BINS >> SHIFT


class Read(NamedTuple):
    """One completed read: its cell, its response time, True if the block is all zeros."""

    cell: int
    ns: int
    blank: bool


class Collected:
    """Counts of a survey by cell, and its unreadable places."""

    def __init__(self, cells: int) -> None:
        self.bins: npt.NDArray[np.int64] = np.zeros((cells, 2, COARSE), np.int64)
        self.unread: list[Unread] = []
        self.failed = 0
        self.last: bool | None = None

    def add(self, reads: Iterable[Read], size_bytes: int) -> Tally:
        """Add completed reads of this size and return them as a tally."""
        bins: dict[int, int] = {}
        ios, ns_sum, ns_squares, longest = 0, 0, 0, 0
        for read in reads:
            index = bin_index(read.ns)
            self.bins[read.cell, int(read.blank), index >> SHIFT] += 1
            bins[index] = bins.get(index, 0) + 1
            ios, ns_sum, ns_squares = ios + 1, ns_sum + read.ns, ns_squares + read.ns * read.ns
            longest = max(longest, read.ns)
        return Tally(ios, ios * size_bytes, float(ns_sum), float(ns_squares), float(longest), bins)

    def fail(self, places: Iterable[Unread]) -> None:
        """Add the places of a failed read."""
        self.failed += 1
        self.unread += list(places)[: MOST_UNREAD - len(self.unread)]

    def taken(self) -> Surveyed:
        """Return everything since the last call."""
        done = Surveyed(cells=tuple(self._cells()), unread=tuple(self.unread), failed=self.failed, last=self.last)
        self.bins[:], self.unread, self.failed, self.last = 0, [], 0, None
        return done

    def _cells(self) -> Iterator[Cell]:
        for rows in self.bins:
            used = [{int(at): int(row[at]) for at in np.flatnonzero(row)} for row in rows]
            yield Cell(used[0], used[1])
