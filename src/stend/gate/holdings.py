"""Read the contents of a drive or a file by wipefs and the superblock, without writing: the data that would be lost."""

import os
import stat
import struct
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from stend.base import untrusted
from stend.base.errors import Refused
from stend.base.sysfs import HOST, Kernel
from stend.base.units import binary
from stend.gate.answers import answer

PATIENCE_S = 60
EXT_AT, EXT_BYTES, EXT_WRITTEN, EXT_MOUNTED = 1024, 1024, 0x30, slice(0x88, 0xC8)
"""An ext superblock: its offset and size, and within it the time of the last write and the last mount point."""
FIRST_PIDS = 0xEFFFFFFC
"""The inode of the PID namespace that Linux starts with (PROC_PID_INIT_INO)."""
UNSEEN = "programs outside this container may use it and cannot be seen (start the container with --pid=host)"


class Signature(msgspec.Struct, frozen=True):
    """A signature that wipefs reports: its kind (`ext4`, `dos`, `crypto_LUKS`, ...), offset, UUID and label."""

    kind: str = msgspec.field(name="type")
    offset: str
    uuid: str | None = None
    label: str | None = None

    def __str__(self) -> str:
        return f'{self.kind} "{self.label}"' if self.label else self.kind


class _Document(msgspec.Struct, frozen=True):
    signatures: list[Signature] = []


def signatures(path: str) -> list[Signature]:
    """Return all signatures on a drive or file. Raise Missing without wipefs, Refused if the drive cannot be read."""
    if not os.access(path, os.R_OK):
        raise Refused(f"{path} cannot be read by this user; it needs root: `sudo stend ...`")
    command = ("wipefs", "--json", "--no-act", path)
    document = answer(*command, of=path, what="it holds", limit_s=PATIENCE_S)
    try:
        return msgspec.json.decode(document or "{}", type=_Document).signatures
    except untrusted.BROKEN as error:
        why = untrusted.sentence(error)
        raise Refused(f"{path}: the output of wipefs cannot be parsed ({why}); see `{' '.join(command)}`") from error


def holdings(path: str, kernel: Kernel = HOST) -> str:
    """Return the partition tables and signatures on a drive or in a file, in words, or "" if none are known."""
    names = list(dict.fromkeys(map(str, signatures(path))))
    parts = kernel.partitions(kernel.node_at(path))
    return ", ".join([*names, *([f"partitions {', '.join(parts)}"] if parts else [])])


def loss(path: str, kernel: Kernel = HOST) -> str:
    """Return what would be lost, in words that follow a name: contents, size, time of last use."""
    there = os.stat(path)
    held = holdings(path, kernel)
    size = there.st_size
    if stat.S_ISBLK(there.st_mode):
        size = kernel.size_bytes(kernel.node_of(there.st_rdev))
        backing = kernel.backing_words(kernel.node_of(there.st_rdev))
        times = [*([f"all in {backing}"] if backing else []), *_used(path, held), *_unseen(kernel)]
    else:
        times = [f"last written {_day(there.st_mtime)}", *_used(path, held)]
    return ", ".join([f"holds {held}" if held else "may hold data", binary(size), *times])


def _unseen(kernel: Kernel) -> list[str]:
    """Return a warning if this process runs in a container, where it cannot see the programs of the host."""
    try:
        return [] if os.stat(kernel.proc / "self/ns/pid").st_ino == FIRST_PIDS else [UNSEEN]
    except OSError:
        return []


def _used(path: str, held: str) -> list[str]:
    """Return when an ext file system on it was last written and where it was last mounted, or [] for any other."""
    if not held.startswith("ext"):
        return []
    with Path(path).open("rb", buffering=0) as file:
        block = os.pread(file.fileno(), EXT_BYTES, EXT_AT)
    if len(block) < EXT_BYTES:
        return []
    (written,) = struct.unpack_from("<I", block, EXT_WRITTEN)
    place = block[EXT_MOUNTED].partition(b"\0")[0].decode(errors="replace")
    return [f"its file system last written {_day(written)}", *([f"last mounted at {place}"] if place else [])]


def _day(unix_s: float) -> str:
    return f"{datetime.fromtimestamp(unix_s, UTC):%Y-%m-%d}"
