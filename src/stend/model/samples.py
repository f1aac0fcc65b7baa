"""The samples of a run, and the readings of meters beside its loads, in packed rows.

A day has 86,400 samples, which take 10 MB. Ten readings a second take 35 MB a day.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

from stend.base import limits
from stend.model.counts import Counts, lasted
from stend.model.definition import Data
from stend.model.events import Reading, Sample
from stend.model.packed import Rows
from stend.model.tally import NS, Tally

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_Row = tuple[
    limits.Count, limits.Count, limits.Nanoseconds, limits.Squares, limits.Nanoseconds, dict[limits.Bin, limits.Count]
]


SUMS = "qqddd"
"""Kinds of the numbers of a tally before its bins, in the notation of `struct`."""


class SampleRow(Data, frozen=True, tag="sample", gc=False):
    """A Sample as it is written, with plain numbers, because a day has 86,400 samples to read."""

    t: limits.Number
    counts: tuple[limits.Seconds, limits.Number, _Row, _Row]


def _counted(t: float, seconds: float, cpu_s: float, *sums: Any) -> tuple[float, Counts]:
    """Return the end of a sample and its counts."""
    return t, Counts(seconds, cpu_s, Tally(*sums[: len(SUMS)]), Tally(*sums[len(SUMS) :]))


def _sample(row: Sequence[Any]) -> Sample:
    t, counts = _counted(*row)
    return Sample(t=t, counts=counts)


COLUMNS = (
    *("t", "seconds", "cpu_s"),
    *(f"{way}_{name}" for way in ("read", "write") for name in ("ios", "bytes", "ns", "ns2", "max_ns")),
)
"""Columns of a sample's row: the end of the sample, then its counts."""


class Samples(Sequence[Sample]):
    """The samples of a run. Each Sample object is made when it is read, because a day has 86,400 of them."""

    def __init__(self) -> None:
        self.rows = Rows("dd" + SUMS * 2)

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, at: int) -> Sample: ...
    @overload
    def __getitem__(self, at: slice) -> list[Sample]: ...
    def __getitem__(self, at: int | slice) -> Sample | list[Sample]:
        if isinstance(at, slice):
            many = range(*at.indices(len(self)))
            rows = self.rows.rows(many.start, many.stop) if many.step == 1 else map(self.rows.row, many)
            return [_sample(row) for row in rows]
        return _sample(self.rows.row(range(len(self))[at]))

    def counted(self, first: int, last: int) -> list[tuple[float, Counts]]:
        """Return (end, counts) of the samples from `first` up to, not including, `last`."""
        return [_counted(*row) for row in self.rows.rows(first, last)]

    def table(self, first: int, last: int) -> "npt.NDArray[np.float64]":
        """Return the samples from `first` up to `last` as an array, one row per sample with the columns `COLUMNS`."""
        return self.rows.table(first, last)

    def append(self, sample: Sample) -> None:
        """Append one sample."""
        counts = sample.counts
        tallies = _sums(counts.read), _sums(counts.write)
        self.take([SampleRow(t=sample.t, counts=(counts.seconds, counts.cpu_s, *tallies))])

    def take(self, rows: Sequence[SampleRow]) -> None:
        """Append many rows as they were read, without making events of them."""
        times, packed, pack = [], [], self.rows.pack
        for row in rows:  # by name, without a star, and without a call for a usual duration: a third faster
            t, (seconds, cpu_s, read, write) = row.t, row.counts
            ios, size, ns, ns2, max_ns, _ = read
            writes, written, write_ns, write_ns2, most_ns, _ = write
            took = seconds if seconds >= NS else lasted(seconds)
            packed.append(
                pack(t, took, cpu_s, ios, size, ns, ns2, max_ns, writes, written, write_ns, write_ns2, most_ns)
            )
            times.append(t)
        self.rows.extend(times, packed)


def _sums(tally: Tally) -> _Row:
    return tally.ios, tally.bytes, tally.latency_ns, tally.latency_ns2, tally.max_ns, {}


class Readings:
    """Readings by quantity and stretch, because the clock of a continued run starts again."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, int], Rows] = {}
        self._stretch = -1

    def __len__(self) -> int:
        return sum(map(len, self._rows.values()))

    def begin(self) -> None:
        """Begin a new stretch."""
        self._stretch += 1

    def append(self, reading: Reading) -> None:
        """Append a reading of the present stretch. One that is earlier than the last one of its quantity is dropped."""
        rows = self._rows.setdefault((reading.quantity, max(self._stretch, 0)), Rows("ddd"))
        if not len(rows) or reading.t >= rows.row(len(rows) - 1)[0]:
            packed = rows.pack(reading.t, reading.seconds, reading.value, reading.most or reading.value)
            rows.extend([reading.t], [packed])

    def table(
        self, quantity: str, stretch: int, begin: float = float("-inf"), end: float = float("inf")
    ) -> "npt.NDArray[np.float64]":
        """Return the readings that overlap a time of a stretch: rows of (end, seconds, mean, highest), in order.

        Times are seconds on the clock of the stretch. Readings do not overlap each other, so that at most one of those
        that end after the time began within it.
        """
        rows = self._rows.get((quantity, stretch)) or Rows("ddd")
        held = rows.table(rows.first_after(begin, 0), min(rows.first_after(end, 0) + 1, len(rows)))
        return held[held[:, 0] - held[:, 1] < end]
