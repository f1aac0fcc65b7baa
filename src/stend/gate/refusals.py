"""Why a drive or a file must not be written now, in words that follow its name. Reads only."""

import array
import fcntl
import os
import stat

from stend.gate import mounts, writers
from stend.gate.uses import Uses
from stend.kernel import HOST, Kernel, text

SYSTEM = ("/", "/boot", "/boot/efi", "/usr", "/var", "/home")
WITHOUT_A_DRIVE = ("tmpfs", "ramfs", "overlay", "btrfs", "zfs", "bcachefs", "ubifs", "9p", "virtiofs", "fuse")
REMOTE = ("nfs", "nfs4", "cifs", "smb3", "ceph", "lustre", "afs")
"""File systems that hold data though the kernel says they need no drive; proc, sysfs, efivarfs and the like do not."""

FS_IOC_GETFLAGS = 0x80086601
IMMUTABLE, APPEND_ONLY = 0x10, 0x20


def refusal(path: str, keep_off: tuple[str, ...] = (), kernel: Kernel = HOST, uses: Uses | None = None) -> str:
    """Why this must not be written now, with the way out; empty if nothing speaks against it."""
    there = os.stat(path)
    uses = uses or Uses(kernel)
    if stat.S_ISBLK(there.st_mode):
        return _of_drive(path, kernel.node_of(there.st_rdev), keep_off, uses)
    return _of_file(path, there, keep_off, uses)


def _of_drive(path: str, node: str, keep_off: tuple[str, ...], uses: Uses) -> str:
    kernel = uses.kernel
    if not node:
        return "is a node without a drive; `stend devices` lists the drives there are"
    if carried := _carries(node, keep_off, kernel):  # before its mounts: nobody should be told to unmount /
        return carried
    if used := uses.of_drive(node):
        return str(used)
    if not kernel.size_bytes(node):
        return "has no size; set it up first"
    if kernel.read_only(node):
        return f"is read-only; `blockdev --setrw {path}` first, if it may be written"
    return str(writers.of_drive(kernel, node) or "")


def _carries(node: str, keep_off: tuple[str, ...], kernel: Kernel) -> str:
    """Whether the system or the run folder lives on the disks that the target is on."""
    own = kernel.disks(node)
    for place in (*SYSTEM, *keep_off):
        if shared := own & mounts.disks_below(kernel, place):
            where = "carries" if node in shared else f"lies on {min(shared)}, which carries"
            if place in keep_off:
                return f"{where} {place}; choose a run folder on another disk"
            return f"{where} {place} of this system; choose another drive"
    return ""


def _of_file(path: str, there: os.stat_result, keep_off: tuple[str, ...], uses: Uses) -> str:
    real = os.path.realpath(path)
    for place in map(os.path.realpath, keep_off):
        if real == place or real.startswith(place + "/"):
            return f"lies in the run folder {place}; choose another place for one of them"
    return (
        _unfit(real, there, uses.kernel)
        or str(uses.of_file(there) or "")
        or _forbidden(real, there)
        or str(writers.of_file(uses.kernel, real) or "")
    )


def _unfit(path: str, there: os.stat_result, kernel: Kernel) -> str:
    """What makes it no file that can stand in for a drive."""
    if not stat.S_ISREG(there.st_mode):
        return "is no regular file any more; choose another"
    if not there.st_size:
        return "is empty; remove it and make one with --create 1GiB"
    mount = mounts.of_path(kernel, path)
    if mount and mount.kind in _pseudo(kernel):
        return f"lies in {mount.kind} at {mount.point}, which holds no data of yours; choose a file on a drive"
    if there.st_nlink > 1:
        return "has other names (hard links); `cp` it to a file of its own"
    return ""


def _pseudo(kernel: Kernel) -> set[str]:
    """File systems of this kernel that are a way to speak to it, not to hold data."""
    lines = (line.split() for line in text(kernel.proc / "filesystems").splitlines())
    return {words[-1] for words in lines if words[0] == "nodev"} - set(WITHOUT_A_DRIVE) - set(REMOTE)


def _forbidden(path: str, there: os.stat_result) -> str:
    """Who or what forbids to write it; root could all the same, so it is asked here."""
    if not there.st_mode & 0o222:
        return f"is write-protected; `chmod u+w {path}` first, if it may be overwritten"
    flags = _flags(path)
    if flags & (IMMUTABLE | APPEND_ONLY):
        kind, letter = ("immutable", "i") if flags & IMMUTABLE else ("append-only", "a")
        return f"is {kind}; `chattr -{letter} {path}` first, if it may be overwritten"
    if not os.access(path, os.W_OK):
        return "cannot be written by this user; become its owner, or make another with --create 1GiB"
    return ""


def _flags(path: str) -> int:
    flags = array.array("l", [0])
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            fcntl.ioctl(fd, FS_IOC_GETFLAGS, flags, True)
        finally:
            os.close(fd)
    except OSError:
        return 0  # a file system without such flags
    return flags[0]
