"""Partitions that lie in another one: logical ones in an extended one, slices of BSD and Solaris. Reads only."""

from stend.base.sysfs import SECTOR_BYTES, Kernel, count

FIRST_LOGICAL = 5
"""The number of the first logical partition; those before are in the disk's own table."""
TABLE_BYTES = 1024
"""How much of an extended partition Linux shows; one block, where that is more."""


def within(kernel: Kernel, node: str) -> list[str]:
    """Return the partitions of a disk that lie in this one, wholly or in part; [] for a whole disk.

    Linux shows an extended partition as little more than the table of the logical ones, so these count as within it.
    """
    disk = kernel.parent(node)
    first, end = _sectors(kernel, node)
    shown = max(TABLE_BYTES, count(kernel.block(disk) / "queue/logical_block_size")) if disk else 0
    extended = (end - first) * SECTOR_BYTES <= shown and _number(kernel, node) < FIRST_LOGICAL
    found = []
    for part in (one for one in kernel.partitions(disk) if one != node):
        start, stop = _sectors(kernel, part)
        if (start < end and first < stop) or (extended and _number(kernel, part) >= FIRST_LOGICAL):
            found.append(part)
    return found


def _sectors(kernel: Kernel, part: str) -> tuple[int, int]:
    start = count(kernel.block(part) / "start")
    return start, start + count(kernel.block(part) / "size")


def _number(kernel: Kernel, part: str) -> int:
    return count(kernel.block(part) / "partition")
