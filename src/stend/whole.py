"""Files that are there whole or not at all: written beside their place, then moved into it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PART = ".part"


def write(path: Path, data: bytes) -> None:
    """This and nothing else at `path`, whatever happens in between; OSError leaves what was there before."""
    with replaced(path) as part:
        part.write_bytes(data)


@contextmanager
def replaced(path: Path) -> Iterator[Path]:
    """Where to write a new version of a file; at the end it takes the old one's place."""
    part = path.with_name(f".{path.name}-{os.getpid()}{PART}")
    try:
        yield part
        with part.open("rb") as file:
            os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
