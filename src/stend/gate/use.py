"""A use of a drive or a file by the kernel or by another process."""

from typing import NamedTuple


class Use(NamedTuple):
    """A use in words that follow the drive's name, and the way to end it."""

    what: str
    way: str

    def __str__(self) -> str:
        return f"{self.what}; {self.way}"
