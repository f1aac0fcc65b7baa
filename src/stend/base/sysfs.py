"""Read facts about block devices from the kernel: numbers, sizes, names, and how devices are stacked. Reads only."""

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
"""Numbers with this many digits or more are not accepted."""


class Loop(NamedTuple):
    """A loop device that is set up: the file behind it as device and inode, or the block node as device number."""

    node: str
    device: int
    inode: int
    rdev: int


@dataclass(frozen=True, slots=True)
class Kernel:
    """A host as its kernel reports it. Another `root` than `/` is a copied tree that replaces a real host."""

    root: Path = Path("/")

    @property
    def proc(self) -> Path:
        """Folder of processes, mounts and swaps."""
        return self.root / "proc"

    @property
    def sys(self) -> Path:
        """Folder of devices in sysfs."""
        return self.root / "sys"

    @property
    def dev(self) -> Path:
        """Folder of device nodes."""
        return self.root / "dev"

    def at(self, path: str) -> str:
        """Return a path of the kernel below `root`, as str because thousands of Path objects would be slow."""
        return f"{str(self.root).rstrip('/')}/{path.lstrip('/')}"

    def processes(self) -> list[str]:
        """Return the numbers of all processes, in order."""
        return sorted((name for name in entries(self.at("proc")) if name[0] in "0123456789"), key=int)

    def there(self, path: str) -> os.stat_result | None:
        """Return the status of what a path of the kernel leads to, or None if that does not exist."""
        try:
            return os.stat(self.root / path.lstrip("/") if path.endswith(("/", "/.")) else self.at(path))
        except (OSError, ValueError):
            return None

    def block(self, node: str) -> Path:
        """Return a node's folder in sysfs."""
        return self.sys / "class/block" / node

    def _block(self, node: str) -> str:
        return self.at(f"sys/class/block/{node}")

    def attribute(self, node: str, name: str) -> str:
        """Return the text of a file in a node's folder in sysfs, or "" if it does not exist."""
        return text(f"{self._block(node)}/{name}")

    def has(self, node: str, name: str) -> bool:
        """Return True if a node's folder in sysfs has this file or folder."""
        return os.path.exists(f"{self._block(node)}/{name}")

    def nodes(self) -> list[str]:
        """Return every block device, a drive before its partitions, sda2 before sda10."""
        return sorted(entries(self.at("sys/class/block")), key=natural)

    def node_of(self, rdev: int) -> str:
        """Return the kernel's name of a device number, such as `sda1`, or "" if no block device has it."""
        link = self.at(f"sys/dev/block/{os.major(rdev)}:{os.minor(rdev)}")
        return os.path.basename(os.readlink(link)) if os.path.exists(link) else ""

    def node_at(self, path: str) -> str:
        """Return the kernel's name of the block node that a path leads to, or "" for anything else."""
        try:
            there = os.stat(path)
        except (OSError, ValueError):
            return ""
        return self.node_of(there.st_rdev) if stat.S_ISBLK(there.st_mode) else ""

    def number(self, node: str) -> str:
        """Return the device number as `major:minor`."""
        return self.attribute(node, "dev")

    def size_bytes(self, node: str) -> int:
        """Return the size in bytes, or 0 if the device is not set up."""
        return count(f"{self._block(node)}/size") * SECTOR_BYTES

    def read_only(self, node: str) -> bool:
        """Return True if the kernel allows no writes to the node."""
        return self.attribute(node, "ro") == "1"

    def partitions(self, node: str) -> list[str]:
        """Return the partitions of a node, in order. A file, whose node is "", has none."""
        if not node:
            return []
        try:
            with os.scandir(self._block(node)) as children:
                parts = [
                    entry.name for entry in children if entry.is_dir() and os.path.exists(f"{entry.path}/partition")
                ]
        except OSError:
            return []
        return sorted(parts, key=natural)

    def parent(self, node: str) -> str:
        """Return the whole disk of a partition, or "" for anything else."""
        return self.block(node).resolve().parent.name if self.has(node, "partition") else ""

    def holders(self, node: str) -> list[str]:
        """Return the devices stacked on a node: md, device-mapper, bcache."""
        return sorted(entries(f"{self._block(node)}/holders"), key=natural)

    def slaves(self, node: str) -> list[str]:
        """Return the devices that a node is stacked on."""
        return sorted(entries(f"{self._block(node)}/slaves"), key=natural)

    def disks(self, node: str) -> set[str]:
        """Return the whole disks below a node: itself, or those below a partition, md or device-mapper."""
        below = [self.parent(node)] if self.parent(node) else self.slaves(node)
        return {disk for lower in below for disk in self.disks(lower)} or {node}

    def suspended(self, node: str) -> bool:
        """Return True if a device-mapper volume is suspended, so that its IO waits."""
        return self.attribute(node, "dm/suspended") == "1"

    def backing(self, node: str) -> str:
        """Return the path of the file or node behind a loop device, or "" for anything else."""
        return self.backing_words(node).removesuffix(" (deleted)")

    def backing_words(self, node: str) -> str:
        """Return the same path for display. A removed file that the device still uses is marked `(deleted)`."""
        return self.attribute(node, "loop/backing_file")

    def is_volume(self, node: str) -> bool:
        """Return True if the node is a device-mapper volume."""
        return self.has(node, "dm")

    def label(self, node: str) -> str:
        """Return the name for display: that of device-mapper, which unlike `dm-0` is stable, else the node's name."""
        return self.attribute(node, "dm/name") or node

    def names(self, node: str) -> dict[str, str]:
        """Return serial and WWN from sysfs (of the whole disk for a partition), or "" where sysfs has no value."""
        disk = self.parent(node) or node
        return {"serial": self._serial(disk), "wwn": self._wwn(disk)}

    def _serial(self, disk: str) -> str:
        serial = self.attribute(disk, "device/serial") or self.attribute(disk, "serial")
        if serial:
            return serial
        page = _bytes(f"{self._block(disk)}/device/vpd_pg80")  # SCSI unit serial number (VPD 80h), a header of 4 bytes
        return page[4:].decode("ascii", errors="replace").strip("\0 ")

    def _wwn(self, disk: str) -> str:
        return self.attribute(disk, "wwid") or self.attribute(disk, "device/wwid")

    def twins(self, node: str) -> list[str]:
        """Return other whole disks of the same WWN: the same drive, reached by another path."""
        wwn = self._wwn(self.parent(node) or node)
        return self._others(node, lambda other: self._wwn(other) == wwn) if wwn else []

    def generic(self, node: str) -> list[str]:
        """Return `major:minor` of the character devices that bypass the block layer: sg and bsg, ng of NVMe."""
        disk = self.parent(node) or node
        files = [*self.block(disk).glob("device/scsi_generic/*/dev"), *self.block(disk).glob("device/bsg/*/dev")]
        if disk.startswith("nvme"):
            files.append(self.sys / "class/nvme-generic" / disk.replace("nvme", "ng") / "dev")
        return [number for number in map(text, files) if number]

    def controllers(self, node: str) -> list[str]:
        """Return `major:minor` of the NVMe controllers that a namespace is reached by."""
        device = self.block(self.parent(node) or node) / "device"
        files = [device / "dev", *device.glob("nvme*/dev")] if node.startswith("nvme") else []
        return [number for number in map(text, files) if number]

    def namesakes(self, node: str) -> list[str]:
        """Return other drives with the same serial: namespaces of one NVMe drive, cheap USB adapters."""
        serial, twins = self._serial(self.parent(node) or node), self.twins(node)
        same = self._others(node, lambda other: self._serial(other) == serial) if serial else []
        return [other for other in same if other not in twins]

    def _others(self, node: str, same: Callable[[str], bool]) -> list[str]:
        disk = self.parent(node) or node
        return [n for n in self.nodes() if n != disk and same(n) and not self.parent(n) and self.size_bytes(n)]

    def links(self, node: str) -> list[str]:
        """Return the names of a node below /dev/disk/by-id."""
        number = self.number(node)
        known = ((link, self.there(f"/dev/disk/by-id/{link}")) for link in sorted(entries(self.at("dev/disk/by-id"))))
        return [link for link, there in known if there and is_node(there, number)]

    def loops(self) -> Iterator[Loop]:
        """Yield every loop device that is set up, as the loop driver reports it, else by the path in sysfs."""
        for node in sorted(entries(self.at("sys/class/block"))):
            if not node.startswith("loop") or not self.has(node, "loop"):
                continue
            path = self.backing_words(node)
            if status := answer_at(self.at(f"dev/{node}"), LOOP_GET_STATUS64, LOOP_INFO64_WORDS):
                yield Loop(node, status[0], status[1], status[2])
            elif there := self.there(path):
                yield Loop(node, there.st_dev, there.st_ino, there.st_rdev)


def text(path: str | Path) -> str:
    """Return a file's text without the space around it, or "" if it cannot be read."""
    return os.fsdecode(_bytes(path)).strip("\0\n\t ")


def _bytes(path: str | Path) -> bytes:
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read()
    except OSError:
        return b""


def entries(folder: str | Path) -> list[str]:
    """Return the names in a folder, or none if it cannot be read."""
    try:
        return os.listdir(folder)
    except OSError:
        return []


def count(path: str | Path) -> int:
    """Return the number in a file, or 0 if it cannot be read or holds anything else."""
    digits = text(path)
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < DIGITS else 0


def natural(name: str) -> list[tuple[int, str]]:
    """Return a sort key that puts sda2 before sda10."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", name)]


def is_node(there: os.stat_result, number: str) -> bool:
    """Return True if the status is that of the block node with this `major:minor`."""
    return stat.S_ISBLK(there.st_mode) and f"{os.major(there.st_rdev)}:{os.minor(there.st_rdev)}" == number


def fd_bytes(fd: int) -> int:
    """Return the size of an open file or block device in bytes, or 0 for a block device that was removed."""
    there = os.fstat(fd)
    if not stat.S_ISBLK(there.st_mode):
        return there.st_size
    size = answer(fd, BLKGETSIZE64)
    return size[0] if size else 0


def answer(fd: int, request: int, words: int = 1) -> "array.array[int] | None":
    """Return the answer of a read-only ioctl in 64-bit words, or None if the device does not support it."""
    values = array.array("Q", [0] * words)
    try:
        fcntl.ioctl(fd, request, values, True)
    except OSError:
        return None
    return values


def answer_at(path: str | Path, request: int, words: int = 1) -> "array.array[int] | None":
    """Open a file or node without reading it, and return the answer of a read-only ioctl, or None."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return answer(fd, request, words)
    finally:
        os.close(fd)


HOST = Kernel()
"""The kernel of this host."""
