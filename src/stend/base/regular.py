"""Open the files of a run folder: regular files only, and never through a link.

A run folder may come from a stranger. A link in it could redirect a write by root to any file of this machine, a FIFO
could block a read for ever, and opening a device can change its state. Each refusal is an OSError that states what is
there instead. Files that an operator names are not opened here, because those may be links.
"""

import errno
import hashlib
import os
import stat
from contextlib import suppress
from io import BufferedReader
from pathlib import Path
from typing import IO, Any, cast

from stend.base.units import MiB

MOST_BYTES = 4 * MiB
"""Largest file, except the events, that is read as a whole."""
TAIL_BYTES = 1 << 16
KINDS = {
    stat.S_IFLNK: "a link",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFDIR: "a folder",
}


class NotRegular(OSError):
    """The path is not a regular file, or not a folder where one is needed."""


def descriptor(path: str | Path, flags: int, mode: int = 0o666) -> int:
    """Return a descriptor of a regular file, opened with these flags and O_CLOEXEC.

    Raise OSError if the path is not a regular file, or if a file opened for writing has a second name (a hard link).
    """
    with suppress(FileNotFoundError):
        _demand(os.lstat(path), path, flags)
    fd = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, mode)
    try:
        _demand(os.fstat(fd), path, flags)
    except OSError:
        os.close(fd)
        raise
    return fd


def _demand(status: os.stat_result, path: str | Path, flags: int) -> None:
    kind = stat.S_IFMT(status.st_mode)
    if kind != stat.S_IFREG:
        raise NotRegular(errno.EINVAL, f"it is {KINDS.get(kind, 'something else')}, not a file", str(path))
    if flags & (os.O_WRONLY | os.O_RDWR) and status.st_nlink > 1:
        raise NotRegular(
            errno.EINVAL, "the file has a second name (a hard link), whose content would change too", str(path)
        )


def reader(path: str | Path) -> BufferedReader:
    """Open a file for reading."""
    return os.fdopen(descriptor(path, os.O_RDONLY), "rb")


def appender(path: str | Path, *, buffering: int = -1) -> IO[bytes]:
    """Open a file for appending, and create it if it does not exist."""
    return cast(IO[bytes], os.fdopen(descriptor(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), "ab", buffering))


def create(path: Path, data: bytes = b"") -> None:
    """Create a file with this data. Remove what was at the path before, which may be a link."""
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666), "wb") as file:
        file.write(data)


def read(path: str | Path, most: int = MOST_BYTES) -> bytes:
    """Return the content of a file. Raise OSError if it has more than `most` bytes."""
    with reader(path) as file:
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"it has more than {most // MiB} MiB", str(path))
    return data


def digest(path: str | Path, algorithm: Any = "sha256") -> str:
    """Return the hash of a file of any length, in hexadecimal digits."""
    with reader(path) as file:
        return hashlib.file_digest(file, algorithm).hexdigest()


def last_line(path: str | Path) -> str:
    """Return the last line of a log of any length, or "" if the log cannot be read."""
    with suppress(OSError), reader(path) as file:
        file.seek(max(os.fstat(file.fileno()).st_size - TAIL_BYTES, 0))
        return file.read(TAIL_BYTES).decode(errors="replace").strip().rpartition("\n")[2]
    return ""


def is_file(path: str | Path) -> bool:
    """Return True if the path is a regular file and not a link to one."""
    with suppress(OSError, ValueError):
        return stat.S_ISREG(os.lstat(path).st_mode)
    return False


def folder(path: Path) -> Path:
    """Return the path of a folder, created if it does not exist. Raise OSError if it is a link or not a folder."""
    with suppress(FileExistsError):
        path.mkdir(parents=True)
    kind = stat.S_IFMT(os.lstat(path).st_mode)
    if kind != stat.S_IFDIR:
        raise NotRegular(errno.ENOTDIR, f"it is {KINDS.get(kind, 'a file')}, not a folder", str(path))
    return path
