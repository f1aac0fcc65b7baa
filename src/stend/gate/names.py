"""What the operator may call a drive to be believed. Reads only."""

import os
import stat
from pathlib import Path

from stend.definition import Identity
from stend.kernel import HOST, Kernel, text


def names_of(identity: Identity, kernel: Kernel = HOST) -> tuple[str, ...]:
    """What the operator may call a drive to be believed, best first.

    Its serial (SERIAL-partN for a partition) unless another drive here tells the same one; its by-id names; its WWN;
    device-mapper's name. The node's name serves only where there is none of these, since nodes change places.
    """
    there = os.stat(identity.path)
    if not stat.S_ISBLK(there.st_mode):
        return (Path(identity.path).name,)
    node = kernel.node_of(there.st_rdev)
    part = text(kernel.block(node) / "partition")
    suffix = f"-part{part}" if part else ""
    serial = "" if kernel.namesakes(node) else identity.serial
    own = [name + suffix for name in (serial, identity.wwn) if name]
    dm = [kernel.label(node)] if kernel.label(node) != node else []
    return tuple(dict.fromkeys([*own[:1], *dm, *kernel.links(node), *own[1:]])) or (node,)
