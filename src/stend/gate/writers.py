"""Programs that have a drive or a file open for writing, none of them ours. Reads only.

O_EXCL does not tell of them: virtual machines, databases on raw drives and `dd` open a drive without it.
"""

import os
import stat
from collections.abc import Callable
from pathlib import Path

from stend.gate import mounts
from stend.gate.uses import Use
from stend.kernel import Kernel, text

REMOTE = ("nfs", "nfs4", "cifs", "smb3", "ceph", "9p", "virtiofs", "autofs", "fuse")
"""File systems where asking after a file may wait for a server for ever; no drive of this host is a file there."""


def of_drive(kernel: Kernel, node: str) -> Use | None:
    """A program that writes to a drive, one of its partitions, or the disk that a partition is a part of."""
    nodes = filter(None, (node, kernel.parent(node), *kernel.partitions(node)))
    numbers = {kernel.number(n) for n in nodes}
    remote = tuple(m.point.rstrip("/") + "/" for m in mounts.own(kernel) if m.kind.partition(".")[0] in REMOTE)

    def leads_there(path: str, fd: Path) -> bool:
        if path.startswith(remote):
            return False
        there = os.stat(fd)
        return stat.S_ISBLK(there.st_mode) and f"{os.major(there.st_rdev)}:{os.minor(there.st_rdev)}" in numbers

    return _first(kernel, leads_there)


def of_file(kernel: Kernel, real_path: str) -> Use | None:
    """A program that writes to a file."""
    own, name = os.stat(real_path), Path(real_path).name

    def leads_there(path: str, fd: Path) -> bool:
        return Path(path).name == name and os.path.samestat(os.stat(fd), own)

    return _first(kernel, leads_there)


def _first(kernel: Kernel, leads_there: Callable[[str, Path], bool]) -> Use | None:
    for fd in kernel.proc.glob("[0-9]*/fd/*"):
        try:
            path = os.readlink(fd)
            if not path.startswith("/") or not _writes(fd) or not leads_there(path, fd):
                continue
        except OSError:
            continue  # closed meanwhile, or not ours to look at
        pid = int(fd.parent.parent.name)
        if not _ours(kernel, pid):
            name = text(kernel.proc / str(pid) / "comm")
            return Use(f"is open for writing in {name} (process {pid})", "end that first")
    return None


def _writes(fd: Path) -> bool:
    """Whether a descriptor can write, by its flags in fdinfo."""
    for line in text(fd.parent.parent / "fdinfo" / fd.name).splitlines():
        if line.startswith("flags:"):
            flags = int(line.split()[1], 8)
            return flags & os.O_ACCMODE != os.O_RDONLY and not flags & os.O_PATH
    return False


def _ours(kernel: Kernel, pid: int) -> bool:
    """Whether a process is this one or descends from it: the load, which writes because we told it to."""
    while pid > 1:
        if pid == os.getpid():
            return True
        words = text(kernel.proc / str(pid) / "stat").rpartition(")")[2].split()
        pid = int(words[1]) if len(words) > 1 else 0
    return False
