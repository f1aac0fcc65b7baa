"""Swap files whose name in /proc/swaps leads elsewhere: hidden below a mount, removed, in another namespace or root."""

import errno
import os

from stend.gate.stack import Layer
from stend.gate.use import Use
from stend.gate.uses import Uses


def unnamed(files: list[Layer], uses: Uses) -> Use | None:
    """The first of these files that is swap by the kernel's own word, where some swap is no node by its name.

    A file is opened for writing to ask this, which is an end to every lease on it: who leases it must be known before.
    """
    if all(map(uses.number, uses.swaps)):
        return None
    for layer in files:
        if _is_swap(layer):
            what = "is a swap file in use"
            way = "`swapoff` it first (`cat /proc/swaps` tells its name)"
            return Use(f"{layer.words}, which {what}" if layer.words else what, way)
    return None


def _is_swap(layer: Layer) -> bool:
    """Nothing is copied from or to swap, not even nothing."""
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
