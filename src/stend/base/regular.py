"""Open the files of a run folder: regular files only, and never through a link.

A run folder may come from a stranger. A link in it would lead a write of ours, as root, to any file of this machine; a
FIFO would let a read wait for ever; to open a device can change what the device does. Whatever is refused is an OSError
whose words say what is there instead. Files that an operator names are not opened here: those may be links.
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
"""No file beside the events that is read at once is longer."""
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
    """Something else than a regular file, or than a folder, is where one should be."""


def descriptor(path: str | Path, flags: int, mode: int = 0o666) -> int:
    """Return a descriptor of a regular file, opened with these flags and O_CLOEXEC.

    Raise OSError where something else is there, or, for a file that is written in place, where it has a second name.
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


def _demand(found: os.stat_result, path: str | Path, flags: int) -> None:
    kind = stat.S_IFMT(found.st_mode)
    if kind != stat.S_IFREG:
        raise NotRegular(errno.EINVAL, f"it is {KINDS.get(kind, 'something else')}, not a file", str(path))
    if flags & (os.O_WRONLY | os.O_RDWR) and found.st_nlink > 1:
        raise NotRegular(
            errno.EINVAL, "the file has a second name (a hard link), and would change there too", str(path)
        )


def reader(path: str | Path) -> BufferedReader:
    """Open a file for reading."""
    return os.fdopen(descriptor(path, os.O_RDONLY), "rb")


def appender(path: str | Path, *, buffering: int = -1) -> IO[bytes]:
    """Open a file for appending; make it where there is none."""
    return cast(IO[bytes], os.fdopen(descriptor(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND), "ab", buffering))


def create(path: Path, data: bytes = b"") -> None:
    """Make a new file with this in it; what was there before, a link too, is taken away."""
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666), "wb") as file:
        file.write(data)


def read(path: str | Path, most: int = MOST_BYTES) -> bytes:
    """Return what is in a file. Raise OSError where it has more than `most` bytes."""
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
    """Return the last line of a log of any length; "" where there is no log."""
    with suppress(OSError), reader(path) as file:
        file.seek(max(os.fstat(file.fileno()).st_size - TAIL_BYTES, 0))
        return file.read(TAIL_BYTES).decode(errors="replace").strip().rpartition("\n")[2]
    return ""


def is_file(path: str | Path) -> bool:
    """Return whether there is a regular file, not a link to one."""
    with suppress(OSError, ValueError):
        return stat.S_ISREG(os.lstat(path).st_mode)
    return False


def folder(path: Path) -> Path:
    """Return the path of a folder, made where there is none. Raise OSError where it is a link or no folder."""
    with suppress(FileExistsError):
        path.mkdir(parents=True)
    kind = stat.S_IFMT(os.lstat(path).st_mode)
    if kind != stat.S_IFDIR:
        raise NotRegular(errno.ENOTDIR, f"it is {KINDS.get(kind, 'a file')}, not a folder", str(path))
    return path
