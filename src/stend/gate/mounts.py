"""Mounts and swaps in every mount namespace that can be read, and the disks below a path. Reads only."""

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from stend.base.sysfs import Kernel, text

REMOTE = ("nfs", "nfs4", "cifs", "smb3", "ceph", "9p", "virtiofs", "autofs", "fuse")
"""File systems where asking after a file may wait for a server for ever; no drive of this host is a file there."""


class Mount(NamedTuple):
    """One line of a mountinfo; `pid` is a process of the namespace it is in, 0 for our own.

    `root` is what of the file system is mounted: `/`, or a folder or a file of it (a bind mount); `options` are those
    of the file system. `id` is the kernel's number of the mount.
    """

    number: str
    point: str
    kind: str
    source: str
    pid: int = 0
    root: str = "/"
    options: str = ""
    id: str = ""


def is_remote(mount: Mount) -> bool:
    """Whether to keep from asking after what lies in it."""
    return mount.kind.partition(".")[0] in REMOTE


def own(kernel: Kernel) -> list[Mount]:
    """The mounts of our namespace, in the order they were made."""
    return list(_table(kernel.at("proc/self/mountinfo"), 0))


def all_namespaces(kernel: Kernel) -> list[Mount]:
    """The mounts of our namespace, then those of every other one that some process we may look at lives in."""
    found, seen = own(kernel), {_space(kernel, "self")}
    for process in kernel.processes():
        space = _space(kernel, process)
        if space and space not in seen:
            seen.add(space)
            found += _table(kernel.at(f"proc/{process}/mountinfo"), int(process))
    return found


def _space(kernel: Kernel, process: str) -> str:
    try:
        return os.readlink(kernel.at(f"proc/{process}/ns/mnt"))
    except OSError:
        return ""


def _table(path: str, pid: int) -> Iterator[Mount]:
    for line in text(path).splitlines():
        words = line.split(" ")
        if "-" in words[6:] and len(words) > (mark := words.index("-", 6)) + 2:
            kind, source, options = [*words[mark + 1 :], ""][:3]
            root = unescaped(words[3])
            yield Mount(words[2], unescaped(words[4]), kind, unescaped(source), pid, root, options, words[0])


def layers(mount: Mount) -> list[str]:
    """Return the folders that an overlay is made of as they were given, the upper one first; [] for others."""
    if mount.kind != "overlay":
        return []
    given = re.findall(r"(?:^|,)(upperdir|lowerdir\+?|datadir\+?)=((?:[^,\\]|\\.)*)", mount.options)
    upper = [value for key, value in given if key == "upperdir"]
    lower = [place for key, value in given if key != "upperdir" for place in re.split(r"(?<!\\):+", value)]
    return [re.sub(r"\\(?![0-7]{3})(.)", r"\1", unescaped(place)) for place in (*upper, *lower) if place]


def swaps(kernel: Kernel) -> list[str]:
    """Paths of the nodes and files in use as swap."""
    return [unescaped(line.split()[0]) for line in text(kernel.at("proc/swaps")).splitlines()[1:] if line.strip()]


def unescaped(word: str) -> str:
    r"""A path as the kernel prints it, without its `\040` and the mark of a node that was removed."""
    if "\\" not in word:
        return word.removesuffix(" (deleted)")
    return re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), word).removesuffix(" (deleted)")


def of_path(kernel: Kernel, path: str, table: list[Mount] | None = None) -> Mount | None:
    """Return the mount of our namespace that a path lies in; None where it is not in sight, as in a chroot.

    The kernel names the mount of an open file. Only a kernel that does not is asked by names. `table` are our own
    mounts, if the caller has them.
    """
    known, real = own(kernel) if table is None else table, os.path.realpath(path)
    if number := _mount_id(kernel, real):
        return next((mount for mount in known if mount.id == number and not mount.pid), None)
    return holding(known, real)


def _mount_id(kernel: Kernel, real: str) -> str:
    try:
        fd = os.open(real, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    except (OSError, ValueError):
        return ""
    try:
        return text(kernel.at(f"proc/self/fdinfo/{fd}")).partition("mnt_id:")[2].partition("\n")[0].strip()
    finally:
        os.close(fd)


def holding(table: list[Mount], real: str) -> Mount | None:
    """Return the mount of a table that a path without links lies in, by its name."""
    over = [m for m in table if m.point == real or real.startswith(m.point.rstrip("/") + "/")]
    return max(reversed(over), key=lambda m: len(m.point), default=None)


def inner(mount: Mount, path: str) -> str:
    """Return the path of a file from the root of its file system, which a bind mount may show a folder of."""
    return os.path.normpath(f"/{mount.root}/{os.path.relpath(path, mount.point)}".replace("//", "/"))


def disks_below(kernel: Kernel, path: str, table: list[Mount] | None = None) -> set[str]:
    """Every whole disk that a path (or its nearest parent that exists) lies on, also through loop devices.

    `table` is as for `of_path`.
    """
    known = own(kernel) if table is None else table
    place = Path(path).absolute()
    while not place.exists() and place != place.parent:
        place = place.parent
    there, mount = os.stat(place), of_path(kernel, str(place), known)
    if mount and mount.kind == "overlay":
        lower = [folder for folder in layers(mount) if os.path.isabs(folder) and os.path.exists(folder)]
        return {disk for folder in lower for disk in disks_below(kernel, folder, known)}
    node = kernel.node_of(there.st_rdev if stat.S_ISBLK(there.st_mode) else there.st_dev) or _source(kernel, mount)
    return _under(kernel, node, known) if node else set()


def _source(kernel: Kernel, mount: Mount | None) -> str:
    """The node of a file system whose device number is no drive's (btrfs)."""
    there = kernel.there(mount.source) if mount and mount.source.startswith("/") else None
    return kernel.node_of(there.st_rdev) if there and stat.S_ISBLK(there.st_mode) else ""


def _under(kernel: Kernel, node: str, table: list[Mount]) -> set[str]:
    found: set[str] = set()
    for disk in {d for member in _members(kernel, node) for d in kernel.disks(member)}:
        backing = kernel.backing_words(disk)
        found |= {disk} | (disks_below(kernel, backing, table) if backing else set())
    return found


def _members(kernel: Kernel, node: str) -> list[str]:
    """The nodes of the mounted btrfs that a node is one of; the node alone otherwise."""
    for member in (kernel.sys / "fs/btrfs").glob(f"*/devices/{node}"):
        return [p.name for p in member.parent.glob("*")]
    return [node]
