"""Read the input of an import, a file or a folder, within limits, and decode its text."""

import codecs
import hashlib
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from stend.base import untrusted
from stend.base.errors import BadInput
from stend.base.units import MiB, binary

MOST_BYTES = 64 * MiB
"""Largest file: a longer one is a log and not the result of a benchmark."""
MOST_OF_TEXT = 8 * MiB
MOST_OF_FOLDER = 256 * MiB
MOST_FILES = 20_000
OF_FOLDER = (".json",)
"""Suffixes that are read in a folder: its results, not its logs."""
MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
HEAD = 1 << 16


class Given(NamedTuple):
    """Input of an import: name, files by their path below it, and Unix time of the last change.

    `folder` is True for a folder. `left` counts its files that were not read.
    """

    name: str
    files: tuple[tuple[str, bytes], ...]
    changed_s: float = 0.0
    folder: bool = False
    left: int = 0

    @property
    def data(self) -> bytes:
        """Return the bytes of the file in UTF-8, or nothing for a folder."""
        return b"" if self.folder else utf8(self.files[0][1])

    @property
    def head(self) -> str:
        """Return the first text of the file, which shows its format."""
        return text(self.data[:HEAD])

    @property
    def digests(self) -> tuple[tuple[str, str], ...]:
        """Return (path, SHA-256) of every file."""
        return tuple((name, hashlib.sha256(data).hexdigest()) for name, data in self.files)


def utf8(data: bytes) -> bytes:
    """Return a text with a byte order mark in UTF-8 without the mark, and other bytes unchanged.

    PowerShell writes UTF-16 if a program's output is redirected into a file.
    """
    coding = _coding(data)
    return data.decode(coding, errors="replace").encode() if coding else data


def _coding(data: bytes) -> str:
    return next((name for mark, name in MARKS.items() if data.startswith(mark)), "")


def text(data: bytes) -> str:
    """Decode a file as UTF-8, or as its byte order mark states. Bytes that are not text become replacement characters.

    Raise BadInput if it is longer than MOST_OF_TEXT.
    """
    if len(data) > MOST_OF_TEXT:
        raise BadInput(f"it has more than {binary(MOST_OF_TEXT)} of text")
    return data.decode(_coding(data) or "utf-8", errors="replace").replace("\r\n", "\n")


def given(path: Path) -> Given:
    """Read a file or a folder. Raise BadInput if it does not exist or is larger than the limits."""
    try:
        if path.is_dir():
            return _tree(path)
        if not path.is_file():
            path.stat()
            raise BadInput(f"{path} cannot be imported: it is neither a file nor a folder")
        return Given(path.name, ((path.name, _read(path, MOST_BYTES)),), path.stat().st_mtime)
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} cannot be read: {untrusted.why_not_read(path, error)}") from error


def _tree(top: Path) -> Given:
    files, room, left, latest = list[tuple[str, bytes]](), MOST_OF_FOLDER, 0, 0.0
    for path in _below(top):
        if path.suffix.lower() not in OF_FOLDER:
            left += 1
            continue
        data = _read(path, min(room, MOST_BYTES))
        room -= len(data)
        latest = max(latest, path.stat().st_mtime)
        files.append((str(path.relative_to(top)), data))
    return Given(top.resolve().name, tuple(files), latest, folder=True, left=left)


def _below(top: Path) -> list[Path]:
    """Return every file below a folder, sorted, without links. Raise BadInput if there are too many."""
    paths = list(islice(top.rglob("*"), MOST_FILES + 1))
    if len(paths) > MOST_FILES:
        raise BadInput(f"{top} has more than {MOST_FILES} files; import a folder of fewer")
    return sorted(path for path in paths if path.is_file() and not path.is_symlink())


def _read(path: Path, most: int) -> bytes:
    with path.open("rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise BadInput(f"{path} has more than {binary(most)}: it is too large for the result of a benchmark")
    return data
