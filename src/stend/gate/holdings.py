"""What a drive or a file holds, as wipefs and the superblock tell without writing: what would be lost."""

import os
import stat
import struct
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from stend.base.errors import Refused
from stend.base.sysfs import HOST, Kernel
from stend.base.units import binary
from stend.gate.answers import answer

PATIENCE_S = 60
EXT_AT, EXT_BYTES, EXT_WRITTEN, EXT_MOUNTED = 1024, 1024, 0x30, slice(0x88, 0xC8)
"""Of an ext superblock: where it lies, and in it the time of the last write and the last mount point."""
FIRST_PIDS = 0xEFFFFFFC
"""The inode of the namespace of processes that Linux begins with (PROC_PID_INIT_INO)."""
UNSEEN = "programs outside of this container, which may use it, are not in sight (start it with --pid=host)"


class Signature(msgspec.Struct, frozen=True):
    """What wipefs found: `ext4`, `dos`, `crypto_LUKS`, ...; where, and which one."""

    kind: str = msgspec.field(name="type")
    offset: str
    uuid: str | None = None
    label: str | None = None

    def __str__(self) -> str:
        return f'{self.kind} "{self.label}"' if self.label else self.kind


class _Told(msgspec.Struct, frozen=True):
    signatures: list[Signature] = []


def signatures(path: str) -> list[Signature]:
    """All of them; Missing without wipefs, Refused where the drive cannot be read."""
    if not os.access(path, os.R_OK):
        raise Refused(f"{path} cannot be read by this user; it needs root: `sudo stend ...`")
    asked = ("wipefs", "--json", "--no-act", path)
    told = answer(*asked, of=path, what="it holds", limit_s=PATIENCE_S)
    try:
        return msgspec.json.decode(told or "{}", type=_Told).signatures
    except msgspec.MsgspecError as error:
        raise Refused(f"{path} is told by wipefs in words that nobody here knows ({error})") from error


def holdings(path: str, kernel: Kernel = HOST) -> str:
    """Partition tables and signatures on a drive or in a file, in words; empty if none are known."""
    found = list(dict.fromkeys(map(str, signatures(path))))
    parts = kernel.partitions(kernel.node_at(path))
    return ", ".join([*found, *([f"partitions {', '.join(parts)}"] if parts else [])])


def loss(path: str, kernel: Kernel = HOST) -> str:
    """All that can be told of what would be lost, in words that follow a name: size, holdings, times."""
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
    """In a container of its own nobody sees the programs of the host, which may write to its drives."""
    try:
        return [] if os.stat(kernel.proc / "self/ns/pid").st_ino == FIRST_PIDS else [UNSEEN]
    except OSError:
        return []


def _used(path: str, held: str) -> list[str]:
    """When and where an ext file system on it was used last; nothing of any other."""
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
