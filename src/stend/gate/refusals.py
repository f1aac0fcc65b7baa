"""Why a drive or a file must not be written now, in words that follow its name. Reads only."""

import os
import stat
import time
from collections.abc import Iterator

from stend.gate import lease, locks, mounts, processes, swap
from stend.gate.stack import Layer
from stend.gate.use import Use
from stend.gate.uses import Uses, by_another_path
from stend.kernel import HOST, Kernel, answer_at, text
from stend.process import SOON_S

SYSTEM = ("/", "/boot", "/boot/efi", "/usr", "/var", "/home")
WITHOUT_A_DRIVE = ("tmpfs", "ramfs", "overlay", "btrfs", "zfs", "bcachefs", "ubifs", "9p", "virtiofs", "fuse")
REMOTE = ("nfs", "nfs4", "cifs", "smb3", "ceph", "lustre", "afs")
"""File systems that hold data though the kernel says they need no drive; proc, sysfs, efivarfs and the like do not."""

FS_IOC_GETFLAGS = 0x80086601
IMMUTABLE, APPEND_ONLY = 0x10, 0x20
GONE_S = 1.0
"""How long a writer that /proc does not tell may take to be gone."""


def refusal(
    path: str, keep_off: tuple[str, ...] = (), kernel: Kernel = HOST, uses: Uses | None = None, fd: int = -1
) -> str:
    """Why this must not be written now, with the way out; empty if nothing speaks against it.

    `fd` is our own descriptor that writes, once there is one.
    """
    uses = uses or Uses(kernel)
    layers = uses.layers(path)
    if near := _in_run_folder(layers, keep_off):
        return near
    if stat.S_ISBLK(os.stat(path).st_mode):
        return _of_drive(path, layers, keep_off, uses)
    return _of_file(layers, uses, fd)


def _of_drive(path: str, layers: list[Layer], keep_off: tuple[str, ...], uses: Uses) -> str:
    kernel, node = uses.kernel, layers[0].node
    if not node:
        return "is a node without a drive; `stend devices` lists the drives there are"
    if carried := _carries(layers, keep_off, uses):  # before its mounts: nobody should be told to unmount /
        return carried
    if used := uses.of(layers):
        return str(used)
    return _unready(path, node, kernel) or str(_held(layers, uses) or "")


def _unready(path: str, node: str, kernel: Kernel) -> str:
    """A state in which nothing can be written to it."""
    if not kernel.size_bytes(node):
        return "has no size; set it up first"
    if kernel.suspended(node):
        return f"is suspended; `dmsetup resume {kernel.label(node)}` first"
    return f"is read-only; `blockdev --setrw {path}` first, if it may be written" if kernel.read_only(node) else ""


def _carries(layers: list[Layer], keep_off: tuple[str, ...], uses: Uses) -> str:
    """Whether the system or the run folder lives on the disks that the target is on, by whatever path."""
    kernel, node = uses.kernel, layers[0].node
    own = {layer.node for layer in layers if layer.node and not kernel.parent(layer.node)} | {*uses.twins(layers)}
    for place in (*SYSTEM, *keep_off):
        if shared := own & mounts.disks_below(kernel, place, uses.own):
            where = "carries" if node in shared else f"lies on {min(shared)}, which carries"
            if place in keep_off:
                return f"{where} {place}; choose a run folder on another disk"
            return f"{where} {place} of this system; choose another drive"
    return ""


def _in_run_folder(layers: list[Layer], keep_off: tuple[str, ...]) -> str:
    """Whether the target, or a file that it lies on, is a part of the run folder, whatever its name there."""
    files = [layer for layer in layers if not layer.node]
    for place in map(os.path.realpath, keep_off):
        within = {entry.inode() for entry in _entries(place)} if files else set()
        for layer in files:
            if layer.path.startswith(place + "/") or layer.path == place or layer.file[1] in within:
                where = f"{layer.words}, which lies" if layer.words else "lies"
                return f"{where} in the run folder {place}; choose another place for one of them"
    return ""


def _entries(folder: str) -> Iterator[os.DirEntry[str]]:
    """Everything below a folder; nothing where there is none."""
    try:
        with os.scandir(folder) as found:
            for entry in found:
                yield entry
                if entry.is_dir(follow_symlinks=False):
                    yield from _entries(entry.path)
    except OSError:
        return


def _of_file(layers: list[Layer], uses: Uses, fd: int) -> str:
    kernel, (target, *_) = uses.kernel, layers
    there = os.stat(target.path)
    return (
        _unfit(target.path, there, uses)
        or str(uses.of(layers) or _held(layers, uses) or "")
        or _forbidden(target.path, there)
        or _written(target, kernel, fd)
    )


def _held(layers: list[Layer], uses: Uses) -> Use | None:
    """A use by a program, or as swap that has no name here: asked last, since asking would break a lease of others."""
    files = [layer for layer in layers if not layer.node]
    locked = (locks.of_file(uses.kernel, layer, uses.own) for layer in files)
    if used := processes.users(uses.kernel, layers, uses.own):
        return used
    for twin in uses.twins(layers):
        if used := processes.users(uses.kernel, [Layer(twin)], uses.own):
            return by_another_path(twin, used)
    return next(filter(None, locked), None) or swap.unnamed(files, uses)


def _written(target: Layer, kernel: Kernel, fd: int) -> str:
    """The kernel counts a writer that is nowhere in /proc; our own, besides the gate's, are none.

    Beside a descriptor of ours that writes it counts readers too: who is seen to read explains its count, and who has
    gone by then is not counted when it is asked again: nor is who was killed, whose last descriptor goes unseen.
    """
    until = time.monotonic() + GONE_S
    while lease.others_write(target.path, fd) and not (fd >= 0 and _explained(target, kernel)):
        if time.monotonic() > until:
            who = "a descriptor on its way in a socket, io_uring, the kernel, another container"
            return f"is open for writing where /proc does not tell ({who}); end that first"
        time.sleep(SOON_S)
    return ""


def _explained(target: Layer, kernel: Kernel) -> bool:
    return processes.ours_writing(kernel, target.file) > 1 or processes.read_by_any(kernel, target.file)


def _unfit(path: str, there: os.stat_result, uses: Uses) -> str:
    """What makes it no file that can stand in for a drive."""
    if not stat.S_ISREG(there.st_mode):
        return "is no regular file any more; choose another"
    if not there.st_size:
        return "is empty; remove it and make one with --create 1GiB"
    mount = mounts.of_path(uses.kernel, path, uses.own)
    if mount and mount.kind in _pseudo(uses.kernel):
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
    told = answer_at(path, FS_IOC_GETFLAGS)
    flags = told[0] if told else 0  # a file system without such flags
    if flags & (IMMUTABLE | APPEND_ONLY):
        kind, letter = ("immutable", "i") if flags & IMMUTABLE else ("append-only", "a")
        return f"is {kind}; `chattr -{letter} {path}` first, if it may be overwritten"
    if not os.access(path, os.W_OK):
        return "cannot be written by this user; become its owner, or make another with --create 1GiB"
    return ""
