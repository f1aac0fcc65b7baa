"""Find partitions inside another one: logical ones in an extended one, slices of BSD and Solaris. Reads only."""

from stend.base.sysfs import SECTOR_BYTES, Kernel, count

FIRST_LOGICAL = 5
"""The number of the first logical partition. Those before it are in the disk's own table."""
TABLE_SECTORS = 2
"""The length of an extended partition that Linux shows, or one block if a block is longer."""


def within(kernel: Kernel, node: str) -> list[str]:
    """Return the partitions of a disk that overlap this one, wholly or in part, or [] for a whole disk.

    All logical partitions count as within an extended one, because Linux shows only the start of that.
    """
    disk = kernel.parent(node)
    first, end = _sectors(kernel, node)
    block_sectors = count(kernel.block(disk) / "queue/logical_block_size") // SECTOR_BYTES
    extended = end - first <= max(TABLE_SECTORS, block_sectors) and _number(kernel, node) < FIRST_LOGICAL
    inside = []
    for part in (other for other in kernel.partitions(disk) if other != node):
        start, stop = _sectors(kernel, part)
        if (start < end and first < stop) or (extended and _number(kernel, part) >= FIRST_LOGICAL):
            inside.append(part)
    return inside


def _sectors(kernel: Kernel, part: str) -> tuple[int, int]:
    start = count(kernel.block(part) / "start")
    return start, start + count(kernel.block(part) / "size")


def _number(kernel: Kernel, part: str) -> int:
    return count(kernel.block(part) / "partition")
