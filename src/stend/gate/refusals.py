"""Why a drive or a file must not be written now, in words that follow its name. Reads only."""

import os
import stat
import time
from collections.abc import Callable, Iterator

from stend.base.process import SOON_S
from stend.base.sysfs import HOST, Kernel
from stend.gate import fit, lease, locks, mounts, processes, swap
from stend.gate.stack import Layer
from stend.gate.use import Use
from stend.gate.uses import Uses, by_another_path

SYSTEM = ("/", "/boot", "/boot/efi", "/usr", "/var", "/home")
GONE_S = 1.0
"""How long a writer that /proc does not tell may take to be gone."""


def refusal(
    path: str,
    keep_off: tuple[str, ...] = (),
    kernel: Kernel = HOST,
    uses: Uses | None = None,
    fd: int = -1,
    *,
    made: bool = False,
) -> str:
    """Return why this must not be written now, with the way out; empty if nothing speaks against it.

    `fd` is our own descriptor that writes, once there is one. `made` says that this process made the file.
    """
    uses = uses or Uses(kernel)
    layers = uses.layers(path)
    if near := _in_run_folder(layers, keep_off):
        return near
    if stat.S_ISBLK(os.stat(path).st_mode):
        return _of_drive(path, layers, keep_off, uses)
    return _of_files(layers, uses, made=made) or _written(layers, kernel, fd)


def _of_drive(path: str, layers: list[Layer], keep_off: tuple[str, ...], uses: Uses) -> str:
    kernel, node = uses.kernel, layers[0].node
    if not node:
        return "is a node without a drive; `stend devices` lists the drives there are"
    if carried := _carries(layers, keep_off, uses):  # before its mounts: nobody should be told to unmount /
        return carried
    return _of_files(layers, uses, unready=lambda: _unready(path, node, kernel))


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


def _of_files(layers: list[Layer], uses: Uses, *, made: bool = False, unready: Callable[[], str] = lambda: "") -> str:
    """Return what speaks against all layers: files first, then uses; `unready` is asked before any program is."""
    return (
        str(uses.of(layers) or "")
        or fit.unfit(layers, uses.kernel, uses.mounts, made=made)
        or unready()
        or str(_held(layers, uses) or "")
        or fit.forbidden(layers)
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


def _written(layers: list[Layer], kernel: Kernel, fd: int) -> str:
    """The kernel counts a writer that is nowhere in /proc; our own, besides the gate's, are none.

    Beside a descriptor of ours that writes it counts readers too: who is seen to read explains its count, and who has
    gone by then is not counted when it is asked again: nor is who was killed, whose last descriptor goes unseen. A real
    file below an overlay is asked for before we write, because our own writing counts there too.
    """
    until, asked = time.monotonic() + GONE_S, layers[:1] if fd >= 0 else layers
    while any(lease.others_write(one.path, fd) for one in asked) and not (fd >= 0 and _explained(layers[0], kernel)):
        if time.monotonic() > until:
            who = "a descriptor on its way in a socket, io_uring, the kernel, another container"
            return f"is open for writing where /proc does not tell ({who}); end that first"
        time.sleep(SOON_S)
    return ""


def _explained(target: Layer, kernel: Kernel) -> bool:
    return processes.ours_writing(kernel, target.file) > 1 or processes.read_by_any(kernel, target.file)
