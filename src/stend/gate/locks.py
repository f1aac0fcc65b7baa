"""Locks and leases of others on a file, by /proc/locks: virtual machines, file servers, databases. Reads only."""

from stend.gate import mounts, processes
from stend.gate.stack import Layer
from stend.gate.use import Use
from stend.kernel import Kernel, text


def of_file(kernel: Kernel, layer: Layer) -> Use | None:
    """A lock on a file by somebody else. Whole-file locks (flock) of the target itself are asked for at its opening."""
    mount = mounts.of_path(kernel, layer.path)
    if mount is None:
        return None
    major, _, minor = mount.number.partition(":")
    place = f"{int(major):02x}:{int(minor):02x}:{layer.file[1]}"
    for line in text(kernel.proc / "locks").splitlines():
        words = line.split()
        if len(words) > 5 and words[1] != "->" and words[5] == place and (layer.words or words[1] != "FLOCK"):
            pid = int(words[4])
            if not processes.ours(kernel, pid):
                name = text(kernel.proc / str(pid) / "comm")
                who = f"by {name} (process {pid})" if name else "by another program"
                return Use(f"is locked {who}", "`lslocks` tells more; end that first")
    return None
