"""Check every file that a target is or is stored on: it resolves, has one name and may be written. Reads only."""

import os
import stat

from stend.base.sysfs import Kernel, answer_at
from stend.gate import mounts, overlay
from stend.gate.stack import Layer

HERE = ("tmpfs", "ramfs", "overlay", "btrfs", "zfs", "bcachefs", "ubifs")
"""File systems that hold data on this host and do not have the device number of a drive."""
FS_IOC_GETFLAGS = 0x80086601
IMMUTABLE, APPEND_ONLY = 0x10, 0x20
ELSEWHERE = "it was removed, renamed, hidden by a mount, or has that name in another mount namespace"


def unfit(layers: list[Layer], kernel: Kernel, table: list[mounts.Mount], *, made: bool) -> str:
    """Return why one of the files cannot stand in for a drive, or cannot be resolved; empty if nothing is wrong.

    `table` are the mounts of all namespaces. A file that this process `made` holds no data of others, wherever it is.
    """
    for layer in (file for file in layers if not file.node):
        there = kernel.there(layer.path)
        if there is None or (there.st_dev, there.st_ino) != layer.file:
            return f"{layer.words or 'is a file'} that cannot be found by that name: {ELSEWHERE}; set it up again"
        reason = _shape(there) or ("" if made else _unresolved(layer, there, kernel, table))
        if reason:
            return f"{layer.words}, which {reason}" if layer.words else reason
    return ""


def _shape(there: os.stat_result) -> str:
    if not stat.S_ISREG(there.st_mode):
        return "is no longer a regular file; choose another"
    if not there.st_size:
        return "is empty; name a new file, and add --create 1GiB"
    if there.st_nlink > 1:
        return "has other names (hard links); `cp` it to a new file and name that"
    return ""


def _unresolved(layer: Layer, there: os.stat_result, kernel: Kernel, table: list[mounts.Mount]) -> str:
    """Return why the file or drive that really keeps the data cannot be resolved, or an empty string if it can."""
    mount = mounts.of_path(kernel, layer.path, table)
    kind, point = (mount.kind, mount.point) if mount else ("a file system", "a mount that this process cannot see")
    if kind == "overlay" and mount:
        real = overlay.real(kernel, layer.path, mount)
        if real is None:
            return f"is in the overlay at {point}, and its real file cannot be resolved; choose a file outside of it"
        if not real.upper:
            return f"is in a lower folder of the overlay at {point}; `cp` it to a new file and name that"
    elif kind not in HERE and not kernel.node_of(there.st_dev):
        where = f"is in {kind} at {point}, and which file or drive keeps its data cannot be resolved"
        return f"{where}; choose a file on a drive of this host, or make one with --create 1GiB"
    return overlay.unresolved(kernel, table, layer.path, there, layer.via)


def forbidden(layers: list[Layer]) -> str:
    """Return why one of the files must not be written; root and a loop device could write it all the same."""
    for layer in (file for file in layers if not file.node):
        if reason := _forbidden(layer):
            return f"{layer.words}, which {reason}" if layer.words else reason
    return ""


def _forbidden(layer: Layer) -> str:
    try:
        mode, mounted = os.stat(layer.path).st_mode, os.statvfs(layer.path).f_flag
    except OSError:
        return f"vanished; {ELSEWHERE}"
    if not mode & 0o222:
        return f"is write-protected; `chmod u+w {layer.path}` first, if it may be overwritten"
    answer = answer_at(layer.path, FS_IOC_GETFLAGS)
    flags = answer[0] if answer else 0  # a file system without such flags
    if flags & (IMMUTABLE | APPEND_ONLY):
        kind, letter = ("immutable", "i") if flags & IMMUTABLE else ("append-only", "a")
        return f"is {kind}; `chattr -{letter} {layer.path}` first, if it may be overwritten"
    if not layer.words and mounted & os.ST_RDONLY:
        return "is on a file system that is mounted read-only; `mount -o remount,rw` first, if it may be overwritten"
    if not layer.words and not os.access(layer.path, os.W_OK):
        return "cannot be written by this user; become its owner, or make another with --create 1GiB"
    return ""
