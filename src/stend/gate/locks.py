"""Locks and leases of others on a file, by /proc/locks: virtual machines, file servers, databases. Reads only."""

import os

from stend.gate import mounts, processes
from stend.gate.stack import Layer
from stend.gate.use import Use
from stend.kernel import Kernel, text


def of_file(kernel: Kernel, layer: Layer) -> Use | None:
    """A lock on a file by somebody else. Whole-file locks (flock) of the target itself are asked for at its opening."""
    places = _places(kernel, layer)
    for line in text(kernel.proc / "locks").splitlines():
        words = line.split()
        if len(words) > 5 and words[1] != "->" and words[5] in places and (layer.words or words[1] != "FLOCK"):
            pid = int(words[4])
            if not processes.ours(kernel, pid):
                name = text(kernel.proc / str(pid) / "comm")
                who = f"by {name} (process {pid})" if name else "by another program"
                return Use(f"is locked {who}", "`lslocks` tells more; end that first")
    return None


def _places(kernel: Kernel, layer: Layer) -> set[str]:
    """What /proc/locks calls the file: by its file system's number, which on btrfs is the mount's and not stat's.

    In a chroot the mount may not be in sight; stat is always.
    """
    device, inode = layer.file
    mount = mounts.of_path(kernel, layer.path)
    numbers = [(os.major(device), os.minor(device))]
    if mount:
        major, _, minor = mount.number.partition(":")
        numbers.append((int(major), int(minor)))
    return {f"{major:02x}:{minor:02x}:{inode}" for major, minor in numbers}
