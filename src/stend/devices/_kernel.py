"""What the kernel tells of block nodes: numbers, sizes, stacks, mounts, swaps, loops. Reads only."""

import array
import fcntl
import os
import stat
from collections.abc import Iterator
from pathlib import Path

SYS = Path("/sys")
PROC = Path("/proc")
SECTOR = 512
BLKGETSIZE64 = 0x80081272
FS_IOC_GETFLAGS = 0x80086601
FS_IMMUTABLE = 0x10


def text(path: Path) -> str:
    """A file's stripped text; empty where there is none."""
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return ""


def node_of(rdev: int) -> str:
    """The kernel's name of a device number: `sda1`, `dm-0`."""
    link = SYS / "dev/block" / f"{os.major(rdev)}:{os.minor(rdev)}"
    return link.resolve().name if link.exists() else ""


def number_of(node: str) -> str:
    """`major:minor` of a node's name."""
    return text(SYS / "class/block" / node / "dev")


def size_bytes(fd: int) -> int:
    """Size of an open file or block device."""
    if not stat.S_ISBLK(os.fstat(fd).st_mode):
        return os.fstat(fd).st_size
    size = array.array("Q", [0])
    try:
        fcntl.ioctl(fd, BLKGETSIZE64, size, True)
    except OSError:
        return 0
    return size[0]


def node_bytes(node: str) -> int:
    """Size of a node by its name."""
    return int(text(SYS / "class/block" / node / "size") or 0) * SECTOR


def read_only(node: str) -> bool:
    """Whether the kernel refuses to write to it."""
    return text(SYS / "class/block" / node / "ro") == "1"


def partitions(node: str) -> list[str]:
    """Names of its partitions."""
    return sorted(p.parent.name for p in (SYS / "class/block" / node).glob("*/partition"))


def is_partition(node: str) -> bool:
    """Whether it is one."""
    return (SYS / "class/block" / node / "partition").exists()


def holders(node: str) -> list[str]:
    """What is stacked on it: dm, md, bcache."""
    return sorted(h.name for h in (SYS / "class/block" / node / "holders").glob("*"))


def slaves(node: str) -> list[str]:
    """What it is stacked on."""
    return sorted(s.name for s in (SYS / "class/block" / node / "slaves").glob("*"))


def disks_below(node: str) -> set[str]:
    """Every node that a node's data lies on, whole disks and the layers between, itself included."""
    below = {node}
    if is_partition(node):
        below |= disks_below((SYS / "class/block" / node).resolve().parent.name)
    for slave in slaves(node):
        below |= disks_below(slave)
    backing = text(SYS / "class/block" / node / "loop/backing_file")
    if backing and os.path.exists(backing):
        below |= disks_of_path(backing)
    return below


def disks_of_path(path: str) -> set[str]:
    """Every node below the file system that holds a path (or its nearest parent that exists)."""
    place = Path(path)
    while not place.exists() and place != place.parent:
        place = place.parent
    there = os.stat(place)
    number = there.st_rdev if stat.S_ISBLK(there.st_mode) else there.st_dev
    node = node_of(number) or _source_node(place)
    return disks_below(node) if node else set()


def _source_node(place: Path) -> str:
    """The node a file system without a number of its own (btrfs) is mounted from."""
    mount = place.resolve()
    while not mount.is_mount() and mount != mount.parent:
        mount = mount.parent
    for point, source in ((m[1], m[2]) for m in mounts(PROC / "self/mountinfo")):
        if point == str(mount) and source.startswith("/dev/") and os.path.exists(source):
            return node_of(os.stat(source).st_rdev)
    return ""


def mounts(table: Path) -> Iterator[tuple[str, str, str]]:
    """(major:minor, mount point, source) of one mountinfo."""
    for line in text(table).splitlines():
        words = line.split(" ")
        if "-" in words and len(words) > words.index("-") + 2:
            yield words[2], words[4].encode().decode("unicode_escape"), words[words.index("-") + 2]


def mounted(number: str) -> str:
    """Where a node is mounted, in any mount namespace that we can read; empty if nowhere."""
    seen = set()
    for process in PROC.glob("[0-9]*"):
        try:
            space = os.readlink(process / "ns/mnt")
        except OSError:
            continue
        if space in seen:
            continue
        seen.add(space)
        for own, point, source in mounts(process / "mountinfo"):
            if own == number or same_node(source, number):
                return point
    return ""


def same_node(path: str, number: str) -> bool:
    """Whether a path is the block node of that number."""
    if not path.startswith("/dev/"):
        return False
    try:
        there = os.stat(path)
    except OSError:
        return False
    return stat.S_ISBLK(there.st_mode) and f"{os.major(there.st_rdev)}:{os.minor(there.st_rdev)}" == number


def swaps() -> list[str]:
    """Nodes and files in use as swap."""
    lines = text(PROC / "swaps").splitlines()[1:]
    return [line.split()[0].encode().decode("unicode_escape") for line in lines if line.split()]


def loop_of(there: os.stat_result) -> str:
    """The active loop device that a file backs; empty if none."""
    for loop in sorted((SYS / "class/block").glob("loop*")):
        backing = text(loop / "loop/backing_file")
        if backing and os.path.exists(backing):
            other = os.stat(backing)
            if (other.st_dev, other.st_ino) == (there.st_dev, there.st_ino):
                return f"/dev/{loop.name}"
    return ""


def loop_of_node(number: str) -> str:
    """The active loop device that a block node backs; empty if none."""
    for loop in sorted((SYS / "class/block").glob("loop*")):
        if same_node(text(loop / "loop/backing_file"), number):
            return f"/dev/{loop.name}"
    return ""


def immutable(path: str) -> bool:
    """Whether a file carries the immutable flag."""
    flags = array.array("L", [0])
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        fcntl.ioctl(fd, FS_IOC_GETFLAGS, flags, True)
    except OSError:
        return False
    finally:
        os.close(fd)
    return bool(flags[0] & FS_IMMUTABLE)


def names(node: str) -> dict[str, str]:
    """Serial and WWN of a node as sysfs tells them; what two looks at a drive must agree on."""
    device = SYS / "class/block" / node
    return {
        "serial": text(device / "device/serial") or _page(device / "device/vpd_pg80"),
        "wwn": text(device / "wwid") or text(device / "device/wwid"),
    }


def _page(path: Path) -> str:
    """The text of a SCSI unit serial number page (VPD 80h): after four bytes of header."""
    try:
        return path.read_bytes()[4:].decode("ascii", errors="replace").strip("\0 ")
    except OSError:
        return ""


def links_to(path: str) -> list[Path]:
    """The /dev/disk/by-id names of a node."""
    real = os.path.realpath(path)
    return [link for link in sorted(Path("/dev/disk/by-id").glob("*")) if os.path.realpath(link) == real]
