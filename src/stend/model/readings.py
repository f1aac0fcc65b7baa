"""The readings of meters beside the load, in packed rows: a day of ten readings a second takes 35 MB."""

from typing import TYPE_CHECKING

from stend.model.events import Reading
from stend.model.packed import Rows

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


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
