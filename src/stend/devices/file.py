"""Regular files: made by us for a run, or named to be destroyed."""

import ctypes
import os
import shutil
import stat
from pathlib import Path
from typing import Any

from stend.definition import Identity
from stend.devices import gate
from stend.errors import BadInput, Refused, StepFailed
from stend.units import binary

PUNCH_HOLE = 0x01 | 0x02  # FALLOC_FL_KEEP_SIZE | FALLOC_FL_PUNCH_HOLE
LOGICAL_BYTES = 512
SAMPLES = 64


def claims(target: str) -> bool:
    """Anything that exists and is no block node, or looks like a path to a file."""
    try:
        return not stat.S_ISBLK(os.stat(target).st_mode)
    except OSError:
        return not target.startswith("/dev/") and ":" not in target.partition("/")[0]


def find(target: str) -> "FileDevice":
    """A file that is there; BadInput says what it is otherwise and how to make one."""
    path = os.path.realpath(target)
    try:
        there = os.stat(path)
    except OSError as error:
        raise BadInput(f"{target} is not there ({error.strerror}); make it with --create 1GiB") from error
    if not stat.S_ISREG(there.st_mode):
        raise BadInput(f"{target} is {_what(there.st_mode)}, not a drive and not a file")
    if there.st_size == 0:
        raise BadInput(f"{target} is empty; make one with --create 1GiB")
    return FileDevice(_identity(target, path, there.st_size))


def create(target: str, size_bytes: int) -> "FileDevice":
    """A new file of this size, ours to write. BadInput when there is one already, or no room."""
    folder = Path(target).absolute().parent
    if os.path.lexists(target):
        raise BadInput(f"{target} is there already; name another, or drop --create and name it by --destroy-data")
    if not folder.is_dir():
        raise BadInput(f"{folder} is not a folder")
    free = shutil.disk_usage(folder).free
    if size_bytes > free:
        raise BadInput(f"{target} needs {binary(size_bytes)}, {folder} has {binary(free)} free")
    try:
        fd = os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600)
        try:
            os.ftruncate(fd, size_bytes)
        finally:
            os.close(fd)
    except OSError as error:
        raise BadInput(f"{target} cannot be made: {error.strerror}") from error
    device = find(target)
    device.ours = True
    return device


def _identity(target: str, path: str, size: int) -> Identity:
    return Identity(
        kind="file",
        target=target,
        path=path,
        capacity_bytes=size,
        model="file",
        serial=Path(path).name,
        interface="file",
    )


def _what(mode: int) -> str:
    kinds = ((stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a pipe"), (stat.S_ISSOCK, "a socket"))
    return next((name for is_kind, name in kinds if is_kind(mode)), "a character device")


class FileDevice:
    """A regular file as a drive."""

    def __init__(self, identity: Identity) -> None:
        self.identity, self.ours = identity, False
        self.gate: gate.Gate | None = None

    @property
    def io_path(self) -> str:
        """The gate's own path, for whoever makes the load."""
        return self._opened().path

    def open(self, *, writes: bool, destroy: str | None, keep_off: tuple[str, ...] = ()) -> None:
        """Through the gate."""
        self.gate = gate.enter(self.identity, writes=writes, destroy=destroy, keep_off=keep_off, ours=self.ours)

    def check(self) -> None:
        """As the gate does."""
        self._opened().check()

    def purge(self) -> str:
        """Punch one hole over the whole file, and see that it reads as zeros; a lesser method than a drive's own."""
        opened = self._opened()
        if not opened.writes:
            raise Refused(f"{self.identity.target} was opened for reading only")
        opened.check()
        libc = ctypes.CDLL(None, use_errno=True)
        size = ctypes.c_int64(self.identity.capacity_bytes)
        if libc.fallocate(opened.fd, PUNCH_HOLE, ctypes.c_int64(0), size):
            raise StepFailed(f"{self.identity.target} cannot be purged: {os.strerror(ctypes.get_errno())}")
        verify_zero(opened.fd, self.identity)
        return "hole punched over the whole file (not a drive's purge), read back as zeros"

    def health(self) -> dict[str, Any]:
        """A file tells nothing."""
        return {}

    def close(self) -> None:
        """Let go."""
        if self.gate:
            self.gate.close()

    def _opened(self) -> gate.Gate:
        if self.gate is None:
            raise Refused(f"{self.identity.target} has not passed the gate")
        return self.gate


def verify_zero(fd: int, identity: Identity) -> None:
    """StepFailed unless a sample spread over the drive reads as zeros."""
    size, step = 4096, max(identity.capacity_bytes // SAMPLES, 4096)
    os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_DONTNEED)
    for offset in range(0, identity.capacity_bytes, step):
        data = os.pread(fd, size, offset)
        if data.strip(b"\0"):
            raise StepFailed(f"{identity.target} still holds data at byte {offset} after its purge")
