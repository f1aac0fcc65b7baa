"""Replace files atomically: write a temporary file in the same folder, then rename it."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from stend.base import regular

PART = ".part"


def write(path: Path, data: bytes) -> None:
    """Replace the file at `path` with this data, synced to disk. On OSError the old file stays as it was."""
    with replaced(path) as part:
        part.write_bytes(data)


def page(path: Path, text: str | bytes) -> None:
    """Replace a file that can be made again, such as a report, without waiting for the disk (no fsync)."""
    with replaced(path, durable=False) as part:
        part.write_bytes(text.encode() if isinstance(text, str) else text)


@contextmanager
def replaced(path: Path, *, durable: bool = True) -> Iterator[Path]:
    """Yield the path of an empty temporary file, and rename it to `path` at the end. A link at `path` is replaced."""
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
