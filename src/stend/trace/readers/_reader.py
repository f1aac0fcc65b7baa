"""Base class of the readers: the facts about a line format, and its parser."""

from typing import Any

import numpy as np
import numpy.typing as npt

from stend.trace.form import COLUMNS, Batch
from stend.trace.lines import Lines, word
from stend.words import Sentence

NOTHING: dict[str, npt.NDArray[Any]] = {name: np.zeros(0, kind) for name, kind in COLUMNS.items()}


class Reader:
    """A reader of one file. Times may count from any moment. The column `volume` distinguishes several drives."""

    words = ""
    """title of the format"""
    separator = ","
    most = 12
    """number of fields of a line that can be read"""
    begins = b""
    """first bytes of every file of the format"""
    epoch = False
    """True if times are nanoseconds since 1970"""

    def __init__(self, head: bytes) -> None:
        """Prepare to read a file that starts with the lines in `head`."""
        self.notes: list[Sentence] = []
        self.timed = True
        first = head.partition(b"\n")[0].rstrip(b"\r").split(self.separator.encode())
        self.titles = word(first[0]) if not any(field[:1].isdigit() for field in first) else None
        """first title of the columns, if the file begins with them"""

    def parse(self, lines: Lines) -> Batch:
        """Return the IOs of these lines, in any order, and mark the other lines in `lines`."""
        raise NotImplementedError

    def skip_titles(self, lines: Lines, usual: bytes, fields: int) -> None:
        """Skip lines with the titles of the columns. The first of them is `usual` or that of the file's first line."""
        first = lines.words(0)
        here = (
            (first == np.uint64(self.titles)) & (lines.count == fields) if self.titles else np.zeros(len(lines), bool)
        )
        lines.skip(here | (first == np.uint64(word(usual))), "headers")

    def rest(self) -> Batch:
        """Return the IOs that were held back until the end."""
        return NOTHING
