"""Find locks and leases on a file by /proc/locks: of virtual machines, file servers, databases. Reads only."""

import os
from collections.abc import Iterator

from stend.base.sysfs import HOST, Kernel, text
from stend.gate import mounts, processes, stack
from stend.gate.mounts import Mount
from stend.gate.stack import Layer
from stend.gate.use import Use
from stend.words import Sentence


def of_file(kernel: Kernel, layer: Layer, table: list[Mount] | None = None) -> Use | None:
    """Return a lock on a file by another process, except whole-file locks (flock) of the target, tried on opening."""
    for words in _entries(kernel, layer, table):
        if words[1] != "->" and (layer.words or words[1] != "FLOCK"):
            pid = int(words[4])
            if not processes.ours(kernel, pid):
                return _by("gate_locked", kernel, pid)
    return None


def leased(path: str, kernel: Kernel = HOST) -> str:
    """Return the use of a file by a server's write lease, in words that follow its name, or an empty string.

    Call it before the file is opened for the first time, because even opening it would end the lease.
    """
    for words in _entries(kernel, stack.of_path(kernel, path)):
        if words[1] in ("LEASE", "DELEG") and words[3] == "WRITE":
            return str(_by("gate_leased", kernel, int(words[4])))
    return ""


def _entries(kernel: Kernel, layer: Layer, table: list[Mount] | None = None) -> Iterator[list[str]]:
    """Yield the lines of /proc/locks about a file, each split into words."""
    places = _places(kernel, layer, table)
    for words in map(str.split, text(kernel.at("proc/locks")).splitlines()):
        if len(words) > 5 and words[5] in places:
            yield words


def _by(key: str, kernel: Kernel, pid: int) -> Use:
    name = text(kernel.proc / str(pid) / "comm")
    what = Sentence(key, program=name, pid=pid) if name else Sentence(f"{key}_unknown")
    return Use(what, Sentence("gate_lock_way"))


def _places(kernel: Kernel, layer: Layer, table: list[Mount] | None) -> set[str]:
    """Return the names of the file in /proc/locks: `major:minor:inode`.

    The number is that of the file system, which on btrfs is the mount's and not stat's. Stat's number is included too,
    because in a chroot the mount may not be visible.
    """
    device, inode = layer.file
    mount = mounts.of_path(kernel, layer.path, table)
    numbers = [(os.major(device), os.minor(device))]
    if mount:
        major, _, minor = mount.number.partition(":")
        numbers.append((int(major), int(minor)))
    return {f"{major:02x}:{minor:02x}:{inode}" for major, minor in numbers}
