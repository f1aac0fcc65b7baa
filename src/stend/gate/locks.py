"""Locks and leases of others on a file, by /proc/locks: virtual machines, file servers, databases. Reads only."""

import os
from collections.abc import Iterator

from stend.base.sysfs import HOST, Kernel, text
from stend.gate import mounts, processes, stack
from stend.gate.mounts import Mount
from stend.gate.stack import Layer
from stend.gate.use import Use

TELLS = "`lslocks` tells more; end that first"


def of_file(kernel: Kernel, layer: Layer, table: list[Mount] | None = None) -> Use | None:
    """A lock on a file by somebody else. Whole-file locks (flock) of the target itself are asked for at its opening."""
    for words in _told(kernel, layer, table):
        if words[1] != "->" and (layer.words or words[1] != "FLOCK"):
            pid = int(words[4])
            if not processes.ours(kernel, pid):
                return Use(f"is locked {_who(kernel, pid)}", TELLS)
    return None


def leased(path: str, kernel: Kernel = HOST) -> str:
    """Whether a server has leased a file so that even a look at it would end the lease, in words that follow its name.

    To be asked before the file is opened the first time.
    """
    for words in _told(kernel, stack.of_path(kernel, path)):
        if words[1] in ("LEASE", "DELEG") and words[3] == "WRITE":
            return str(Use(f"is leased for writing {_who(kernel, int(words[4]))}", TELLS))
    return ""


def _told(kernel: Kernel, layer: Layer, table: list[Mount] | None = None) -> Iterator[list[str]]:
    """The lines of a file in /proc/locks, in words."""
    places = _places(kernel, layer, table)
    for words in map(str.split, text(kernel.at("proc/locks")).splitlines()):
        if len(words) > 5 and words[5] in places:
            yield words


def _who(kernel: Kernel, pid: int) -> str:
    name = text(kernel.proc / str(pid) / "comm")
    return f"by {name} (process {pid})" if name else "by another program"


def _places(kernel: Kernel, layer: Layer, table: list[Mount] | None) -> set[str]:
    """What /proc/locks calls the file: by its file system's number, which on btrfs is the mount's and not stat's.

    In a chroot the mount may not be in sight; stat is always.
    """
    device, inode = layer.file
    mount = mounts.of_path(kernel, layer.path, table)
    numbers = [(os.major(device), os.minor(device))]
    if mount:
        major, _, minor = mount.number.partition(":")
        numbers.append((int(major), int(minor)))
    return {f"{major:02x}:{minor:02x}:{inode}" for major, minor in numbers}
