"""What is handed in to be imported: one file, or a folder of them, read with limits; and its words."""

import codecs
import hashlib
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from stend.base.errors import BadInput
from stend.base.units import MiB, binary

MOST_BYTES = 64 * MiB
"""No result of one benchmark is longer; what is, is a log."""
MOST_OF_TEXT = 8 * MiB
MOST_OF_FOLDER = 256 * MiB
MOST_FILES = 20_000
OF_FOLDER = (".json",)
"""What of a folder is read: the results of a tree, not its logs."""
MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
HEAD = 1 << 16


class Given(NamedTuple):
    """A name, the files by their path below it, and when they were last changed (Unix time).

    `folder` is true where a folder was named; `left` counts its files that were not read.
    """

    name: str
    files: tuple[tuple[str, bytes], ...]
    changed_s: float = 0.0
    folder: bool = False
    left: int = 0

    @property
    def data(self) -> bytes:
        """The one file's bytes; none of a folder."""
        return b"" if self.folder else self.files[0][1]

    @property
    def head(self) -> str:
        """How the one file begins, to tell its format by."""
        return text(self.data[:HEAD])

    @property
    def digests(self) -> tuple[tuple[str, str], ...]:
        """(path, SHA-256) of every file."""
        return tuple((name, hashlib.sha256(data).hexdigest()) for name, data in self.files)


def text(data: bytes) -> str:
    """The words of a file in whichever encoding its first bytes tell; what is no text is marked as such.

    BadInput for more of them than any table or report has.
    """
    if len(data) > MOST_OF_TEXT:
        raise BadInput(f"it has more than {binary(MOST_OF_TEXT)} of text")
    coding = next((name for mark, name in MARKS.items() if data.startswith(mark)), "utf-8")
    return data.decode(coding, errors="replace").replace("\r\n", "\n")


def given(path: Path) -> Given:
    """A file or a folder from disk. BadInput where there is none, or more of it than any result has."""
    try:
        if path.is_dir():
            return _tree(path)
        if not path.is_file():
            path.stat()
            raise BadInput(f"{path} cannot be imported: it is no file")
        return Given(path.name, ((path.name, _read(path, MOST_BYTES)),), path.stat().st_mtime)
    except (OSError, ValueError) as error:
        raise BadInput(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from error


def _tree(top: Path) -> Given:
    found, room, left, latest = list[tuple[str, bytes]](), MOST_OF_FOLDER, 0, 0.0
    for path in _below(top):
        if path.suffix.lower() not in OF_FOLDER:
            left += 1
            continue
        data = _read(path, min(room, MOST_BYTES))
        room -= len(data)
        latest = max(latest, path.stat().st_mtime)
        found.append((str(path.relative_to(top)), data))
    return Given(top.resolve().name, tuple(found), latest, folder=True, left=left)


def _below(top: Path) -> list[Path]:
    """Every file below a folder in order; links are not followed. BadInput as soon as there are too many."""
    found = list(islice(top.rglob("*"), MOST_FILES + 1))
    if len(found) > MOST_FILES:
        raise BadInput(f"{top} has more than {MOST_FILES} files; import a folder of fewer")
    return sorted(path for path in found if path.is_file() and not path.is_symlink())


def _read(path: Path, most: int) -> bytes:
    with path.open("rb") as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise BadInput(f"{path} has more than {binary(most)}, which no result of a benchmark has")
    return data
