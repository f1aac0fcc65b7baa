"""What every reader of a format of lines has, and says of itself."""

from typing import Any

import numpy as np
import numpy.typing as npt

from stend.trace.form import COLUMNS, Batch
from stend.trace.lines import Lines

NOTHING: dict[str, npt.NDArray[Any]] = {name: np.zeros(0, kind) for name, kind in COLUMNS.items()}


class Reader:
    """One reading of one file. Times may be since any moment; `volume` of an IO is which of several drives it is of."""

    words = ""
    """what the format is, with where it is documented"""
    separator = ","
    most = 12
    """fields of a line that are looked at"""
    begins = b""
    """what every file of the format begins with"""
    epoch = False
    """times are nanoseconds since 1970"""

    def __init__(self, head: bytes) -> None:
        """`head`: the file's first lines."""
        self.notes: list[str] = []
        self.timed = True

    def parse(self, lines: Lines) -> Batch:
        """The IOs of these lines, in any order; of the others `lines` is told."""
        raise NotImplementedError

    def rest(self) -> Batch:
        """IOs that were held back until the end."""
        return NOTHING
