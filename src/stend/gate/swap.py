"""Find swap files whose name in /proc/swaps leads elsewhere: below a mount, removed, in another namespace or root."""

import errno
import os

from stend.gate.stack import Layer
from stend.gate.use import Use
from stend.gate.uses import Uses
from stend.words import Sentence


def unnamed(files: list[Layer], uses: Uses) -> Use | None:
    """Return the use of the first of these files that the kernel treats as swap, or None.

    Files are tested only if some name of /proc/swaps does not lead to a node. The test opens a file for writing, which
    ends every lease on it. Therefore check leases first.
    """
    if all(map(uses.number, uses.swaps)):
        return None
    for layer in files:
        if _is_swap(layer):
            return Use(Sentence("gate_swap_file"), Sentence("gate_swap_way")).below(layer.words)
    return None


def _is_swap(layer: Layer) -> bool:
    """Return True if the kernel refuses to copy 0 bytes within the file (ETXTBSY), as it does for swap."""
    try:
        fd = os.open(layer.path, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        there = os.fstat(fd)
        if (there.st_dev, there.st_ino) == layer.file:
            os.copy_file_range(fd, fd, 0)
    except OSError as error:
        return error.errno == errno.ETXTBSY
    finally:
        os.close(fd)
    return False
