"""Compact arrays for rows of samples and for latency bins: a day of samples takes 10 MB instead of 100."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import ItemsView, Iterable, Iterator, Mapping, Sequence, ValuesView
from operator import lt
from struct import Struct
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

KINDS = {"q": "i8", "d": "f8"}
"""numpy types of the numbers of a row."""


class Rows:
    """Rows of numbers with one layout (in the notation of `struct`), each with a key. Rows are only appended."""

    def __init__(self, layout: str) -> None:
        self._row, self._keys, self._bytes = Struct(f"=d{layout}"), array("d"), bytearray()
        self.pack = self._row.pack

    def __len__(self) -> int:
        return len(self._keys)

    def extend(self, keys: Iterable[float], packed: Iterable[bytes]) -> None:
        """Append rows, each packed by `pack` from its key and its numbers."""
        self._bytes += b"".join(packed)
        self._keys.extend(keys)

    def row(self, number: int) -> tuple[Any, ...]:
        """Return the numbers of a row, the key first. Raise IndexError if it does not exist."""
        if not 0 <= number < len(self):
            raise IndexError(number)
        return self._row.unpack_from(self._bytes, number * self._row.size)

    def rows(self, first: int, last: int) -> Iterator[tuple[Any, ...]]:
        """Yield the rows from `first` up to, not including, `last`, which is faster than single calls of `row`."""
        return self._row.iter_unpack(self._bytes[first * self._row.size : last * self._row.size])

    def table(self, first: int, last: int) -> "npt.NDArray[np.float64]":
        """Return the rows as floats, with the key in the first column. Values above 2**53 are rounded."""
        import numpy as np  # lazy: recording samples does not need it

        kinds = [(str(place), f"<{KINDS[kind]}") for place, kind in enumerate(self._row.format.removeprefix("="))]
        held = np.frombuffer(self._bytes[first * self._row.size : last * self._row.size], kinds)
        return np.stack([held[name].astype(np.float64) for name, _ in kinds], axis=1)

    def first_after(self, key: float, begin: int) -> int:
        """Return the first row from `begin` on with a greater key. Keys from `begin` on must not decrease."""
        return bisect_right(self._keys, key, begin)

    def cut(self, length: int) -> None:
        """Remove all rows after the first `length`."""
        del self._keys[length:]
        del self._bytes[length * self._row.size :]


class Bins(Mapping[int, int]):
    """Immutable {bin index: IOs}. It is sorted at first use, because most are never read.

    `weight` is how many IOs each observed one counts as: above 1 on a scaled virtual drive.
    """

    __slots__ = ("_columns", "_rising", "weight")

    def __init__(self, bins: Mapping[int, int], weight: int = 1) -> None:
        self._columns, self._rising = (array("I", list(bins)), _narrow(list(bins.values()))), False
        self.weight = weight

    @classmethod
    def of(cls, indices: "array[int]", counts: "array[int]", weight: int) -> "Bins":
        """Return bins with these columns, whose indices increase."""
        bins = cls({}, weight)
        bins._columns, bins._rising = (indices, counts), True
        return bins

    def rising(self) -> tuple["array[int]", "array[int]"]:
        """Return the indices in increasing order, and their counts."""
        if not self._rising:
            indices, counts = self._columns
            if not all(map(lt, indices, indices[1:])):  # fio and our own engines write them in order
                bins = dict(zip(indices, counts, strict=True))
                rising = array("I", sorted(bins))
                self._columns = rising, array(counts.typecode, map(bins.__getitem__, rising))
            self._rising = True
        return self._columns

    def __getitem__(self, index: int) -> int:
        indices, counts = self.rising()
        place = bisect_left(indices, index)
        if place == len(indices) or indices[place] != index:
            raise KeyError(index)
        return counts[place]

    def __iter__(self) -> Iterator[int]:
        return iter(self.rising()[0])

    def __len__(self) -> int:
        return len(self._columns[0])

    def __repr__(self) -> str:
        return repr(dict(self.items()))

    def items(self) -> ItemsView[int, int]:
        """Return all pairs at once, without a lookup per pair."""
        return _Pairs(self)

    def values(self) -> ValuesView[int]:
        """Return all counts at once, without a lookup per count."""
        return _Counts(self)


def rising(bins: Mapping[int, int]) -> tuple[Sequence[int], Sequence[int]]:
    """Return bin indices in increasing order, and their counts."""
    if isinstance(bins, Bins):
        return bins.rising()
    ordered = sorted(bins)
    return ordered, [bins[index] for index in ordered]


def weight_of(*many: Mapping[int, int]) -> int:
    """Return how many IOs each observed one counts as: the most of these bins, or 1 for bins that do not state it."""
    return max((bins.weight for bins in many if isinstance(bins, Bins)), default=1)


def merged(many: Sequence[Mapping[int, int]]) -> Mapping[int, int]:
    """Return bins added up, with the largest of their weights."""
    weight = weight_of(*many)
    full = [bins for bins in many if bins]
    held = [bins._columns for bins in full if isinstance(bins, Bins)]
    if full and len(held) == len(full) and all(counts.typecode == "I" for _, counts in held):
        indices, counts = _added(held)
        return dict(zip(indices, counts, strict=True)) if weight == 1 else Bins.of(indices, counts, weight)
    total = dict(full[0].items()) if full else {}
    for bins in full[1:]:
        for index, count in bins.items():
            total[index] = total.get(index, 0) + count
    return total if weight == 1 else Bins(total, weight)


def _added(held: Sequence[tuple["array[int]", "array[int]"]]) -> tuple["array[int]", "array[int]"]:
    """Add up columns with numpy, without a lookup per bin."""
    import numpy as np  # lazy: recording samples does not need it

    indices = np.frombuffer(b"".join(indices.tobytes() for indices, _ in held), np.uint32)
    counts = np.frombuffer(b"".join(counts.tobytes() for _, counts in held), np.uint32)
    rising = np.flatnonzero(np.bincount(indices))
    total = np.bincount(indices, counts)[rising]  # exact below 2**53, more than 2 million full counts
    kind = "I" if total.max() < 2**32 else "q"
    return array("I", rising.astype(np.uint32).tobytes()), array(kind, total.astype(kind).tobytes())


def _narrow(counts: list[int]) -> "array[int]":  # array() from a list takes half the time
    try:
        return array("I", counts)
    except OverflowError:
        return array("q", counts)


class _Pairs(ItemsView[int, int]):
    _mapping: Bins

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return zip(*self._mapping.rising(), strict=True)


class _Counts(ValuesView[int]):
    _mapping: Bins

    def __iter__(self) -> Iterator[int]:
        return iter(self._mapping.rising()[1])
