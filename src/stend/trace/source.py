"""Read the text of a trace file in blocks of whole lines, unpacked on the fly and in constant memory."""

import bz2
import codecs
import gzip
import io
import lzma
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
import numpy.typing as npt
import zstandard

from stend.base import untrusted
from stend.base.errors import BadInput

BLOCK = 1 << 22
LONGEST = 1 << 20
"""Bytes. A longer line is not part of a trace and is replaced by one malformed line."""
HEAD = 1 << 16

PACKED: dict[bytes, Any] = {
    b"\x1f\x8b": gzip.open,
    b"\x28\xb5\x2f\xfd": lambda file: zstandard.ZstdDecompressor().stream_reader(file),
    b"\xfd7zXZ\0": lzma.open,
    b"BZh": bz2.open,
}
BROKEN = (OSError, EOFError, zlib.error, lzma.LZMAError, zstandard.ZstdError, tarfile.TarError)


@contextmanager
def unpacked(path: Path) -> Iterator[IO[bytes]]:
    """Yield the text of a file packed with gzip, zstd, xz or bzip2, also as a tar in any of them, or not packed.

    Raise BadInput if it cannot be read or is truncated.
    """
    try:
        with path.open("rb") as raw:
            first = raw.read(8)
            raw.seek(0)
            opener = next((make for magic, make in PACKED.items() if first.startswith(magic)), None)
            plain = io.BufferedReader(cast(Any, opener(raw) if opener else raw), BLOCK)
            if plain.peek(3).startswith(codecs.BOM_UTF8):
                plain.read(3)
            yield cast(IO[bytes], _Members(plain) if plain.peek(512)[257:262] == b"ustar" else plain)
    except BROKEN as error:
        if isinstance(error, FileNotFoundError):
            raise BadInput(f"{path} cannot be read: {untrusted.why_not_read(path, error)}") from error
        raise BadInput(f"{path} cannot be read: {str(error) or type(error).__name__}") from error


class _Members:
    """The files of a tar, read one after the other."""

    def __init__(self, packed: IO[bytes]) -> None:
        self._tar = tarfile.open(fileobj=packed, mode="r|")  # noqa: SIM115
        self._files = (file for member in self._tar if member.isfile() and (file := self._tar.extractfile(member)))
        self._now: IO[bytes] | None = next(self._files, None)

    def read(self, size: int) -> bytes:
        """Return the next bytes. A newline is added between two files, so that no line spans both."""
        while self._now:
            if data := self._now.read(size):
                return data
            self._now = next(self._files, None)
            return b"\n" if self._now else b""
        return b""


def head(path: Path) -> bytes:
    """Return the first whole lines of a file, about HEAD bytes."""
    with unpacked(path) as file:
        data = file.read(HEAD)
    return data[: data.rfind(b"\n") + 1] or data


def blocks(file: IO[bytes]) -> Iterator[npt.NDArray[np.uint8]]:
    """Yield whole lines, some megabytes at a time. A line longer than LONGEST becomes a malformed one."""
    left = b""
    while data := file.read(BLOCK):
        end = data.rfind(b"\n") + 1
        if end:
            yield np.frombuffer(left + data[:end], np.uint8)
            left = data[end:]
        else:
            left = left + data if len(left) + len(data) <= LONGEST else bytes(LONGEST)
    if left:
        yield np.frombuffer(left, np.uint8)
