"""Find the reason why a drive or a file must not be written now, in words that follow its name. Reads only."""

import os
import stat
import time
from collections.abc import Callable, Iterator

from stend.base.process import SOON_S
from stend.base.sysfs import HOST, Kernel
from stend.gate import fit, lease, locks, mounts, processes, swap
from stend.gate.stack import Layer
from stend.gate.use import Use, which
from stend.gate.uses import Uses, by_another_path
from stend.words import Sentence

SYSTEM = ("/", "/boot", "/boot/efi", "/usr", "/var", "/home")
GONE_S = 1.0
"""Seconds to wait for a writer that /proc does not show to close the file."""


def refusal(
    path: str,
    keep_off: tuple[str, ...] = (),
    kernel: Kernel = HOST,
    uses: Uses | None = None,
    fd: int = -1,
    *,
    made: bool = False,
) -> str:
    """Return why the drive or file must not be written now, with the way out, or an empty string if it may be.

    `keep_off` are paths whose disk must not be written. `fd` is this process's own writing descriptor, or -1. `made` is
    True if this process made the file.
    """
    uses = uses or Uses(kernel)
    layers = uses.layers(path)
    if near := _in_run_folder(layers, keep_off):
        return near
    if stat.S_ISBLK(os.stat(path).st_mode):
        return _of_drive(path, layers, keep_off, uses)
    return _of_files(layers, uses, made=made) or _written(layers, kernel, fd)


def present_use(path: str, kernel: Kernel = HOST) -> str:
    """Return how the drive or file is used now, with the way to end that, or "" if it is free. It may still be read."""
    uses = Uses(kernel)
    layers = uses.layers(path)
    return str(uses.of(layers) or "") or str(_held(layers, uses) or "")


def _of_drive(path: str, layers: list[Layer], keep_off: tuple[str, ...], uses: Uses) -> str:
    kernel, node = uses.kernel, layers[0].node
    if not node:
        return Sentence("gate_no_drive")
    if carried := _carries(layers, keep_off, uses):  # before its mounts, so that no message advises to unmount /
        return carried
    return _of_files(layers, uses, unready=lambda: _unready(path, node, kernel))


def _unready(path: str, node: str, kernel: Kernel) -> str:
    """Return the state of the node that makes writes fail, or an empty string."""
    if not kernel.size_bytes(node):
        return Sentence("gate_no_size")
    if kernel.suspended(node):
        return Sentence("gate_suspended", command=f"`dmsetup resume {kernel.label(node)}`")
    if not kernel.read_only(node):
        return ""
    if node.startswith("loop"):  # `blockdev --setrw` does not change a loop device of `losetup --read-only`
        return Sentence("gate_read_only_loop")
    return Sentence("gate_read_only", command=f"`blockdev --setrw {path}`")


def _carries(layers: list[Layer], keep_off: tuple[str, ...], uses: Uses) -> str:
    """Return the reason if the disks of the target hold the system or a path of `keep_off`, or an empty string."""
    kernel, node = uses.kernel, layers[0].node
    disks = {layer.node for layer in layers if layer.node and not kernel.parent(layer.node)} | {*uses.twins(layers)}
    for place in (*SYSTEM, *keep_off):
        if shared := disks & mounts.disks_below(kernel, place, uses.local_mounts):
            key = "gate_folder" if place in keep_off else "gate_system"
            if node in shared:
                return Sentence(key, place=place)
            return Sentence(f"{key}_shared", disk=min(shared), place=place)
    return ""


def _in_run_folder(layers: list[Layer], keep_off: tuple[str, ...]) -> str:
    """Return the reason if the target, or a file below it, is in the run folder under any name, or an empty string."""
    files = [layer for layer in layers if not layer.node]
    for place in map(os.path.realpath, keep_off):
        within = {entry.inode() for entry in _entries(place)} if files else set()
        for layer in files:
            if layer.path.startswith(place + "/") or layer.path == place or layer.file[1] in within:
                return which(layer.words, Sentence("gate_in_folder", place=place))
    return ""


def _entries(folder: str) -> Iterator[os.DirEntry[str]]:
    """Yield everything below a folder, or nothing if it does not exist."""
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                yield entry
                if entry.is_dir(follow_symlinks=False):
                    yield from _entries(entry.path)
    except OSError:
        return


def _of_files(layers: list[Layer], uses: Uses, *, made: bool = False, unready: Callable[[], str] = lambda: "") -> str:
    """Return the first reason against any layer. `unready` runs before processes are searched.

    The order is: uses by the kernel, files that do not fit, `unready`, uses by processes, files that are protected.
    """
    return (
        str(uses.of(layers) or "")
        or fit.unfit(layers, uses.kernel, uses.mounts, made=made)
        or unready()
        or str(_held(layers, uses) or "")
        or fit.forbidden(layers)
    )


def _held(layers: list[Layer], uses: Uses) -> Use | None:
    """Return a use by a program, by a lock, or as swap that has no name here.

    The check for swap comes last, because it would break a lease of another process.
    """
    files = [layer for layer in layers if not layer.node]
    locked = (locks.of_file(uses.kernel, layer, uses.local_mounts) for layer in files)
    if used := processes.users(uses.kernel, layers, uses.local_mounts):
        return used
    for twin in uses.twins(layers):
        if used := processes.users(uses.kernel, [Layer(twin)], uses.local_mounts):
            return by_another_path(twin, used)
    return next(filter(None, locked), None) or swap.unnamed(files, uses)


def _written(layers: list[Layer], kernel: Kernel, fd: int) -> str:
    """Return the reason if the kernel counts a writer of a file that /proc does not show, or an empty string.

    Once this process has a writing descriptor `fd`, the kernel counts readers too; a reader that /proc shows then
    explains its count. The check repeats for GONE_S, because a process that is exiting, also a killed one, may close
    its last descriptor unseen. The real file below an overlay is checked only before `fd` exists, because writes of
    this process count there too.
    """
    until, checked = time.monotonic() + GONE_S, layers[:1] if fd >= 0 else layers
    while any(lease.others_write(file.path, fd) for file in checked) and not (
        fd >= 0 and _explained(layers[0], kernel)
    ):
        if time.monotonic() > until:
            return Sentence("gate_written_unseen")
        time.sleep(SOON_S)
    return ""


def _explained(target: Layer, kernel: Kernel) -> bool:
    """Return True if descriptors of this process tree, or readers that /proc shows, explain the kernel's count."""
    return processes.ours_writing(kernel, target.file) > 1 or processes.read_by_any(kernel, target.file)
