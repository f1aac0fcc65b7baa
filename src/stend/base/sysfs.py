"""What the kernel tells of block devices: numbers, sizes, names, and what lies on what. Reads only."""

import array
import fcntl
import os
import re
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

SECTOR_BYTES = 512  # sysfs counts in these, whatever the drive's own sectors are
BLKGETSIZE64 = 0x80081272
LOOP_GET_STATUS64 = 0x4C05
LOOP_INFO64_WORDS = 29
DIGITS = 19
"""A number of so many is more than a record holds."""


class Loop(NamedTuple):
    """A loop device that is set up: the file behind it as device and inode, or the block node as number."""

    node: str
    device: int
    inode: int
    rdev: int


@dataclass(frozen=True, slots=True)
class Kernel:
    """A host as its kernel tells of it; another `root` than `/` is a tree that stands in for a host we do not have."""

    root: Path = Path("/")

    @property
    def proc(self) -> Path:
        """Processes, mounts, swaps."""
        return self.root / "proc"

    @property
    def sys(self) -> Path:
        """Devices."""
        return self.root / "sys"

    @property
    def dev(self) -> Path:
        """Device nodes."""
        return self.root / "dev"

    def at(self, path: str) -> str:
        """Where a path that the kernel told lies. A look asks for thousands, which as Path take most of its time."""
        return f"{str(self.root).rstrip('/')}/{path.lstrip('/')}"

    def processes(self) -> list[str]:
        """The numbers of all processes, in order."""
        return sorted((name for name in entries(self.at("proc")) if name[0] in "0123456789"), key=int)

    def there(self, path: str) -> os.stat_result | None:
        """What a path that the kernel told leads to; None where that is nothing."""
        try:
            return os.stat(self.root / path.lstrip("/") if path.endswith(("/", "/.")) else self.at(path))
        except (OSError, ValueError):
            return None

    def block(self, node: str) -> Path:
        """A node's folder in sysfs."""
        return self.sys / "class/block" / node

    def _block(self, node: str) -> str:
        return self.at(f"sys/class/block/{node}")

    def told(self, node: str, name: str) -> str:
        """The text of a file in a node's folder in sysfs; empty where there is none."""
        return text(f"{self._block(node)}/{name}")

    def has(self, node: str, name: str) -> bool:
        """Whether a node's folder in sysfs has that."""
        return os.path.exists(f"{self._block(node)}/{name}")

    def nodes(self) -> list[str]:
        """Every block device, a drive before its partitions, sda2 before sda10."""
        return sorted(entries(self.at("sys/class/block")), key=natural)

    def node_of(self, rdev: int) -> str:
        """The kernel's name of a device number, such as `sda1`; empty where no block device has it."""
        link = self.at(f"sys/dev/block/{os.major(rdev)}:{os.minor(rdev)}")
        return os.path.basename(os.readlink(link)) if os.path.exists(link) else ""

    def node_at(self, path: str) -> str:
        """The kernel's name of the block node that a path leads to; empty for anything else."""
        try:
            there = os.stat(path)
        except (OSError, ValueError):
            return ""
        return self.node_of(there.st_rdev) if stat.S_ISBLK(there.st_mode) else ""

    def number(self, node: str) -> str:
        """`major:minor`."""
        return self.told(node, "dev")

    def size_bytes(self, node: str) -> int:
        """Its size; 0 where nothing is set up behind it."""
        return count(f"{self._block(node)}/size") * SECTOR_BYTES

    def read_only(self, node: str) -> bool:
        """Whether the kernel lets nobody write to it."""
        return self.told(node, "ro") == "1"

    def partitions(self, node: str) -> list[str]:
        """Its partitions, in order; a file, whose node is empty, has none."""
        if not node:
            return []
        try:
            with os.scandir(self._block(node)) as found:
                parts = [entry.name for entry in found if entry.is_dir() and os.path.exists(f"{entry.path}/partition")]
        except OSError:
            return []
        return sorted(parts, key=natural)

    def parent(self, node: str) -> str:
        """The whole disk a partition is a part of; empty for anything but a partition."""
        return self.block(node).resolve().parent.name if self.has(node, "partition") else ""

    def holders(self, node: str) -> list[str]:
        """What is stacked on it: md, device-mapper, bcache."""
        return sorted(entries(f"{self._block(node)}/holders"), key=natural)

    def slaves(self, node: str) -> list[str]:
        """What it is stacked on."""
        return sorted(entries(f"{self._block(node)}/slaves"), key=natural)

    def disks(self, node: str) -> set[str]:
        """The whole disks that its blocks lie on: itself, or those below a partition, md or device-mapper."""
        below = [self.parent(node)] if self.parent(node) else self.slaves(node)
        return {disk for lower in below for disk in self.disks(lower)} or {node}

    def suspended(self, node: str) -> bool:
        """Whether a volume lets nothing through now."""
        return self.told(node, "dm/suspended") == "1"

    def backing(self, node: str) -> str:
        """The path of the file or node that a loop device is set up on; empty for anything else."""
        return self.backing_words(node).removesuffix(" (deleted)")

    def backing_words(self, node: str) -> str:
        """The same for people: a file that was removed, and lives on behind the device, is marked `(deleted)`."""
        return self.told(node, "loop/backing_file")

    def is_volume(self, node: str) -> bool:
        """Whether it is device-mapper's."""
        return self.has(node, "dm")

    def label(self, node: str) -> str:
        """Its name for people: device-mapper's own name, which unlike `dm-0` stays the same, else the node's."""
        return self.told(node, "dm/name") or node

    def names(self, node: str) -> dict[str, str]:
        """Serial and WWN in sysfs (of the whole disk for a partition); empty where it tells none."""
        own = self.parent(node) or node
        return {"serial": self._serial(own), "wwn": self._wwn(own)}

    def _serial(self, disk: str) -> str:
        told = self.told(disk, "device/serial") or self.told(disk, "serial")
        return told or _page(f"{self._block(disk)}/device/vpd_pg80")

    def _wwn(self, disk: str) -> str:
        return self.told(disk, "wwid") or self.told(disk, "device/wwid")

    def twins(self, node: str) -> list[str]:
        """Other whole disks of the same WWN: the same drive, reached by another path."""
        wwn = self._wwn(self.parent(node) or node)
        return self._others(node, lambda other: self._wwn(other) == wwn) if wwn else []

    def generic(self, node: str) -> list[str]:
        """`major:minor` of the character devices that take commands past the block layer: sg and bsg, ng of NVMe."""
        own = self.parent(node) or node
        found = [*self.block(own).glob("device/scsi_generic/*/dev"), *self.block(own).glob("device/bsg/*/dev")]
        if own.startswith("nvme"):
            found.append(self.sys / "class/nvme-generic" / own.replace("nvme", "ng", 1) / "dev")
        return [number for number in map(text, found) if number]

    def controllers(self, node: str) -> list[str]:
        """`major:minor` of the NVMe controllers that a namespace is reached by."""
        device = self.block(self.parent(node) or node) / "device"
        found = [device / "dev", *device.glob("nvme*/dev")] if node.startswith("nvme") else []
        return [number for number in map(text, found) if number]

    def namesakes(self, node: str) -> list[str]:
        """Other drives that tell the same serial: namespaces of one NVMe drive, cheap USB adapters."""
        serial, twins = self._serial(self.parent(node) or node), self.twins(node)
        same = self._others(node, lambda other: self._serial(other) == serial) if serial else []
        return [other for other in same if other not in twins]

    def _others(self, node: str, alike: Callable[[str], bool]) -> list[str]:
        own = self.parent(node) or node
        return [n for n in self.nodes() if n != own and alike(n) and not self.parent(n) and self.size_bytes(n)]

    def links(self, node: str) -> list[str]:
        """Its names below /dev/disk/by-id."""
        number = self.number(node)
        known = ((link, self.there(f"/dev/disk/by-id/{link}")) for link in sorted(entries(self.at("dev/disk/by-id"))))
        return [link for link, there in known if there and is_node(there, number)]

    def loops(self) -> Iterator[Loop]:
        """Every loop device that is set up, by the loop driver's own word, else by the path in sysfs."""
        for node in sorted(entries(self.at("sys/class/block"))):
            if not node.startswith("loop") or not self.has(node, "loop"):
                continue
            path = self.backing_words(node)
            if found := _loop_status(node, self.at(f"dev/{node}")) or self._loop_by_path(node, path):
                yield found

    def _loop_by_path(self, node: str, path: str) -> Loop | None:
        there = self.there(path)
        return Loop(node, there.st_dev, there.st_ino, there.st_rdev) if there else None


def _loop_status(node: str, path: str) -> Loop | None:
    status = answer_at(path, LOOP_GET_STATUS64, LOOP_INFO64_WORDS)
    return Loop(node, status[0], status[1], status[2]) if status else None


def _page(path: str) -> str:
    """The text of a SCSI unit serial number page (VPD 80h), which follows a header of four bytes."""
    return _bytes(path)[4:].decode("ascii", errors="replace").strip("\0 ")


def text(path: str | Path) -> str:
    """A file's text without the space around it; empty where there is none."""
    return os.fsdecode(_bytes(path)).strip("\0\n\t ")


def _bytes(path: str | Path) -> bytes:
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read()
    except OSError:
        return b""


def entries(folder: str | Path) -> list[str]:
    """The names in a folder; none where it is gone or not ours to look at."""
    try:
        return os.listdir(folder)
    except OSError:
        return []


def count(path: str | Path) -> int:
    """A file's number; 0 where there is none, or something else."""
    told = text(path)
    return int(told) if told.isascii() and told.isdigit() and len(told) < DIGITS else 0


def natural(name: str) -> list[tuple[int, str]]:
    """A key that sorts sda2 before sda10."""
    return [(int(part or 0), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", name)]


def is_node(there: os.stat_result, number: str) -> bool:
    """Whether it is the block node of that `major:minor`."""
    return stat.S_ISBLK(there.st_mode) and f"{os.major(there.st_rdev)}:{os.minor(there.st_rdev)}" == number


def fd_bytes(fd: int) -> int:
    """Size of an open file or block device; 0 for a block device that is gone."""
    there = os.fstat(fd)
    if not stat.S_ISBLK(there.st_mode):
        return there.st_size
    size = answer(fd, BLKGETSIZE64)
    return size[0] if size else 0


def answer(fd: int, request: int, words: int = 1) -> "array.array[int] | None":
    """What an ioctl that only reads tells, in 64-bit words; None where it is not known there."""
    told = array.array("Q", [0] * words)
    try:
        fcntl.ioctl(fd, request, told, True)
    except OSError:
        return None
    return told


def answer_at(path: str | Path, request: int, words: int = 1) -> "array.array[int] | None":
    """The same of a file or node, which is opened for it and read by nobody."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return answer(fd, request, words)
    finally:
        os.close(fd)


HOST = Kernel()
"""This host."""
