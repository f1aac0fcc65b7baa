"""Files that are there whole or not at all: written beside their place, then moved into it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stend.base import regular

PART = ".part"


def write(path: Path, data: bytes) -> None:
    """Put this and nothing else at `path`, whatever happens in between; OSError leaves what was there before."""
    with replaced(path) as part:
        part.write_bytes(data)


def page(path: Path, text: str | bytes) -> None:
    """Do the same for a file that can be made again: it is not waited for until the disk has it."""
    with replaced(path, durable=False) as part:
        part.write_bytes(text.encode() if isinstance(text, str) else text)


@contextmanager
def replaced(path: Path, *, durable: bool = True) -> Iterator[Path]:
    """Give the place of a new version of a file, which is empty; at the end it replaces the old one, a link too."""
    part = path.with_name(f".{path.name}-{os.getpid()}{PART}")
    try:
        regular.create(part)
        yield part
        if durable:
            with part.open("rb") as file:
                os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
