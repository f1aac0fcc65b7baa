"""Names by which the operator confirms that a drive may be overwritten. Reads only."""

import os
import re
import stat

from stend.base.sysfs import HOST, Kernel, text
from stend.model.definition import Identity


def names_of(identity: Identity, kernel: Kernel = HOST) -> tuple[str, ...]:
    """Return the names by which `--destroy-data` may name a drive, best first.

    They are its serial (SERIAL-partN for a partition) unless another drive of this host has the same one, its by-id
    names, its WWN, and its device-mapper name. A file is named by its full path. A loop device is named by the full
    path of the file behind it, or like the drive behind it. The node's name is valid only if the drive has no other
    name, because a node may later lead to another drive.
    """
    there = os.stat(identity.path)
    if not stat.S_ISBLK(there.st_mode):
        return (identity.path,)
    return _of_node(kernel.node_of(there.st_rdev), identity.serial, identity.wwn, kernel)


def _of_node(node: str, serial: str, wwn: str, kernel: Kernel) -> tuple[str, ...]:
    part = text(kernel.block(node) / "partition")
    suffix = f"-part{part}" if part else ""
    names = [name + suffix for name in ("" if kernel.namesakes(node) else serial, wwn) if name]
    names += [name + suffix for name in _behind(kernel, kernel.parent(node) or node)]
    dm = [kernel.label(node)] if kernel.label(node) != node else []
    links = [link for link in kernel.links(node) if _is_current(link, serial, wwn)]
    return tuple(dict.fromkeys([*names[:1], *dm, *links, *names[1:]])) or (node,)


def _is_current(link: str, serial: str, wwn: str) -> bool:
    """Return True if a by-id name fits this drive; without udev such links are stale after nodes change."""
    number = re.fullmatch(r"(?:naa|eui|nvme|uuid)\.(.+)", wwn)
    known = [re.sub(r"\s+", "_", serial), number[1] if number else ""]
    return not any(known) or any(word and word.casefold() in link.casefold() for word in known)


def _behind(kernel: Kernel, node: str) -> tuple[str, ...]:
    """Return the names of the file or drive behind a loop device; () for any other node."""
    path = kernel.backing(node)
    if not path:
        return ()
    lower = kernel.node_at(path)
    if not lower:
        return (kernel.backing_words(node),)
    names = kernel.names(lower)
    return _of_node(lower, names["serial"], names["wwn"], kernel)
