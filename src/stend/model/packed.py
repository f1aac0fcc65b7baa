"""Many numbers in little room: rows of samples, and latency bins. A day of samples is 10 MB and not 100."""

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
"""What numpy calls the numbers of a row."""


class Rows:
    """Rows of numbers of one layout (as `struct` names it), each with a key; they only grow at their end."""

    def __init__(self, layout: str) -> None:
        self._row, self._keys, self._bytes = Struct(f"=d{layout}"), array("d"), bytearray()
        self.pack = self._row.pack

    def __len__(self) -> int:
        return len(self._keys)

    def extend(self, keys: Iterable[float], packed: Iterable[bytes]) -> None:
        """More rows, each as `pack` makes it of its key and its numbers."""
        self._bytes += b"".join(packed)
        self._keys.extend(keys)

    def row(self, number: int) -> tuple[Any, ...]:
        """One row's numbers, the key first; IndexError where there is none."""
        if not 0 <= number < len(self):
            raise IndexError(number)
        return self._row.unpack_from(self._bytes, number * self._row.size)

    def rows(self, first: int, last: int) -> Iterator[tuple[Any, ...]]:
        """The rows from `first` on and before `last`, which costs less than one by one."""
        return self._row.iter_unpack(self._bytes[first * self._row.size : last * self._row.size])

    def table(self, first: int, last: int) -> "npt.NDArray[np.float64]":
        """The same as floats: a row each, the key in the first column; what is above 2**53 is rounded."""
        import numpy as np  # who only takes samples need not wait for it

        kinds = [(str(place), f"<{KINDS[kind]}") for place, kind in enumerate(self._row.format.removeprefix("="))]
        held = np.frombuffer(self._bytes[first * self._row.size : last * self._row.size], kinds)
        return np.stack([held[name].astype(np.float64) for name, _ in kinds], axis=1)

    def first_after(self, key: float, begin: int) -> int:
        """The first row from `begin` on whose key is greater; keys must not fall from there on."""
        return bisect_right(self._keys, key, begin)

    def cut(self, length: int) -> None:
        """Keep so many rows."""
        del self._keys[length:]
        del self._bytes[length * self._row.size :]


class Bins(Mapping[int, int]):
    """{bin index: IOs}, which stays as it is; put in order when somebody asks, for most are never looked at."""

    __slots__ = ("_columns", "_rising")

    def __init__(self, bins: Mapping[int, int]) -> None:
        self._columns, self._rising = (array("H", list(bins)), _narrow(list(bins.values()))), False

    def rising(self) -> tuple["array[int]", "array[int]"]:
        """Indices, each greater than the one before, and their counts."""
        if not self._rising:
            indices, counts = self._columns
            if not all(map(lt, indices, indices[1:])):  # fio and our own engines write them in order
                bins = dict(zip(indices, counts, strict=True))
                rising = array("H", sorted(bins))
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
        """All at once, which a look-up for each would not be."""
        return _Pairs(self)

    def values(self) -> ValuesView[int]:
        """The same of the counts."""
        return _Counts(self)


def rising(bins: Mapping[int, int]) -> tuple[Sequence[int], Sequence[int]]:
    """Indices in order, and their counts."""
    if isinstance(bins, Bins):
        return bins.rising()
    ordered = sorted(bins)
    return ordered, [bins[index] for index in ordered]


def merged(many: Sequence[Mapping[int, int]]) -> dict[int, int]:
    """Bins added up."""
    full = [bins for bins in many if bins]
    held = [bins._columns for bins in full if isinstance(bins, Bins)]
    if full and len(held) == len(full) and all(counts.typecode == "I" for _, counts in held):
        return _added(held)
    total: dict[int, int] = {}
    for bins in full:
        for index, count in bins.items():
            total[index] = total.get(index, 0) + count
    return total


def _added(held: Sequence[tuple["array[int]", "array[int]"]]) -> dict[int, int]:
    """The same of columns all at once, which a look-up for each bin would not be."""
    import numpy as np  # who only takes samples need not wait for it

    indices = np.frombuffer(b"".join(indices.tobytes() for indices, _ in held), np.uint16)
    counts = np.frombuffer(b"".join(counts.tobytes() for _, counts in held), np.uint32)
    total, there = np.zeros(1 << 16, np.int64), np.zeros(1 << 16, np.bool_)
    np.add.at(total, indices, counts)
    there[indices] = True
    rising = np.flatnonzero(there)
    return dict(zip(rising.tolist(), total[rising].tolist(), strict=True))


def _narrow(counts: list[int]) -> "array[int]":  # of a list it is made in half the time
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
