"""A block of lines of somebody else's text, field by field; each line ends up read, left out or malformed, with why."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from stend.base.text import plain
from stend.trace import fields
from stend.trace.fields import Flags, Numbers
from stend.trace.form import Batch
from stend.trace.sound import LARGEST, LONGEST

YEAR_NS = 366 * 86_400 * 10**9


def word(text: bytes) -> int:
    """A field as `Lines.words` tells it."""
    length = len(text)
    if length <= 8:
        return int.from_bytes(text, "little")
    return int.from_bytes(text[:7], "little") | min(128 + length, 255) << 56


class Lines:
    """Lines of one block; arrays have one value a line, and those of lines that are not good mean nothing."""

    def __init__(self, block: npt.NDArray[np.uint8], separator: str, most: int) -> None:
        """`most`: fields of a line that may be asked for."""
        rows = fields.newlines(block) + 1
        begin, end = np.zeros((rows, most), np.int32), np.zeros((rows, most), np.int32)
        count = np.zeros(rows, np.int32)
        many = fields.split(block, ord(separator), begin, end, count)
        self._data, self._begin, self._end, self.count = block, begin[:many], end[:many], count[:many]
        self._state = np.zeros(many, np.uint8)
        self._said: list[tuple[bool, str]] = []
        self.names: dict[int, str] = {}
        self.skip(self.count == 0, "empty lines")

    def __len__(self) -> int:
        return len(self._state)

    @property
    def good(self) -> Flags:
        """Lines of which nothing was said."""
        good: Flags = self._state == 0
        return good

    def skip(self, where: Flags, what: str) -> None:
        """These are sound and no IOs."""
        self._leave(where, False, what)

    def demand(self, true: Any, why: str) -> None:
        """Those of which this is not true are malformed."""
        self._leave(~np.asarray(true), True, why)

    def words(self, field: int) -> npt.NDArray[np.uint64]:
        """A field's bytes as a number that `word` makes too."""
        values = np.zeros(len(self), np.uint64)
        fields.packed(self._data, *self._at(field), values)
        return values

    def choice(self, field: int, table: Mapping[bytes, int], why: str) -> npt.NDArray[np.int64]:
        """What the table has for a field; a line with another word is malformed."""
        own, values = self.words(field), np.full(len(self), -1)
        for text, value in table.items():
            values[own == np.uint64(word(text))] = value
        self.demand(values >= 0, why)
        return values

    def volumes(self, *places: int) -> Numbers:
        """Which drive each line is of, as a number that its fields have alone; `names` has the good ones in words."""
        keys = np.zeros(len(self), np.int64)
        for field in places:
            fields.hashed(self._data, *self._at(field), keys)
        good = np.flatnonzero(self.good)
        for key, first in zip(*np.unique(keys[good], return_index=True), strict=True):
            self.names[int(key)] = ":".join(self.text(int(good[first]), field) for field in places)
        return keys

    def text(self, line: int, field: int) -> str:
        """One field."""
        return plain(bytes(self._data[self._begin[line, field] : self._end[line, field]]).decode(errors="replace"))

    def whole(self, field: int, why: str, most: int = LARGEST) -> Numbers:
        """A whole number of at most so much."""
        return self.decimal(field, 0, why, most)

    def decimal(self, field: int, places: int, why: str, most: int = LARGEST, of: Flags | None = None) -> Numbers:
        """A decimal number times 10^places; demanded of all lines, or of these alone."""
        values, good = np.zeros(len(self), np.int64), np.zeros(len(self), np.bool_)
        fields.scaled(self._data, *self._at(field), places, values, good)
        good &= values <= most
        self.demand(good if of is None else good | ~of, why)
        return values

    def place(self, offset: int, length: int, op: Numbers, unit: int = 1) -> tuple[Numbers, Numbers]:
        """Offset and length in bytes of two fields in units; only a flush may be of nothing."""
        begin = self.whole(offset, "the offset is no number", LARGEST // unit) * unit
        size = self.whole(length, "the length is no number", LARGEST // unit) * unit
        self.demand((size > 0) | (op == 2), "it is of no bytes")
        self.demand((size <= LONGEST) | (op >= 2), "it is longer than any IO")
        return begin, size

    def near(self, t_ns: Numbers) -> Numbers:
        """The same; a time that is a year from its block's others is malformed, for no trace is that long."""
        if (good := self.good).any():
            self.demand(
                abs(t_ns - np.int64(np.median(t_ns[good]))) < YEAR_NS, "the time is a year from its neighbours'"
            )
        return t_ns

    def read(self, columns: Batch) -> dict[str, npt.NDArray[Any]]:
        """The good ones of these, as IOs."""
        good = self.good
        return {name: values[good] for name, values in columns.items()}

    def counted(self) -> tuple[Counter[str], Counter[str]]:
        """How many are malformed and how many were left out, by why."""
        many = np.bincount(self._state, minlength=len(self._said) + 1)[1:]
        told = [(bad, why, int(n)) for (bad, why), n in zip(self._said, many, strict=True) if n]
        malformed, skipped = Counter[str](), Counter[str]()
        for bad, why, n in told:
            (malformed if bad else skipped)[why] += n
        return malformed, skipped

    def _leave(self, where: Flags, malformed: bool, why: str) -> None:
        if (malformed, why) not in self._said:
            self._said.append((malformed, why))
        self._state[where & (self._state == 0)] = self._said.index((malformed, why)) + 1

    def _at(self, field: int) -> tuple[fields.Places, fields.Places]:
        return self._begin[:, field], self._end[:, field]
