"""Results of a survey: response times by place, and the places that could not be read."""

from collections.abc import Mapping
from itertools import pairwise

import msgspec

from stend.base import limits
from stend.model.bins import added
from stend.model.workload import Workload

SHIFT = 3
"""Response times are counted in fio's latency bins divided by 2^SHIFT: eight bins per octave."""
MOST_UNREAD = 1000
"""Most unreadable places that one result lists. Further ones are only counted."""
SLOW, RARE = 2.0, 10.0
"""A read that takes this many times the median of its moment is slow, or takes very long."""
BLANK_S = 0.001
"""Seconds from which a read of zeros on flash can be slow: more than any flash takes to read 128 KiB that it stores."""

Bins = Mapping[limits.Bin, limits.Count]


class Cell(msgspec.Struct, frozen=True, array_like=True):
    """Reads in one part of the range by response time: {bin: reads} of blocks with data, and of blocks of zeros.

    Flash can answer a read of a block that was never written without its medium. Such a block reads as zeros. In a
    sample, `late` of the `visits` had at least half of their reads slow, and `rare` had one that took very long, each
    compared with the median of the reads of that moment all over the range. A busy host delays these as well.
    """

    data: Bins = {}
    blank: Bins = {}
    visits: limits.Count = 0
    late: limits.Count = 0
    rare: limits.Count = 0

    def __add__(self, other: "Cell") -> "Cell":
        return Cell(
            added(self.data, other.data),
            added(self.blank, other.blank),
            self.visits + other.visits,
            self.late + other.late,
            self.rare + other.rare,
        )

    @property
    def reads(self) -> int:
        """Return the number of completed reads."""
        return sum(self.data.values()) + sum(self.blank.values())


class Unread(msgspec.Struct, frozen=True, array_like=True):
    """A place where a read failed: first byte, bytes, errno (0: fewer bytes than requested).

    `again` is True if every block of it could be read at the retry.
    """

    first_bytes: limits.Count
    size_bytes: limits.Count
    error: limits.Errno
    again: bool = False


class Surveyed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """Results of a survey during a step: a Cell for each part of its range, then one for each of its places.

    `failed` counts all failed reads, also those beyond the first MOST_UNREAD unreadable places. `last` is True if the
    last block of the range was read, False if that read failed, None if it was not tried.
    """

    cells: tuple[Cell, ...] = ()
    unread: tuple[Unread, ...] = ()
    failed: limits.Count = 0
    last: bool | None = None

    def __add__(self, other: "Surveyed") -> "Surveyed":
        cells = tuple(map(Cell.__add__, self.cells, other.cells)) if self.cells and other.cells else None
        return Surveyed(
            cells=cells or self.cells or other.cells,
            unread=(self.unread + other.unread)[:MOST_UNREAD],
            failed=self.failed + other.failed,
            last=self.last if other.last is None else other.last,
        )


def edges(workload: Workload) -> list[int]:
    """Return the first byte of each cell of a survey, and the end of the last one. Cells are whole blocks."""
    blocks = max(workload.range_bytes // workload.block_bytes, 1)
    cells = min(workload.survey.cells if workload.survey else 1, blocks)
    return [workload.start_bytes + blocks * n // cells * workload.block_bytes for n in range(cells + 1)]


def places(workload: Workload) -> list[tuple[int, int]]:
    """Return [first byte, end) of everything that a survey counts apart: its cells, then its places."""
    at = edges(workload)
    more = workload.survey.places if workload.survey else ()
    return [*pairwise(at), *((first, first + size) for first, size in more)]
