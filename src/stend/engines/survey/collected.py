"""Add up the visits of a survey until they are taken for a record, each compared with the reads of its moment."""

from collections.abc import Iterable, Iterator, Sequence
from statistics import median
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stend.model.stats import BINS, bin_index
from stend.model.surveyed import BLANK_S, MOST_UNREAD, RARE, SHIFT, SLOW, Cell, Surveyed, Unread, edges, places
from stend.model.tally import Tally
from stend.model.workload import Workload

COARSE = BINS >> SHIFT
MOMENT, FEWEST = 32, 8
"""Visits that make a moment: a third of a second on a disk, some milliseconds on flash. Fewer than FEWEST are compared
with the moment before."""
BLANK_NS = BLANK_S * 1e9


class Visited(NamedTuple):
    """The completed reads of a visit: response times, and True for each block of zeros; `whole` if none failed."""

    cell: int
    ns: Sequence[int]
    blank: Sequence[bool]
    whole: bool = True


class Collected:
    """Counts of a survey by cell, and its unreadable places. `compares` is False if every block is read in order."""

    def __init__(self, workload: Workload) -> None:
        cells, self.of_range = len(places(workload)), len(edges(workload)) - 1
        self.compares = bool(workload.survey and workload.survey.reads)
        self.bins: npt.NDArray[np.int64] = np.zeros((cells, 2, COARSE), np.int64)
        self.visits: npt.NDArray[np.int64] = np.zeros((cells, 3), np.int64)
        self.moment: list[Visited] = []
        self.levels = [0.0, 0.0]
        self.unread: list[Unread] = []
        self.failed = 0
        self.last: bool | None = None

    def add(self, visit: Visited, size_bytes: int) -> Tally:
        """Add a visit with reads of this size, and return its tally."""
        bins: dict[int, int] = {}
        for ns, blank in zip(visit.ns, visit.blank, strict=True):
            index = bin_index(ns)
            self.bins[visit.cell, int(blank), index >> SHIFT] += 1
            bins[index] = bins.get(index, 0) + 1
        if self.compares and visit.ns and visit.whole:
            self.moment.append(visit)
            if len(self.moment) >= MOMENT:
                self._compare()
        ios, squares = len(visit.ns), sum(float(ns) * ns for ns in visit.ns)
        return Tally(ios, ios * size_bytes, float(sum(visit.ns)), squares, float(max(visit.ns, default=0)), bins)

    def fail(self, unread: Iterable[Unread]) -> None:
        """Add the places of a failed read."""
        self.failed += 1
        self.unread += list(unread)[: MOST_UNREAD - len(self.unread)]

    def taken(self) -> Surveyed:
        """Return everything since the last call."""
        if self.moment:
            self._compare()
        done = Surveyed(cells=tuple(self._cells()), unread=tuple(self.unread), failed=self.failed, last=self.last)
        self.bins[:], self.visits[:], self.unread, self.failed, self.last = 0, 0, [], 0, None
        return done

    def _compare(self) -> None:
        """Count which visits of the moment are late. The level is that of the range, without visits to places."""
        for kind in (0, 1):
            spread = [visit for visit in self.moment if visit.cell < self.of_range] or self.moment
            every = [ns for one in spread for ns, blank in zip(one.ns, one.blank, strict=True) if blank == kind]
            if len(every) >= FEWEST * len(self.moment[0].ns) or (every and not self.levels[kind]):
                self.levels[kind] = median(every)
        levels = self.levels[0] or self.levels[1], max(*self.levels, BLANK_NS / SLOW)
        for visit in self.moment:
            times = [ns / levels[blank] for ns, blank in zip(visit.ns, visit.blank, strict=True)]
            late = 2 * sum(ratio >= SLOW for ratio in times) >= len(times)
            self.visits[visit.cell] += 1, late, any(ratio >= RARE for ratio in times)
        self.moment = []

    def _cells(self) -> Iterator[Cell]:
        for rows, visits in zip(self.bins, self.visits.tolist(), strict=True):
            data, blank = ({int(at): int(row[at]) for at in np.flatnonzero(row)} for row in rows)
            yield Cell(data, blank, *visits)
