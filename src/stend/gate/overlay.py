"""Find the files below an overlay by device and inode, not only by the names of its folders. Reads only.

The kernel prints the folders of an overlay as they were given to mount. Such a name may be relative, and the folder may
since have been renamed, or hidden by another mount. But an overlay shows its files with the times and size of the real
ones, to the nanosecond. Therefore a name counts only if these agree. A file that no name leads to is searched for in
the overlay.
"""

import os
import stat
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from stend.base.sysfs import Kernel
from stend.gate import mounts
from stend.gate.mounts import Mount
from stend.gate.use import Use, first
from stend.words import Sentence

File = tuple[int, int]
"""The (device, inode) of a file, as stat returns them."""


class Real(NamedTuple):
    """A real file below an overlay. If it is not `upper`, a write first copies it to the upper folder."""

    path: str
    file: File
    upper: bool


def real(kernel: Kernel, path: str, mount: Mount) -> Real | None:
    """Return the real file of one that an overlay shows, or None where it cannot be resolved."""
    shown, inner = kernel.there(path), mounts.inner(mount, path)
    for place, folder in enumerate(mounts.layers(mount)):
        name = os.path.normpath(f"{folder}/{inner}")
        there = kernel.there(name) if os.path.isabs(folder) else None
        if shown and there and _is_same(shown, there):
            return Real(name, (there.st_dev, there.st_ino), place == 0 and ",upperdir=" in f",{mount.options}")
    return None


def part(kernel: Kernel, table: list[Mount], path: str, there: os.stat_result, via: frozenset[str]) -> Use | None:
    """Return the use of a file as a part of an overlay other than those of the numbers `via`, or None."""
    above = {(folder.st_dev, folder.st_ino) for folder in _above(path)}
    for mount in _others(kernel, table, path, via):
        known = {(folder.st_dev, folder.st_ino) for folder in _resolved(kernel, table, mount) if folder}
        if above & known or any(_shows(kernel, table, other, path, there) for other in _same(table, mount)):
            return Use(Sentence("gate_overlay", place=mount.place), first(f"umount {mount.point}"))
    return None


def unresolved(kernel: Kernel, table: list[Mount], path: str, there: os.stat_result, via: frozenset[str]) -> str:
    """Return which overlay a file may be a part of, with the folder that cannot be resolved, or an empty string.

    A container cannot see the folders of its root. There it is enough that the overlay does not show the file.
    """
    for mount in _others(kernel, table, path, via):
        folders = dict(zip(mounts.layers(mount), _resolved(kernel, table, mount), strict=True))
        lost = [name for name, found in folders.items() if found is None and not _closed(name)]
        outside = mount.point == mount.root == "/" and len(lost) == len(folders) and all(map(os.path.isabs, lost))
        if lost and not (outside and _shows(kernel, table, mount, path, there) is False):
            command = f"`umount {mount.point}`"
            return Sentence("gate_overlay_unresolved", place=mount.place, folder=lost[0], command=command)
    return ""


def _others(kernel: Kernel, table: list[Mount], path: str, via: frozenset[str]) -> list[Mount]:
    """Return the first mount of every overlay except those of `via` and the one that holds the file itself."""
    mount = mounts.of_path(kernel, path, table)
    passed = via | {mount.number if mount else ""}
    overlays = [entry for entry in reversed(table) if entry.kind == "overlay" and entry.number not in passed]
    return list({entry.number: entry for entry in overlays}.values())


def _same(table: list[Mount], mount: Mount) -> Iterator[Mount]:
    """Yield all mounts of the same file system."""
    return (other for other in table if other.number == mount.number)


def _resolved(kernel: Kernel, table: list[Mount], mount: Mount) -> list[os.stat_result | None]:
    """Return the folders of an overlay in order, None for each whose name leads to nothing or to another folder."""
    folders: list[os.stat_result | None] = []
    for place, name in enumerate(mounts.layers(mount)):
        spaces = dict.fromkeys((0, *(other.pid for other in _same(table, mount)))) if os.path.isabs(name) else ()
        looks = (_at(kernel, pid, name) for pid in spaces)
        fits = (folder for folder in looks if folder and stat.S_ISDIR(folder.st_mode))
        folders.append(next((folder for folder in fits if place or _is_top(kernel, table, mount, folder)), None))
    return folders


def _is_top(kernel: Kernel, table: list[Mount], mount: Mount, folder: os.stat_result) -> bool:
    """Return True if a folder is the first one of an overlay, whose root shows its times."""
    roots = (other for other in _same(table, mount) if other.root == "/" and _visible(table, other, other.point))
    looks = (_at(kernel, root.pid, root.point) for root in roots)
    inside = (
        there for there in looks if there and f"{os.major(there.st_dev)}:{os.minor(there.st_dev)}" == mount.number
    )
    return any(_is_same(there, folder) for there in inside)


def _shows(kernel: Kernel, table: list[Mount], mount: Mount, path: str, there: os.stat_result) -> bool | None:
    """Return whether a mount of an overlay shows this very file at any place, or None if another mount covers a place.

    The folder of the overlay is one of those above the file. Therefore the file has the end of its path there.
    """
    of_file, covered = mounts.of_path(kernel, path, table), mount.root != "/"
    words = (mounts.inner(of_file, path) if of_file else path).split("/")
    for start in range(1, len(words)):
        shown = os.path.join("/", *words[start:])
        if mount.root != "/" and not shown.startswith(mount.root + "/"):
            continue
        point = os.path.normpath(f"{mount.point}/{shown.removeprefix(mount.root.rstrip('/'))}")
        if not _visible(table, mount, point):
            covered = True
        elif (found := _at(kernel, mount.pid, point)) and _is_same(found, there):
            return True
    return None if covered else False


def _visible(table: list[Mount], mount: Mount, path: str) -> bool:
    """Return True if a path of the mount's namespace leads into that overlay, and not into a mount that covers it."""
    holding = mounts.holding([other for other in table if other.pid == mount.pid], path)
    return holding is not None and holding.number == mount.number


def _closed(name: str) -> bool:
    """Return True if this user may not enter a folder, so that no file that the user names by its folders is in it."""
    try:
        os.stat(name)
    except PermissionError:
        return os.path.isabs(name)
    except (OSError, ValueError):
        return False
    return False


def _at(kernel: Kernel, pid: int, path: str) -> os.stat_result | None:
    return kernel.there(f"/proc/{pid}/root{path}" if pid else path)


def _is_same(shown: os.stat_result, real: os.stat_result) -> bool:
    """Return True if two stats are of the same file or folder, through an overlay and directly."""
    times = (shown.st_mode, shown.st_mtime_ns, shown.st_ctime_ns) == (real.st_mode, real.st_mtime_ns, real.st_ctime_ns)
    return times and (stat.S_ISDIR(shown.st_mode) or shown.st_size == real.st_size)


def _above(path: str) -> Iterable[os.stat_result]:
    """Yield the stats of the folders above a file."""
    try:
        while path != "/":
            path = os.path.dirname(path)
            yield os.stat(path)
    except (OSError, ValueError):
        return
