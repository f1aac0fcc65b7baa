"""Read mounts and swaps of every readable mount namespace, and find the disks below a path. Reads only."""

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from stend.base.sysfs import Kernel, text
from stend.words import Sentence

REMOTE = ("nfs", "nfs4", "cifs", "smb3", "ceph", "9p", "virtiofs", "autofs", "fuse")
"""File systems where looking up a file may wait forever for a server. No drive of this host is a file there."""


class Mount(NamedTuple):
    """One line of a mountinfo. `pid` is a process of its mount namespace, 0 for the namespace of this process.

    `root` is the part of the file system that is mounted: `/`, or a folder or file of it (a bind mount). `options` are
    those of the file system. `id` is the kernel's number of the mount.
    """

    number: str
    point: str
    kind: str
    source: str
    pid: int = 0
    root: str = "/"
    options: str = ""
    id: str = ""

    @property
    def place(self) -> str:
        """Return where it is mounted, in words."""
        return Sentence("gate_elsewhere", point=self.point, pid=self.pid) if self.pid else self.point


def is_remote(mount: Mount) -> bool:
    """Return True if looking up files in this mount may block."""
    return mount.kind.partition(".")[0] in REMOTE


def of_this_process(kernel: Kernel) -> list[Mount]:
    """Return the mounts of this process's namespace, in the order they were made."""
    return list(_table(kernel.at("proc/self/mountinfo"), 0))


def all_namespaces(kernel: Kernel) -> list[Mount]:
    """Return the mounts of this process's namespace, then those of every other readable process's namespace."""
    table, spaces = of_this_process(kernel), {_space(kernel, "self")}
    for process in kernel.processes():
        space = _space(kernel, process)
        if space and space not in spaces:
            spaces.add(space)
            table += _table(kernel.at(f"proc/{process}/mountinfo"), int(process))
    return table


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
    """Return the folders that an overlay is made of as they were given, the upper one first, or [] for others."""
    if mount.kind != "overlay":
        return []
    given = re.findall(r"(?:^|,)(upperdir|lowerdir\+?|datadir\+?)=((?:[^,\\]|\\.)*)", mount.options)
    upper = [value for key, value in given if key == "upperdir"]
    lower = [place for key, value in given if key != "upperdir" for place in re.split(r"(?<!\\):+", value)]
    return [re.sub(r"\\(?![0-7]{3})(.)", r"\1", unescaped(place)) for place in (*upper, *lower) if place]


def swaps(kernel: Kernel) -> list[str]:
    """Return the paths of the nodes and files in use as swap."""
    return [unescaped(line.split()[0]) for line in text(kernel.at("proc/swaps")).splitlines()[1:] if line.strip()]


def unescaped(word: str) -> str:
    r"""Return a path that the kernel printed, with octal escapes (`\040`) decoded and ` (deleted)` removed."""
    if "\\" not in word:
        return word.removesuffix(" (deleted)")
    return re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), word).removesuffix(" (deleted)")


def of_path(kernel: Kernel, path: str, table: list[Mount] | None = None) -> Mount | None:
    """Return the mount of this process's namespace that holds a path, or None if it is not visible, as in a chroot.

    The kernel reports the mount of an open file. On a kernel that does not, the mount is found by its name. `table` are
    the mounts of this process, if the caller has them.
    """
    known, real = of_this_process(kernel) if table is None else table, os.path.realpath(path)
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
    """Return the mount of a table that holds a path without links, by its name."""
    over = [m for m in table if m.point == real or real.startswith(m.point.rstrip("/") + "/")]
    return max(reversed(over), key=lambda m: len(m.point), default=None)


def inner(mount: Mount, path: str) -> str:
    """Return the path of a file from the root of its file system, which a bind mount may show a folder of."""
    return os.path.normpath(f"/{mount.root}/{os.path.relpath(path, mount.point)}".replace("//", "/"))


def disks_below(kernel: Kernel, path: str, table: list[Mount] | None = None) -> set[str]:
    """Return the whole disks that store a path (or its nearest existing parent), also through loop devices.

    `table` are the mounts of this process, if the caller has them.
    """
    known = of_this_process(kernel) if table is None else table
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
    """Return the node of a file system whose device number is not that of a drive (btrfs)."""
    there = kernel.there(mount.source) if mount and mount.source.startswith("/") else None
    return kernel.node_of(there.st_rdev) if there and stat.S_ISBLK(there.st_mode) else ""


def _under(kernel: Kernel, node: str, table: list[Mount]) -> set[str]:
    disks: set[str] = set()
    for disk in {d for member in _members(kernel, node) for d in kernel.disks(member)}:
        backing = kernel.backing_words(disk)
        disks |= {disk} | (disks_below(kernel, backing, table) if backing else set())
    return disks


def _members(kernel: Kernel, node: str) -> list[str]:
    """Return all nodes of the mounted btrfs that a node belongs to, or only the node if it belongs to none."""
    for member in (kernel.sys / "fs/btrfs").glob(f"*/devices/{node}"):
        return [p.name for p in member.parent.glob("*")]
    return [node]
