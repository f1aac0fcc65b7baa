"""Everything that the blocks of a drive or a file lie on, down to whole disks and files. Reads only.

A partition lies on its disk, a loop device on its file or node, md and device-mapper on their members, a file seen
through an overlay on the real one. What is asked of a drive (`uses`) and kept of it (`look`) is asked of all of these.
"""

import os
import stat
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from stend.base.sysfs import Kernel, Loop
from stend.gate import mounts, overlay
from stend.gate.mounts import Mount
from stend.gate.overlay import File


class Layer(NamedTuple):
    """A block node, or a file where `node` is empty; how it is reached from the layer above, in words.

    `whole` is False of the disk of a partition: its other partitions are no business of ours. `claimed` says that the
    layer above holds it exclusively, as md and device-mapper do and loop devices do not. `via` are the numbers of the
    overlays that a real file was found through.
    """

    node: str = ""
    file: File = (0, 0)
    path: str = ""
    words: str = ""
    whole: bool = True
    claimed: bool = True
    via: frozenset[str] = frozenset()


def below(kernel: Kernel, top: Layer, loops: Iterable[Loop], tables: Iterable[Mount] | None = None) -> list[Layer]:
    """The layer and all below it, each once, in the order they are met."""
    known, space = list(loops), list(mounts.own(kernel) if tables is None else tables)
    found, waiting = [top], [top]
    while waiting:
        layer = waiting.pop(0)
        for lower in _next(kernel, layer, known, space):
            if not any((one.node, one.file, one.whole) == (lower.node, lower.file, lower.whole) for one in found):
                found.append(lower)
                waiting.append(lower)
    return found


def of_path(kernel: Kernel, path: str) -> Layer:
    """The layer that a path leads to; OSError if to nothing."""
    there = os.stat(path)
    if stat.S_ISBLK(there.st_mode):
        return Layer(node=kernel.node_of(there.st_rdev))
    return Layer(file=(there.st_dev, there.st_ino), path=os.path.realpath(path))


def _next(kernel: Kernel, layer: Layer, loops: list[Loop], space: list[Mount]) -> Iterator[Layer]:
    if not layer.node:
        yield from _real(kernel, layer, space)
        return
    node = layer.node
    if parent := kernel.parent(node):
        yield Layer(parent, words=f"is a partition of {parent}", whole=False)
    for loop in loops:
        if loop.node == node:
            yield _behind(kernel, loop)
    for slave in kernel.slaves(node):
        yield Layer(slave, words=f"lies on {slave}")


def _behind(kernel: Kernel, loop: Loop) -> Layer:
    node = kernel.node_of(loop.rdev) if loop.rdev else ""
    if node:
        return Layer(node, words=f"is set up on {node}", claimed=False)
    path = kernel.backing(loop.node)
    return Layer(file=(loop.device, loop.inode), path=path, words=f"is set up on the file {path}")


def _real(kernel: Kernel, layer: Layer, space: list[Mount]) -> Iterator[Layer]:
    """Yield the real file of one that is seen through an overlay; nothing where it cannot be resolved (`fit`)."""
    mount = mounts.of_path(kernel, layer.path, space)
    if mount and mount.kind == "overlay" and (found := overlay.real(kernel, layer.path, mount)):
        words = f"is really {found.path}"
        yield Layer(file=found.file, path=found.path, words=words, via=layer.via | {mount.number})
