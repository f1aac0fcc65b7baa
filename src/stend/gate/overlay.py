"""The files below an overlay, found by device and inode and not by the names of its folders alone. Reads only.

The kernel prints the folders of an overlay as they were given to mount. Such a name may be relative, and the folder may
since have been renamed, or hidden by another mount. But an overlay shows its files with the times and size of the real
ones, to the nanosecond. So a name counts only where these agree; what no name leads to is searched for in the overlay.
"""

import os
import stat
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from stend.base.sysfs import Kernel
from stend.gate import mounts
from stend.gate.mounts import Mount
from stend.gate.use import Use

File = tuple[int, int]
"""Which file: (device, inode) as stat tells them."""


class Real(NamedTuple):
    """A real file below an overlay; a file that is not `upper` is copied to the upper folder when it is written."""

    path: str
    file: File
    upper: bool


def real(kernel: Kernel, path: str, mount: Mount) -> Real | None:
    """Return the real file of one that an overlay shows; None where it cannot be resolved."""
    shown, inner = kernel.there(path), mounts.inner(mount, path)
    for place, folder in enumerate(mounts.layers(mount)):
        found = os.path.normpath(f"{folder}/{inner}")
        there = kernel.there(found) if os.path.isabs(folder) else None
        if shown and there and _alike(shown, there):
            return Real(found, (there.st_dev, there.st_ino), place == 0 and _has_upper(mount))
    return None


def part(kernel: Kernel, table: list[Mount], path: str, there: os.stat_result, via: frozenset[str]) -> Use | None:
    """Return the use of a file as a part of an overlay other than those of the numbers `via`; None if it is no part."""
    above = {(one.st_dev, one.st_ino) for one in _above(path)}
    for mount in _others(kernel, table, path, via):
        known = {(one.st_dev, one.st_ino) for one in _resolved(kernel, table, mount) if one}
        if above & known or any(_shows(kernel, table, one, path, there) for one in _same(table, mount)):
            return Use(f"is a part of the overlay at {_where(mount)}", f"`umount {mount.point}` first")
    return None


def unresolved(kernel: Kernel, table: list[Mount], path: str, there: os.stat_result, via: frozenset[str]) -> str:
    """Return which overlay a file may be a part of, with the folder that cannot be resolved; empty if there is none.

    The folders of a container's root are out of its sight. There it is enough that the overlay does not show the file.
    """
    for mount in _others(kernel, table, path, via):
        folders = dict(zip(mounts.layers(mount), _resolved(kernel, table, mount), strict=True))
        lost = [name for name, found in folders.items() if found is None and not _closed(name)]
        outside = mount.point == mount.root == "/" and len(lost) == len(folders) and all(map(os.path.isabs, lost))
        if lost and not (outside and _shows(kernel, table, mount, path, there) is False):
            words = f"may be a part of the overlay at {_where(mount)}, whose folder {lost[0]} cannot be resolved"
            return f"{words}; `umount {mount.point}` first, or choose a drive"
    return ""


def _others(kernel: Kernel, table: list[Mount], path: str, via: frozenset[str]) -> list[Mount]:
    """Return the first mount of every overlay but those of `via` and the one that the file itself lies in."""
    mount = mounts.of_path(kernel, path, table)
    passed = via | {mount.number if mount else ""}
    found = {one.number: one for one in reversed(table) if one.kind == "overlay" and one.number not in passed}
    return list(found.values())


def _same(table: list[Mount], mount: Mount) -> Iterator[Mount]:
    return (one for one in table if one.number == mount.number)


def _where(mount: Mount) -> str:
    return f"{mount.point}{f' in another mount namespace (of process {mount.pid})' if mount.pid else ''}"


def _resolved(kernel: Kernel, table: list[Mount], mount: Mount) -> list[os.stat_result | None]:
    """Return the folders of an overlay in order, None for each whose name leads to nothing or to another folder."""
    found: list[os.stat_result | None] = []
    for place, name in enumerate(mounts.layers(mount)):
        spaces = dict.fromkeys((0, *(one.pid for one in _same(table, mount)))) if os.path.isabs(name) else ()
        seen = (_at(kernel, pid, name) for pid in spaces)
        fits = (one for one in seen if one and stat.S_ISDIR(one.st_mode))
        found.append(next((one for one in fits if place or _is_top(kernel, table, mount, one)), None))
    return found


def _is_top(kernel: Kernel, table: list[Mount], mount: Mount, folder: os.stat_result) -> bool:
    """Return whether a folder is the first one of an overlay, whose root has its times."""
    roots = (one for one in _same(table, mount) if one.root == "/" and _visible(table, one, one.point))
    seen = (_at(kernel, one.pid, one.point) for one in roots)
    return any(there and _number(there) == mount.number and _alike(there, folder) for there in seen)


def _shows(kernel: Kernel, table: list[Mount], mount: Mount, path: str, there: os.stat_result) -> bool | None:
    """Return whether a mount of an overlay shows this very file at any place; None where another mount covers one.

    The folder of the overlay is one of those above the file, so the file has the end of its path there.
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
        elif (found := _at(kernel, mount.pid, point)) and _alike(found, there):
            return True
    return None if covered else False


def _visible(table: list[Mount], mount: Mount, path: str) -> bool:
    """Return whether a path of the mount's namespace leads into that overlay, and not into a mount that covers it."""
    holding = mounts.holding([one for one in table if one.pid == mount.pid], path)
    return holding is not None and holding.number == mount.number


def _closed(name: str) -> bool:
    """Return whether this user may not enter a folder, so that no file that the user names by its folders is in it."""
    try:
        os.stat(name)
    except PermissionError:
        return os.path.isabs(name)
    except (OSError, ValueError):
        return False
    return False


def _number(there: os.stat_result) -> str:
    return f"{os.major(there.st_dev)}:{os.minor(there.st_dev)}"


def _at(kernel: Kernel, pid: int, path: str) -> os.stat_result | None:
    return kernel.there(f"/proc/{pid}/root{path}" if pid else path)


def _alike(one: os.stat_result, other: os.stat_result) -> bool:
    """Return whether two looks are at the same file, directly and through an overlay."""
    times = (one.st_mode, one.st_mtime_ns, one.st_ctime_ns) == (other.st_mode, other.st_mtime_ns, other.st_ctime_ns)
    return times and (stat.S_ISDIR(one.st_mode) or one.st_size == other.st_size)


def _has_upper(mount: Mount) -> bool:
    return ",upperdir=" in f",{mount.options}"


def _above(path: str) -> Iterable[os.stat_result]:
    """Yield the folders that a file lies in, however they are called."""
    try:
        while path != "/":
            path = os.path.dirname(path)
            yield os.stat(path)
    except (OSError, ValueError):
        return
