"""Regular files as drives: created for a run, or named to be overwritten."""

import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from stend import gate
from stend.base import direct_io
from stend.base.errors import BadInput, Refused
from stend.base.sysfs import HOST, Kernel, count, natural
from stend.base.units import MiB, binary
from stend.devices.purging import methods
from stend.devices.purging.purge import purged
from stend.devices.purging.table import lesser
from stend.devices.telling import below as lower
from stend.devices.telling import facts, places
from stend.devices.telling.below import Member
from stend.devices.telling.evidence import Piece
from stend.gate import mounts
from stend.model.definition import Identity
from stend.sim import named
from stend.words import Sentence

LEAST_BYTES = MiB
DIRECT_BYTES = 4096  # what direct IO is aligned to: fio fails at a shorter piece at the end
HASHED_BYTES = 64 * MiB
"""A file up to this size is hashed before and after a run that only reads it."""
LEFT_FREE = 0.02  # of a file system: its own bookkeeping needs room, and so do its other users


def claims(target: str, kernel: Kernel = HOST) -> bool:
    """Return True for anything that exists and is not a block node, and for a missing path outside /dev."""
    try:
        return not stat.S_ISBLK(os.stat(target).st_mode)
    except (OSError, ValueError):
        return not target.startswith("/dev/")


def below(target: str, kernel: Kernel = HOST) -> list[str]:
    """Return the whole disks that store a file."""
    path = os.path.realpath(target)
    return sorted(mounts.disks_below(kernel, path), key=natural) if os.path.isfile(path) else []


def find(target: str, kernel: Kernel = HOST, members: Sequence[Member] = ()) -> "FileDevice":
    """Return a file as a drive. Raise BadInput if it is not a regular file of 1 MiB or more, Refused if leased."""
    path = os.path.realpath(target)
    try:
        there = os.stat(path)
    except (OSError, ValueError) as error:
        raise BadInput(_not_there(target, getattr(error, "strerror", None) or str(error))) from error
    if not stat.S_ISREG(there.st_mode):
        raise BadInput(f"{target} is {_describe(target, there.st_mode)}")
    if there.st_size < LEAST_BYTES:
        size = binary(there.st_size) if there.st_size else "empty"
        raise BadInput(f"{target} is {size}, too small to test; `stend run --create 1GiB` makes a new one")
    if server := gate.leased(path, kernel):
        raise Refused(f"{target} {server}")
    return FileDevice(_identity(target, path, there.st_size, kernel, members), kernel, members)


def _not_there(target: str, why: str) -> str:
    """Return the sentence for a target that does not exist, with the form that was probably meant."""
    if foreign := _foreign(target):
        return foreign
    if Path(node := f"/dev/{target}").is_block_device():
        return f"there is no file {target}; did you mean {node}?"
    if target in named.profiles():
        return f"there is no file {target}; did you mean sim:{target}?"
    return f"{target} is not there ({why}); `stend run --create 1GiB` makes it, and `stend devices` lists the drives"


def _foreign(target: str) -> str:
    """Return why a target cannot name a file here: it is an address or a path of Windows. Return "" otherwise."""
    lists = "`stend devices` lists the drives"
    if "://" in target:
        return f"{target} is an address, not a drive; {lists}"
    if "\\" in target or target[1:3] in (":", ":/"):
        return f"{target} is a Windows path; on Linux a drive is named like /dev/nvme0n1; {lists}"
    return ""


def create(target: str, size_bytes: int) -> int:
    """Create a file with its space reserved and return its descriptor. Raise BadInput if it exists or does not fit."""
    if foreign := _foreign(target):
        raise BadInput(foreign)
    folder = Path(target).absolute().parent
    if os.path.lexists(target):
        raise BadInput(f"{target} is there already; name another, or drop --create and name it by --destroy-data")
    if not folder.is_dir():
        raise BadInput(f"{folder} is not a folder; make it first, or choose another")
    if size_bytes < LEAST_BYTES:
        raise BadInput(f"{binary(size_bytes)} is too small to test; make {target} at least {binary(LEAST_BYTES)}")
    _check_space(target, folder, size_bytes)
    return _create(target, size_bytes)


def _check_space(target: str, folder: Path, size_bytes: int) -> None:
    space = os.statvfs(folder)
    free = int((space.f_bavail - space.f_blocks * LEFT_FREE) * space.f_frsize)
    if size_bytes > free:
        left = binary(max(free, 0))
        raise BadInput(f"{target} needs {binary(size_bytes)}, {folder} has {left} to spare; make it smaller")


def _create(target: str, size_bytes: int) -> int:
    """Create a file and return a descriptor of it. While that is open, no other file can get the same inode."""
    try:
        fd = os.open(target, os.O_CREAT | os.O_EXCL | os.O_RDWR | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise BadInput(f"{target} cannot be made: {error.strerror}; choose another place") from error
    try:
        os.ftruncate(fd, size_bytes)
        os.posix_fallocate(fd, 0, size_bytes)
        gate.mark(f"/proc/self/fd/{fd}")
    except OSError as error:
        os.close(fd)
        os.unlink(target)
        raise BadInput(f"{target} cannot be made {binary(size_bytes)} long: {error.strerror}") from error
    try:
        return os.open(f"/proc/self/fd/{fd}", os.O_PATH | os.O_CLOEXEC)  # holds the file and does not count as a writer
    finally:
        os.close(fd)


def _identity(target: str, path: str, size: int, kernel: Kernel, members: Sequence[Member]) -> Identity:
    mount, looked = mounts.of_path(kernel, path), facts.Looked()
    if mount:
        looked.add(file_system=mount.kind, mounted_from=mount.source)
        looked.warnings += places.of_mount(mount)
        if node := kernel.node_at(mount.source) if mount.source.startswith("/") else "":
            looked.warnings += places.of_node(node, kernel)
    block_bytes = _block_bytes(path, kernel, looked)
    lower.add_members(looked, members)
    return Identity(
        kind="file",
        target=target,
        path=path,
        capacity_bytes=size // DIRECT_BYTES * DIRECT_BYTES,
        model="file",
        serial=Path(path).name,
        interface="file",
        logical_bytes=block_bytes,
        physical_bytes=block_bytes,
        facts=looked.all,
    )


def _block_bytes(path: str, kernel: Kernel, looked: facts.Looked) -> int:
    """Return the smallest block that reaches the drive, in bytes. Add a doubt if the page cache may be in between."""
    size = direct_io.block_bytes(path)
    if size is None:
        try:
            os.close(os.open(path, os.O_RDONLY | os.O_DIRECT | os.O_CLOEXEC))
        except OSError:
            size = 0
    if size:
        return size
    looked.doubts.append(Sentence("cached_file" if size == 0 else "perhaps_cached_file"))
    blocks = (count(kernel.block(disk) / "queue/logical_block_size") for disk in mounts.disks_below(kernel, path))
    return max(blocks, default=0) or 512


def _describe(target: str, mode: int) -> str:
    """Return the type of a path that is neither a drive nor a file, and the target that was probably meant."""
    if stat.S_ISDIR(mode):
        named_file = f"name a drive, or a file such as {Path(target) / 'stend.bin'}"
        return f"a folder; {named_file}; `stend run --create 1GiB` makes a new one"
    if stat.S_ISCHR(mode):
        drives = sorted(str(p) for p in Path(target).parent.glob(f"{Path(target).name}n[0-9]"))
        meant = f"its drives are {', '.join(drives)}" if drives else "`stend devices` lists the drives"
        return f"a character device, not a drive; {meant}"
    kind = "a pipe" if stat.S_ISFIFO(mode) else "a socket"
    return f"{kind}, not a drive and not a file; `stend devices` lists the drives"


class FileDevice:
    """A regular file as a drive. `members` are the drives that store it."""

    def __init__(self, identity: Identity, kernel: Kernel = HOST, members: Sequence[Member] = ()) -> None:
        self.identity, self.members, self.door = identity, members, gate.Guarded(identity, kernel)

    def evidence(self, since_s: float) -> Iterator[Piece]:
        """Yield the evidence of the drives that store it."""
        yield from lower.evidence(self.members, since_s)

    def health(self) -> dict[str, Any]:
        """Return {}, because a file reports no health; its size, time and hash if it was opened for reading only."""
        return self._state() if self.door.writes is False else {}

    def _state(self) -> dict[str, Any]:
        there = os.stat(self.identity.path)
        state: dict[str, Any] = {"file_bytes": there.st_size, "file_mtime_ns": there.st_mtime_ns}
        if there.st_size <= HASHED_BYTES:
            with open(self.identity.path, "rb") as file:
                state["file_sha256"] = hashlib.file_digest(file, "sha256").hexdigest()
        return state

    def purge(self) -> Sentence:
        """Punch one hole over the whole file and check that it reads as zeros. It is not a drive's own purge."""
        passed = self.door.opened
        passed.check()
        methods.punch(passed)
        return purged(lesser("purge_hole"), Sentence("purge_hole_read"))
