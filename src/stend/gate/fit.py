"""Check every file that a target is or is stored on: it resolves, has one name and may be written. Reads only."""

import os
import stat

from stend.base.sysfs import Kernel, answer_at
from stend.gate import mounts, overlay
from stend.gate.stack import Layer
from stend.gate.use import which
from stend.words import Sentence

HERE = ("tmpfs", "ramfs", "overlay", "btrfs", "zfs", "bcachefs", "ubifs")
"""File systems that hold data on this host and do not have the device number of a drive."""
FS_IOC_GETFLAGS = 0x80086601
IMMUTABLE, APPEND_ONLY = 0x10, 0x20


def unfit(layers: list[Layer], kernel: Kernel, table: list[mounts.Mount], *, made: bool) -> str:
    """Return why one of the files cannot stand in for a drive, or cannot be resolved, or "" if nothing is wrong.

    `table` are the mounts of all namespaces. A file that this process `made` holds no data of others, wherever it is.
    """
    for layer in (file for file in layers if not file.node):
        there = kernel.there(layer.path)
        if there is None or (there.st_dev, there.st_ino) != layer.file:
            return Sentence("gate_lost", where=layer.words or Sentence("gate_file"))
        reason = _shape(there) or ("" if made else _unresolved(layer, there, kernel, table))
        if reason:
            return which(layer.words, reason)
    return ""


def _shape(there: os.stat_result) -> str:
    if not stat.S_ISREG(there.st_mode):
        return Sentence("gate_not_regular")
    if not there.st_size:
        return Sentence("gate_empty")
    if there.st_nlink > 1:
        return Sentence("gate_hard_links")
    return ""


def _unresolved(layer: Layer, there: os.stat_result, kernel: Kernel, table: list[mounts.Mount]) -> str:
    """Return why the file or drive that really keeps the data cannot be resolved, or an empty string if it can."""
    mount = mounts.of_path(kernel, layer.path, table)
    kind, point = (mount.kind, mount.point) if mount else (Sentence("gate_some_system"), Sentence("gate_unseen"))
    if kind == "overlay" and mount:
        real = overlay.real(kernel, layer.path, mount)
        if real is None:
            return Sentence("gate_real_unresolved", place=point)
        if not real.upper:
            return Sentence("gate_lower", place=point)
    elif kind not in HERE and not kernel.node_of(there.st_dev):
        return Sentence("gate_unresolved", kind=kind, place=point)
    return overlay.unresolved(kernel, table, layer.path, there, layer.via)


def forbidden(layers: list[Layer]) -> str:
    """Return why one of the files must not be written. Root and a loop device could write it all the same."""
    for layer in (file for file in layers if not file.node):
        if reason := _forbidden(layer):
            return which(layer.words, reason)
    return ""


def _forbidden(layer: Layer) -> str:
    try:
        mode, mounted = os.stat(layer.path).st_mode, os.statvfs(layer.path).f_flag
    except OSError:
        return Sentence("gate_vanished")
    if not mode & 0o222:
        return Sentence("gate_protected", command=f"`chmod u+w {layer.path}`")
    answer = answer_at(layer.path, FS_IOC_GETFLAGS)
    flags = answer[0] if answer else 0  # a file system without such flags
    if flags & (IMMUTABLE | APPEND_ONLY):
        key, letter = ("gate_immutable", "i") if flags & IMMUTABLE else ("gate_append_only", "a")
        return Sentence(key, command=f"`chattr -{letter} {layer.path}`")
    if not layer.words and mounted & os.ST_RDONLY:
        return Sentence("gate_mounted_read_only")
    if not layer.words and not os.access(layer.path, os.W_OK):
        return Sentence("gate_not_writable")
    return ""
