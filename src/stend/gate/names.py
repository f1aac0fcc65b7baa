"""What the operator may call a drive to be believed. Reads only."""

import os
import re
import stat

from stend.base.sysfs import HOST, Kernel, text
from stend.model.definition import Identity


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
    links = [link for link in kernel.links(node) if _is_its_own(link, serial, wwn)]
    return tuple(dict.fromkeys([*own[:1], *dm, *links, *own[1:]])) or (node,)


def _is_its_own(link: str, serial: str, wwn: str) -> bool:
    """Whether a by-id name may be this drive's: where nobody keeps such links they outlive a change of nodes."""
    number = re.fullmatch(r"(?:naa|eui|nvme|uuid)\.(.+)", wwn)
    known = [re.sub(r"\s+", "_", serial), number[1] if number else ""]
    return not any(known) or any(word and word.casefold() in link.casefold() for word in known)


def _behind(kernel: Kernel, node: str) -> tuple[str, ...]:
    """Names of what a loop device is set up on; none for any other."""
    path = kernel.backing(node)
    if not path:
        return ()
    lower = kernel.node_at(path)
    if not lower:
        return (kernel.backing_words(node),)
    told = kernel.names(lower)
    return _of_node(lower, told["serial"], told["wwn"], kernel)
