"""What the operator may call a drive to be believed. Reads only."""

import os
import stat

from stend.definition import Identity
from stend.kernel import HOST, Kernel, text


def names_of(identity: Identity, kernel: Kernel = HOST) -> tuple[str, ...]:
    """What the operator may call a drive to be believed, best first.

    Its serial (SERIAL-partN for a partition) unless another drive here tells the same one; its by-id names; its WWN;
    device-mapper's name. A file is named by its full path, and so is a loop device: by that of the file behind it, or
    as the drive behind it is. The node's name serves only where there is none of these, since nodes change places.
    """
    there = os.stat(identity.path)
    if not stat.S_ISBLK(there.st_mode):
        return (identity.path,)
    return _of_node(kernel.node_of(there.st_rdev), identity.serial, identity.wwn, kernel)


def _of_node(node: str, serial: str, wwn: str, kernel: Kernel) -> tuple[str, ...]:
    part = text(kernel.block(node) / "partition")
    suffix = f"-part{part}" if part else ""
    own = [name + suffix for name in ("" if kernel.namesakes(node) else serial, wwn) if name]
    own += [name + suffix for name in _behind(kernel, kernel.parent(node) or node)]
    dm = [kernel.label(node)] if kernel.label(node) != node else []
    return tuple(dict.fromkeys([*own[:1], *dm, *kernel.links(node), *own[1:]])) or (node,)


def _behind(kernel: Kernel, node: str) -> tuple[str, ...]:
    """Names of what a loop device is set up on; none for any other."""
    path = kernel.backing(node)
    if not path:
        return ()
    lower = kernel.node_at(path)
    if not lower:
        return (path,)
    told = kernel.names(lower)
    return _of_node(lower, told["serial"], told["wwn"], kernel)
