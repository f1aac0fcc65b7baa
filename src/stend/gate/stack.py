"""Find the layers that store the blocks of a drive or a file, down to whole disks and files. Reads only.

Below a partition is its disk, below a loop device its file or node, below md and device-mapper their members, and below
a file seen through an overlay the real one. Uses (`uses`) and marks (`look`) are checked for all of these layers.
"""

import os
import stat
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from stend.base.sysfs import Kernel, Loop
from stend.gate import mounts, overlay
from stend.gate.mounts import Mount
from stend.gate.overlay import File
from stend.words import Sentence


class Layer(NamedTuple):
    """A block node, or a file if `node` is empty. `words` describe how the layer above leads to it.

    `whole` is False for the disk of a partition, whose other partitions are not affected. `claimed` is True if the
    layer above holds it exclusively, as md and device-mapper do and loop devices do not. `via` are the numbers of the
    overlays through which a real file was found.
    """

    node: str = ""
    file: File = (0, 0)
    path: str = ""
    words: Sentence | str = ""
    whole: bool = True
    claimed: bool = True
    via: frozenset[str] = frozenset()


def below(kernel: Kernel, top: Layer, loops: Iterable[Loop], tables: Iterable[Mount] | None = None) -> list[Layer]:
    """Return a layer and all layers below it, each once, breadth first."""
    known, space = list(loops), list(mounts.of_this_process(kernel) if tables is None else tables)
    layers, waiting = [top], [top]
    while waiting:
        layer = waiting.pop(0)
        for lower in _next(kernel, layer, known, space):
            key = (lower.node, lower.file, lower.whole)
            if not any((other.node, other.file, other.whole) == key for other in layers):
                layers.append(lower)
                waiting.append(lower)
    return layers


def of_path(kernel: Kernel, path: str) -> Layer:
    """Return the layer that a path leads to. Raise OSError if the path does not exist."""
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
        yield Layer(parent, words=Sentence("gate_of_disk", disk=parent), whole=False)
    for loop in loops:
        if loop.node == node:
            yield _behind(kernel, loop)
    for slave in kernel.slaves(node):
        yield Layer(slave, words=Sentence("gate_on", node=slave))


def _behind(kernel: Kernel, loop: Loop) -> Layer:
    node = kernel.node_of(loop.rdev) if loop.rdev else ""
    if node:
        return Layer(node, words=Sentence("gate_set_up", node=node), claimed=False)
    path = kernel.backing(loop.node)
    return Layer(file=(loop.device, loop.inode), path=path, words=Sentence("gate_set_up_file", path=path))


def _real(kernel: Kernel, layer: Layer, space: list[Mount]) -> Iterator[Layer]:
    """Yield the real file of one seen through an overlay, or nothing if it cannot be resolved (`fit` refuses that)."""
    mount = mounts.of_path(kernel, layer.path, space)
    if mount and mount.kind == "overlay" and (real := overlay.real(kernel, layer.path, mount)):
        words = Sentence("gate_really", path=real.path)
        yield Layer(file=real.file, path=real.path, words=words, via=layer.via | {mount.number})
