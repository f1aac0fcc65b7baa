"""Rules of every file that a target is or lies on: it can be resolved, has one name and may be written. Reads only."""

import os
import stat

from stend.base.sysfs import Kernel, answer_at
from stend.gate import mounts, overlay
from stend.gate.stack import Layer

HERE = ("tmpfs", "ramfs", "overlay", "btrfs", "zfs", "bcachefs", "ubifs")
"""File systems of this kernel that hold data and have no device number of a drive."""
FS_IOC_GETFLAGS = 0x80086601
IMMUTABLE, APPEND_ONLY = 0x10, 0x20
ELSEWHERE = "it was removed, renamed, hidden by a mount, or has that name in another mount namespace"


def unfit(layers: list[Layer], kernel: Kernel, table: list[mounts.Mount], *, made: bool) -> str:
    """Return why one of the files cannot stand in for a drive, or cannot be resolved; empty if nothing is wrong.

    `table` are the mounts of all namespaces. A file that this process `made` has no data of others, wherever it lies.
    """
    for layer in (one for one in layers if not one.node):
        there = kernel.there(layer.path)
        if there is None or (there.st_dev, there.st_ino) != layer.file:
            return f"{layer.words or 'is a file'} that cannot be found by that name: {ELSEWHERE}; set it up again"
        reason = _shape(there) or ("" if made else _unresolved(layer, there, kernel, table))
        if reason:
            return f"{layer.words}, which {reason}" if layer.words else reason
    return ""


def _shape(there: os.stat_result) -> str:
    if not stat.S_ISREG(there.st_mode):
        return "is no regular file any more; choose another"
    if not there.st_size:
        return "is empty; name a new file, and add --create 1GiB"
    if there.st_nlink > 1:
        return "has other names (hard links); `cp` it to a new file and name that"
    return ""


def _unresolved(layer: Layer, there: os.stat_result, kernel: Kernel, table: list[mounts.Mount]) -> str:
    """Return why nobody can tell from here which file or drive really keeps the data."""
    mount = mounts.of_path(kernel, layer.path, table)
    kind, point = (mount.kind, mount.point) if mount else ("a file system", "a mount out of sight")
    if kind == "overlay" and mount:
        found = overlay.real(kernel, layer.path, mount)
        if found is None:
            return f"lies in the overlay at {point}, and its real file cannot be resolved; choose a file outside of it"
        if not found.upper:
            return f"lies in a lower folder of the overlay at {point}; `cp` it to a new file and name that"
    elif kind not in HERE and not kernel.node_of(there.st_dev):
        where = f"lies in {kind} at {point}, and which file or drive keeps its data cannot be resolved"
        return f"{where}; choose a file on a drive of this host, or make one with --create 1GiB"
    return overlay.unresolved(kernel, table, layer.path, there, layer.via)


def forbidden(layers: list[Layer]) -> str:
    """Return who or what forbids to write one of the files; root could all the same, and so could a loop device."""
    for layer in (one for one in layers if not one.node):
        if reason := _forbidden(layer):
            return f"{layer.words}, which {reason}" if layer.words else reason
    return ""


def _forbidden(layer: Layer) -> str:
    try:
        mode = os.stat(layer.path).st_mode
    except OSError:
        return f"vanished; {ELSEWHERE}"
    if not mode & 0o222:
        return f"is write-protected; `chmod u+w {layer.path}` first, if it may be overwritten"
    answer = answer_at(layer.path, FS_IOC_GETFLAGS)
    flags = answer[0] if answer else 0  # a file system without such flags
    if flags & (IMMUTABLE | APPEND_ONLY):
        kind, letter = ("immutable", "i") if flags & IMMUTABLE else ("append-only", "a")
        return f"is {kind}; `chattr -{letter} {layer.path}` first, if it may be overwritten"
    if not layer.words and not os.access(layer.path, os.W_OK):
        return "cannot be written by this user; become its owner, or make another with --create 1GiB"
    return ""
