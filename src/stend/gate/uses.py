"""Who uses a drive or a file right now: mounts, swap, md, device-mapper, loops, exports. Reads only."""

import os
import stat
from collections.abc import Iterator
from typing import NamedTuple

from stend.gate import mounts
from stend.kernel import Kernel, Loop, text

EXPORTS = (
    "nvmet/subsystems/*/namespaces/*/device_path",
    "target/core/*/*/udev_path",
    "usb_gadget/*/functions/mass_storage.*/lun.*/file",
)
"""In /sys/kernel/config: what NVMe-oF, iSCSI (LIO) and USB targets serve; none of them holds a drive exclusively."""


class Use(NamedTuple):
    """A use in words that follow the drive's name, and the way to end it."""

    what: str
    way: str

    def __str__(self) -> str:
        return f"{self.what}; {self.way}"


class Uses:
    """One look at everything that is in use on a host."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.mounts = mounts.all_namespaces(kernel)
        self.swaps = mounts.swaps(kernel)
        self.loops = list(kernel.loops())
        self.exports = list(_exports(kernel))

    def of_drive(self, node: str) -> Use | None:
        """The use of a whole disk with its partitions, or of a partition; of everything stacked on it; of its twins."""
        if used := self._whole(node):
            return used
        parent = self.kernel.parent(node)
        if parent and (used := self._alone(parent)):
            return Use(f"is a partition of {parent}, which {used.what}", used.way)
        for twin in self.kernel.twins(node):
            if used := self._whole(twin):
                return Use(f"is the same drive as {twin}, which {used.what}", used.way)
        return None

    def of_file(self, there: os.stat_result) -> Use | None:
        """The use of a regular file as swap, behind a loop device or as an export."""
        for path in self.swaps:
            if _same(self.kernel.there(path), there):
                return Use("is a swap file in use", f"`swapoff {path}` first")
        for loop in self.loops:
            if (loop.device, loop.inode) == (there.st_dev, there.st_ino):
                return self._below_loop(loop)
        for export, path in self.exports:
            if _same(self.kernel.there(path), there):
                return Use(f"is served to others ({export})", "take that down first")
        return None

    def _whole(self, node: str) -> Use | None:
        if used := self._alone(node):
            return used
        for part in self.kernel.partitions(node):
            if used := self._alone(part):
                return Use(f"has a partition, {part}, that {used.what}", used.way)
        return None

    def _alone(self, node: str) -> Use | None:
        """The use of one node and of what is stacked on it, without its partitions.

        A path of an NVMe drive with several (nvme0c0n1) has no device number, so that nothing can use it.
        """
        if not self.kernel.number(node):
            return None
        return self._mounted(node) or self._taken(node) or self._stacked(node)

    def _mounted(self, node: str) -> Use | None:
        number = self.kernel.number(node)
        for mount in self.mounts:
            if number in (mount.number, self._number(mount.source)):
                if mount.pid:
                    place = f"is mounted at {mount.point} in another mount namespace (of process {mount.pid})"
                    return Use(place, f"`nsenter -t {mount.pid} -m umount {mount.point}` first")
                return Use(f"is mounted at {mount.point}", f"`umount {mount.point}` first")
        return None

    def _taken(self, node: str) -> Use | None:
        number = self.kernel.number(node)
        for path in self.swaps:
            if self._number(path) == number:
                return Use("is swap in use", f"`swapoff {path}` first")
        if any((self.kernel.sys / "fs/btrfs").glob(f"*/devices/{node}")):
            return Use("is a member of a mounted btrfs", "unmount it first (`btrfs filesystem show` tells which)")
        for export, path in self.exports:
            if self._number(path) == number:
                return Use(f"is served to others ({export})", "take that down first")
        return None

    def _stacked(self, node: str) -> Use | None:
        for upper in self.kernel.holders(node):
            label = self.kernel.label(upper)
            if used := self._whole(upper):
                return Use(f"is held by {label}, which {used.what}", used.way)
            return Use(f"is held by {label}", _way_down(self.kernel, upper))
        for loop in self.loops:
            if self.kernel.number(node) == f"{os.major(loop.rdev)}:{os.minor(loop.rdev)}":
                return self._below_loop(loop)
        if (self.kernel.block(node) / "bcache").exists():
            return Use("is part of a bcache", "stop it first (`echo 1 > /sys/block/bcacheN/bcache/stop`)")
        return None

    def _below_loop(self, loop: Loop) -> Use:
        used = self._whole(loop.node)
        if used:
            return Use(f"is behind /dev/{loop.node}, which {used.what}", used.way)
        return Use(f"is behind /dev/{loop.node}", f"`losetup -d /dev/{loop.node}` first")

    def _number(self, path: str) -> str:
        """`major:minor` of a block node by its path; empty for anything else."""
        there = self.kernel.there(path) if path.startswith("/") else None
        return f"{os.major(there.st_rdev)}:{os.minor(there.st_rdev)}" if there and stat.S_ISBLK(there.st_mode) else ""


def _exports(kernel: Kernel) -> Iterator[tuple[str, str]]:
    for pattern in EXPORTS:
        for path in sorted((kernel.sys / "kernel/config").glob(pattern)):
            if (served := text(path)).startswith("/"):
                yield pattern.partition("/")[0], served


def _way_down(kernel: Kernel, upper: str) -> str:
    """How to take down what is stacked on a drive."""
    label, dm = kernel.label(upper), text(kernel.block(upper) / "dm/uuid")
    if dm.startswith("LVM-"):
        return f"`lvchange -an /dev/mapper/{label}` first"
    if dm.startswith("CRYPT-"):
        return f"`cryptsetup close {label}` first"
    if upper.startswith("dm-"):
        return f"`dmsetup remove {label}` first"
    if upper.startswith("md"):
        return f"`mdadm --stop /dev/{upper}` first"
    return "take that down first"


def _same(one: os.stat_result | None, other: os.stat_result) -> bool:
    return one is not None and (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)
