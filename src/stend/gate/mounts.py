"""Mounts and swaps in every mount namespace that can be read, and the disks below a path. Reads only."""

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from stend.kernel import Kernel, text


class Mount(NamedTuple):
    """One line of a mountinfo; `pid` is a process of the namespace it is in, 0 for our own."""

    number: str
    point: str
    kind: str
    source: str
    pid: int = 0


def own(kernel: Kernel) -> list[Mount]:
    """The mounts of our namespace, in the order they were made."""
    return list(_table(kernel.proc / "self/mountinfo", 0))


def all_namespaces(kernel: Kernel) -> list[Mount]:
    """The mounts of our namespace, then those of every other one that some process we may look at lives in."""
    found, seen = own(kernel), {_space(kernel.proc / "self")}
    for process in sorted(kernel.proc.glob("[0-9]*"), key=lambda p: int(p.name)):
        space = _space(process)
        if space and space not in seen:
            seen.add(space)
            found += _table(process / "mountinfo", int(process.name))
    return found


def _space(process: Path) -> str:
    try:
        return os.readlink(process / "ns/mnt")
    except OSError:
        return ""


def _table(path: Path, pid: int) -> Iterator[Mount]:
    for line in text(path).splitlines():
        words = line.split(" ")
        if "-" in words[6:] and len(words) > (mark := words.index("-", 6)) + 2:
            yield Mount(words[2], unescaped(words[4]), words[mark + 1], unescaped(words[mark + 2]), pid)


def swaps(kernel: Kernel) -> list[str]:
    """Paths of the nodes and files in use as swap."""
    return [unescaped(line.split()[0]) for line in text(kernel.proc / "swaps").splitlines()[1:] if line.strip()]


def unescaped(word: str) -> str:
    r"""A path as the kernel prints it, without its `\040` and the mark of a node that was removed."""
    return re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), word).removesuffix(" (deleted)")


def of_path(kernel: Kernel, path: str) -> Mount | None:
    """The mount that a path lies in."""
    real = os.path.realpath(path)
    holding = [m for m in own(kernel) if m.point == real or real.startswith(m.point.rstrip("/") + "/")]
    return max(reversed(holding), key=lambda m: len(m.point), default=None)


def disks_below(kernel: Kernel, path: str) -> set[str]:
    """Every whole disk that a path (or its nearest parent that exists) lies on, also through loop devices."""
    place = Path(path).absolute()
    while not place.exists() and place != place.parent:
        place = place.parent
    there = os.stat(place)
    node = kernel.node_of(there.st_rdev if stat.S_ISBLK(there.st_mode) else there.st_dev) or _source(kernel, place)
    return _under(kernel, node) if node else set()


def _source(kernel: Kernel, place: Path) -> str:
    """The node of a file system whose device number is no drive's (btrfs)."""
    mount = of_path(kernel, str(place))
    there = kernel.there(mount.source) if mount and mount.source.startswith("/") else None
    return kernel.node_of(there.st_rdev) if there and stat.S_ISBLK(there.st_mode) else ""


def _under(kernel: Kernel, node: str) -> set[str]:
    found: set[str] = set()
    for disk in {d for member in _members(kernel, node) for d in kernel.disks(member)}:
        backing = text(kernel.block(disk) / "loop/backing_file")
        found |= {disk} | (disks_below(kernel, backing) if backing else set())
    return found


def _members(kernel: Kernel, node: str) -> list[str]:
    """The nodes of the mounted btrfs that a node is one of; the node alone otherwise."""
    for member in (kernel.sys / "fs/btrfs").glob(f"*/devices/{node}"):
        return [p.name for p in member.parent.glob("*")]
    return [node]
