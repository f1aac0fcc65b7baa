"""Many numbers in little room: rows in columns, and latency bins. A day of samples is 9 MB and not 100."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import ItemsView, Iterator, Mapping, ValuesView
from struct import Struct

SMALL = 1 << 32


class Rows:
    """Rows of whole numbers below 2**63 and of floats, which only grow at their end; `key` is the first float."""

    def __init__(self, ints: int, floats: int) -> None:
        self._ints, self._floats = array("q"), array("d")
        self._wide = (ints, floats)
        self._pack = Struct(f"{ints}q").pack, Struct(f"{floats}d").pack

    def __len__(self) -> int:
        return len(self._floats) // self._wide[1]

    def append(self, ints: tuple[int, ...], floats: tuple[float, ...]) -> None:
        """One more row."""
        pack_ints, pack_floats = self._pack
        self._ints.frombytes(pack_ints(*ints))
        self._floats.frombytes(pack_floats(*floats))

    def row(self, number: int) -> tuple["array[int]", "array[float]"]:
        """One row's numbers; IndexError where there is none."""
        if not 0 <= number < len(self):
            raise IndexError(number)
        ints, floats = self._wide
        return self._ints[number * ints : (number + 1) * ints], self._floats[number * floats : (number + 1) * floats]

    def rows(self, first: int, last: int) -> Iterator[tuple[tuple[int, ...], tuple[float, ...]]]:
        """The rows from `first` on and before `last`, which costs less than one by one."""
        ints, floats = self._wide
        whole, parts = iter(self._ints[first * ints : last * ints]), iter(self._floats[first * floats : last * floats])
        return zip(zip(*[whole] * ints, strict=True), zip(*[parts] * floats, strict=True), strict=True)

    def first_after(self, key: float, begin: int) -> int:
        """The first row from `begin` on whose key is greater; keys must not fall from there on."""
        floats = self._wide[1]
        return bisect_right(range(len(self)), key, begin, key=lambda number: self._floats[number * floats])

    def cut(self, length: int) -> None:
        """Keep so many rows."""
        ints, floats = self._wide
        del self._ints[length * ints :]
        del self._floats[length * floats :]


class Bins(Mapping[int, int]):
    """{bin index: IOs}, which stays as it is."""

    __slots__ = ("_counts", "_indices")

    def __init__(self, bins: Mapping[int, int]) -> None:
        ordered = sorted(bins)
        counts = [bins[index] for index in ordered]
        self._indices = array("H", ordered)
        self._counts: array[int] = array("I" if max(counts, default=0) < SMALL else "q", counts)

    def __getitem__(self, index: int) -> int:
        place = bisect_left(self._indices, index)
        if place == len(self._indices) or self._indices[place] != index:
            raise KeyError(index)
        return self._counts[place]

    def __iter__(self) -> Iterator[int]:
        return iter(self._indices)

    def __len__(self) -> int:
        return len(self._indices)

    def __repr__(self) -> str:
        return repr(dict(self))

    def items(self) -> ItemsView[int, int]:
        """All at once, which a look-up for each would not be."""
        return _Pairs(self)

    def values(self) -> ValuesView[int]:
        """The same of the counts."""
        return _Counts(self)


class _Pairs(ItemsView[int, int]):
    _mapping: Bins

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return zip(self._mapping._indices, self._mapping._counts, strict=True)


class _Counts(ValuesView[int]):
    _mapping: Bins

    def __iter__(self) -> Iterator[int]:
        return iter(self._mapping._counts)
