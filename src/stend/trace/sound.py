"""Check the numbers of a trace, batch by batch, before any compiled kernel computes with them.

Kernels are compiled without bounds checks. A negative offset in a file would write outside of their arrays.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from stend.base.errors import BadInput
from stend.base.units import MiB

LARGEST = 1 << 61
"""Largest offset, length or time in ns (73 years): the sum of two stays within 63 bits."""
LONGEST = 1 << 32
"""Bytes of the longest read or write: the Linux kernel accepts no longer one."""
MOST_DEPTH = 1 << 20
MOST_BYTES = 1 << 62
"""Bytes of all IOs of a trace together: sums of them are written as 63-bit numbers."""

_OPS, _FLAGS, _DATA = 4, 16, 2
_SIGNED = ("latency_ns", "depth", "process")
"""Columns with -1 where the source has no value."""
_MOST: Mapping[str, int] = {
    "t_ns": LARGEST,
    "op": _OPS - 1,
    "flags": _FLAGS - 1,
    "offset": LARGEST,
    "length": LARGEST,
    "latency_ns": LARGEST,
    "depth": MOST_DEPTH,
    "process": (1 << 31) - 1,
}
Columns = Mapping[str, npt.NDArray[Any]]


class Sound:
    """Check the batches of one trace in their order."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._rows = self._last_ns = self._mib = 0

    def checked(self, batches: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        """Yield the same batches. Raise BadInput, with the row, for a number that no trace can have."""
        for batch in batches:
            for row, reason in self._wrong(batch):
                raise BadInput(f"{self._what} cannot be used as a trace: row {row + 1} {reason}")
            self._rows += len(next(iter(batch.values())))
            yield batch

    def _wrong(self, batch: Columns) -> Iterator[tuple[int, str]]:
        for name, values in batch.items():
            least = -1 if name in _SIGNED else 0
            yield from self._first((values < least) | (values > _MOST[name]), values, f"has {{}} as its {name}")
        if "t_ns" in batch:
            yield from self._order(batch["t_ns"])
        if {"op", "length"} <= set(batch):
            longer = (batch["op"] < _DATA) & (batch["length"] > LONGEST)
            yield from self._first(longer, batch["length"], "reads or writes {} bytes at once")
        if "length" in batch:
            yield from self._sum(batch["length"])

    def _order(self, t_ns: npt.NDArray[Any]) -> Iterator[tuple[int, str]]:
        before = np.concatenate([[self._last_ns], t_ns[:-1]])
        yield from self._first(t_ns < before, t_ns, "was issued before the row above it, at {} ns")
        self._last_ns = int(t_ns[-1])

    def _sum(self, length: npt.NDArray[Any]) -> Iterator[tuple[int, str]]:
        moved = self._mib + np.cumsum(
            length // MiB
        )  # in MiB: a sum over the bytes of a batch may need more than 63 bits
        self._mib = int(moved[-1])
        yield from self._first(moved > MOST_BYTES // MiB, moved, "brings all IOs together to {} MiB")

    def _first(self, wrong: npt.NDArray[np.bool_], values: npt.NDArray[Any], reason: str) -> Iterator[tuple[int, str]]:
        if wrong.any():
            row = int(np.argmax(wrong))
            yield self._rows + row, reason.format(int(values[row]))
