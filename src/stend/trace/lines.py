"""Parse a block of text lines field by field. Each line ends up as read, skipped or malformed, with the reason."""

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
    """Return the number that `Lines.words` gives for a field with this text."""
    length = len(text)
    if length <= 8:
        return int.from_bytes(text, "little")
    return int.from_bytes(text[:7], "little") | min(128 + length, 255) << 56


class Lines:
    """Lines of one block. Arrays have one value per line. The values of lines that are not good are meaningless."""

    def __init__(self, block: npt.NDArray[np.uint8], separator: str, most: int) -> None:
        """Split the block into lines and fields. `most` is the number of fields of a line that can be read."""
        rows = fields.newlines(block) + 1
        begin, end = np.zeros((rows, most), np.int32), np.zeros((rows, most), np.int32)
        count = np.zeros(rows, np.int32)
        many = fields.split(block, ord(separator), begin, end, count)
        self._data, self._begin, self._end, self.count = block, begin[:many], end[:many], count[:many]
        self._state = np.zeros(many, np.uint8)
        self._reasons: list[tuple[bool, str]] = []
        self.names: dict[int, str] = {}
        self.skip(self.count == 0, "empty lines")

    def __len__(self) -> int:
        return len(self._state)

    @property
    def good(self) -> Flags:
        """Return the mask of lines that are neither skipped nor malformed."""
        good: Flags = self._state == 0
        return good

    def skip(self, where: Flags, what: str) -> None:
        """Mark lines as valid but without an IO, for the reason `what`."""
        self._leave(where, False, what)

    def demand(self, true: Any, why: str) -> None:
        """Mark the lines that do not meet the condition `true` as malformed, for the reason `why`."""
        self._leave(~np.asarray(true), True, why)

    def words(self, field: int) -> npt.NDArray[np.uint64]:
        """Return a field of each line as the number that `word` gives for its text."""
        values = np.zeros(len(self), np.uint64)
        fields.packed(self._data, *self._at(field), values)
        return values

    def choice(self, field: int, table: Mapping[bytes, int], why: str) -> npt.NDArray[np.int64]:
        """Return the table's value for a field, or -1 and mark the line as malformed for another text."""
        words, values = self.words(field), np.full(len(self), -1)
        for text, value in table.items():
            values[words == np.uint64(word(text))] = value
        self.demand(values >= 0, why)
        return values

    def volumes(self, *places: int) -> Numbers:
        """Return a hash per line of the fields that name its drive, and add names of good lines to `names`."""
        keys = np.zeros(len(self), np.int64)
        for field in places:
            fields.hashed(self._data, *self._at(field), keys)
        good = np.flatnonzero(self.good)
        for key, first in zip(*np.unique(keys[good], return_index=True), strict=True):
            self.names[int(key)] = ":".join(self.text(int(good[first]), field) for field in places)
        return keys

    def text(self, line: int, field: int) -> str:
        """Return the text of one field, escaped for terminals."""
        return plain(bytes(self._data[self._begin[line, field] : self._end[line, field]]).decode(errors="replace"))

    def whole(self, field: int, why: str, most: int = LARGEST) -> Numbers:
        """Return whole numbers. A line with another text or a value above `most` is malformed."""
        return self.decimal(field, 0, why, most)

    def decimal(self, field: int, places: int, why: str, most: int = LARGEST, of: Flags | None = None) -> Numbers:
        """Return decimal numbers times 10^places. A line with another text or a value above `most` is malformed.

        With `of` only these lines must hold such a number.
        """
        values, good = np.zeros(len(self), np.int64), np.zeros(len(self), np.bool_)
        fields.scaled(self._data, *self._at(field), places, values, good)
        good &= values <= most
        self.demand(good if of is None else good | ~of, why)
        return values

    def place(self, offset: int, length: int, op: Numbers, unit: int = 1) -> tuple[Numbers, Numbers]:
        """Return offset and length in bytes from two fields in units of `unit` bytes. Only a flush may have 0 bytes."""
        begin = self.whole(offset, "the offset is no number", LARGEST // unit) * unit
        size = self.whole(length, "the length is no number", LARGEST // unit) * unit
        self.demand((size > 0) | (op == 2), "it is of no bytes")
        self.demand((size <= LONGEST) | (op >= 2), "it is longer than any IO")
        return begin, size

    def near(self, t_ns: Numbers) -> Numbers:
        """Return the times. One that is a year from the median of its block is malformed: no trace is that long."""
        if (good := self.good).any():
            self.demand(
                abs(t_ns - np.int64(np.median(t_ns[good]))) < YEAR_NS, "the time is a year from its neighbours'"
            )
        return t_ns

    def read(self, columns: Batch) -> dict[str, npt.NDArray[Any]]:
        """Return the values of the good lines, as a batch of IOs."""
        good = self.good
        return {name: values[good] for name, values in columns.items()}

    def counted(self) -> tuple[Counter[str], Counter[str]]:
        """Return how many lines are malformed and how many are skipped, each counted by reason."""
        many = np.bincount(self._state, minlength=len(self._reasons) + 1)[1:]
        malformed, skipped = Counter[str](), Counter[str]()
        for (bad, why), n in zip(self._reasons, many.tolist(), strict=True):
            if n:
                (malformed if bad else skipped)[why] += n
        return malformed, skipped

    def worst(self) -> tuple[int, str]:
        """Return the first line, from 1, of the most frequent reason of malformed lines, and the reason, or (0, "")."""
        malformed, _ = self.counted()
        if not malformed:
            return 0, ""
        ((why, _),) = malformed.most_common(1)
        return int(np.argmax(self._state == self._reasons.index((True, why)) + 1)) + 1, why

    def _leave(self, where: Flags, malformed: bool, why: str) -> None:
        if (malformed, why) not in self._reasons:
            self._reasons.append((malformed, why))
        self._state[where & (self._state == 0)] = self._reasons.index((malformed, why)) + 1

    def _at(self, field: int) -> tuple[fields.Places, fields.Places]:
        return self._begin[:, field], self._end[:, field]
