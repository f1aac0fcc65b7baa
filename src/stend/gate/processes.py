"""Find other processes that use a drive or a file: that write to it, run from it, map it, or serve it as FUSE.

O_EXCL does not detect them: virtual machines, databases on raw drives and `dd` open a drive without it. Reads only.
"""

import os
import stat
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from stend.base.process import ENDING_S, SOON_S, over
from stend.base.sysfs import Kernel, entries, text
from stend.gate import mounts, partitions
from stend.gate.mounts import Mount
from stend.gate.overlay import File
from stend.gate.stack import Layer
from stend.gate.use import Use
from stend.words import Sentence

Link = tuple[str, str]
"""A link of /proc and its target."""


class Sought(NamedTuple):
    """Block nodes by number and files by (device, inode). Paths below `remote` are not looked up.

    `generic` are the character devices of these drives, by number.
    """

    numbers: frozenset[str]
    files: frozenset[File]
    remote: tuple[str, ...]
    generic: frozenset[str] = frozenset()

    def hit(self, path: str, link: str | Path) -> bool:
        """Return True if a link of /proc, whose target reads `path`, leads to one of them."""
        if not path.startswith("/") or path.startswith(self.remote):
            return False
        there = os.stat(link)
        number = f"{os.major(there.st_rdev)}:{os.minor(there.st_rdev)}"
        if stat.S_ISBLK(there.st_mode):
            return number in self.numbers
        if stat.S_ISCHR(there.st_mode):
            return number in self.generic
        return (there.st_dev, there.st_ino) in self.files


def users(kernel: Kernel, layers: Iterable[Layer], table: list[Mount] | None = None) -> Use | None:
    """Return the use of one of the layers by another process, or None if no process uses them.

    A layer is a file, or a node, which includes its partitions if it is `whole`. `table` are the mounts of this
    process, if the caller has them. A process that was killed gets ENDING_S to exit.
    """
    sought, until = _sought(kernel, layers, table), time.monotonic() + ENDING_S
    for number in kernel.processes():
        process = kernel.at(f"proc/{number}")
        while (key := _use(process, sought)) and not ours(kernel, int(number)):
            killed = _killed(process)
            if not killed or time.monotonic() > until:
                way = Sentence("gate_killed" if killed else "gate_end")
                return Use(Sentence(key, program=text(f"{process}/comm"), pid=number), way)
            time.sleep(SOON_S)
    return None


def _killed(process: str) -> bool:
    """Return True if all threads of a process are exiting, which may take as long as a drive takes to answer."""
    return all(over(text(f"{thread}/stat")) for thread in _paths(f"{process}/task"))


def ours_writing(kernel: Kernel, file: File) -> int:
    """Return how many descriptors of this process and its descendants have a file open for writing."""
    sought = Sought(frozenset(), frozenset({file}), _remote(kernel))
    family = (number for number in kernel.processes() if ours(kernel, int(number)))
    return sum(writes for number in family for writes in _writing(_read(kernel.at(f"proc/{number}/fd")), sought))


def read_by_any(kernel: Kernel, file: File) -> bool:
    """Return True if any process, including this one, has a file open without writing to it."""
    sought = Sought(frozenset(), frozenset({file}), _remote(kernel))
    folders = (kernel.at(f"proc/{number}/fd") for number in kernel.processes())
    return not all(writes for folder in folders for writes in _writing(_read(folder), sought))


def ours(kernel: Kernel, pid: int) -> bool:
    """Return True if a process is this one or descends from it, as the load does."""
    while pid:  # the first process of a namespace has a parent 0; stend is the first one in its container
        if pid == os.getpid():
            return True
        words = text(kernel.at(f"proc/{pid}/stat")).rpartition(")")[2].split()
        if not words:
            return False
        pid = int(words[1])
    return False


def _sought(kernel: Kernel, layers: Iterable[Layer], table: list[Mount] | None) -> Sought:
    numbers, files, generic = set(), set(), set()
    for layer in layers:
        if layer.node:
            generic |= {*kernel.generic(layer.node)}
            parts = [*kernel.partitions(layer.node), *partitions.within(kernel, layer.node)] if layer.whole else []
            numbers |= {kernel.number(node) for node in (layer.node, *parts)}
        else:
            files.add(layer.file)
    return Sought(frozenset(numbers - {""}), frozenset(files), _remote(kernel, table), frozenset(generic))


def _remote(kernel: Kernel, table: list[Mount] | None = None) -> tuple[str, ...]:
    known = mounts.of_this_process(kernel) if table is None else table
    return tuple(m.point.rstrip("/") + "/" for m in known if mounts.is_remote(m))


def _use(process: str, sought: Sought) -> str:
    """Return the key of a sentence on how a process uses any of them, or an empty string if it does not."""
    names = entries(f"{process}/fd")
    fds = _read(f"{process}/fd", names)
    held = list(_writing(fds, sought))
    if not names or not entries(f"{process}/fd"):  # its first thread has exited, perhaps just now
        held += _by_threads(process, sought)
    if any(held):
        return "gate_writing"
    if held and any(path == "/dev/fuse" for _, path in fds):
        return "gate_shown"
    if not held and any(_registered(fds, sought)):
        return "gate_registered"
    program = _read(process, ("exe",))
    if any(_links(program, sought)):
        return "gate_running"
    return "gate_mapped" if program and any(_mapped(process, sought)) else ""


def _by_threads(process: str, sought: Sought) -> list[bool]:
    """Apply `_writing` to all threads of a process. A kernel thread has no others and nothing open."""
    threads = _paths(f"{process}/task")
    return [writes for thread in threads[1:] and threads for writes in _writing(_read(f"{thread}/fd"), sought)]


def _writing(fds: list[Link], sought: Sought) -> Iterator[bool]:
    """Yield for each descriptor that leads to a sought file or node whether it can write. Skip closed descriptors."""
    return (writes for link in _links(fds, sought) if (writes := _writes(link)) is not None)


def _registered(fds: list[Link], sought: Sought) -> Iterator[bool]:
    """Yield True for each sought block node or generic device that is registered with an io_uring, by fdinfo.

    fdinfo does not show whether they are written. Writers of files are detected by a lease (`lease`).
    """
    for link in (link for link, path in fds if path == "anon_inode:[io_uring]"):
        registered = _fdinfo(link).partition("UserFiles:")[2].partition("UserBufs:")[0]
        for line in registered.splitlines()[1:]:
            path = mounts.unescaped(line.partition(":")[2].strip())
            try:
                yield sought.hit(path, path) and not os.path.isfile(path)
            except OSError:
                continue


def _links(links: Iterable[Link], sought: Sought) -> Iterator[str]:
    """Yield the links of /proc that lead to a sought file or node. Skip those that are closed or not readable."""
    for link, path in links:
        try:
            if sought.hit(path, link):
                yield link
        except OSError:
            continue


def _read(folder: str, names: Iterable[str] | None = None) -> list[Link]:
    """Return the links in a folder of /proc, or those of `names`, with their targets. Skip links that disappeared."""
    links = []
    for name in entries(folder) if names is None else names:
        link = f"{folder}/{name}"
        try:
            links.append((link, os.readlink(link)))
        except OSError:
            continue
    return links


def _paths(folder: str) -> list[str]:
    """Return the paths in a folder of /proc, or [] if it disappeared or is not readable."""
    return [f"{folder}/{name}" for name in entries(folder)]


def _mapped(process: str, sought: Sought) -> Iterator[str]:
    """Yield the mappings of a process that lead to a sought file or node.

    Only mappings that may do so by inode or path are followed, because a process may have thousands.
    """
    inodes = {str(inode) for _, inode in sought.files}
    table = text(f"{process}/maps")
    for line in table.splitlines() if any(word in table for word in ("/dev/", *inodes)) else ():
        words = line.split(None, 5)
        if len(words) == 6 and (words[4] in inodes or words[5].startswith("/dev/")):
            low, _, high = words[0].partition("-")
            yield from _links(_read(f"{process}/map_files", (f"{int(low, 16):x}-{int(high, 16):x}",)), sought)


def _fdinfo(fd: str) -> str:
    """Return the text of fdinfo for a descriptor."""
    folder, _, name = fd.rpartition("/")
    return text(f"{folder}info/{name}")


def _writes(fd: str) -> bool | None:
    """Return whether a descriptor can write, by its flags in fdinfo, or None if it was closed."""
    for line in _fdinfo(fd).splitlines():
        if line.startswith("flags:"):
            flags = int(line.split()[1], 8)
            return flags & os.O_ACCMODE != os.O_RDONLY and not flags & os.O_PATH
    return None
