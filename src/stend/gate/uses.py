"""Who uses a drive or a file right now, and all that lies below and above it: mounts, swap, md, dm, loops, exports.

Use is asked of every layer (`stack`): of the node that was named, of what it lies on down to disks and files, and of
what is stacked on any of these besides our own way down. Reads only.
"""

import errno
import os
import re
import stat
from collections.abc import Callable, Iterator

from stend.base.sysfs import Kernel, Loop, text
from stend.gate import mounts, overlay, partitions, stack, volumes
from stend.gate.overlay import File
from stend.gate.stack import Layer
from stend.gate.use import Use

EXPORTS = (
    "nvmet/subsystems/*/namespaces/*/device_path",
    "nvmet/subsystems/*/passthru/device_path",
    "target/core/*/*/udev_path",
    "target/core/*/*/info",
    "usb_gadget/*/functions/mass_storage.*/lun.*/file",
)
"""In /sys/kernel/config: what NVMe-oF, iSCSI (LIO) and USB targets serve; none of them holds a drive exclusively.

With `passthru` it is a controller, `/dev/nvme0`, and so all of its namespaces.
"""

OLD_GADGETS = "class/udc/*/device/gadget*/lun*/file"
"""In /sys: what a USB gadget of the older kind serves."""


class Uses:
    """One look at everything that is in use on a host."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.mounts = mounts.all_namespaces(kernel)
        self.own = [mount for mount in self.mounts if not mount.pid]
        self._twins: dict[str, list[str]] = {}
        self.swaps = mounts.swaps(kernel)
        self.loops = list(kernel.loops())
        self.exports = list(_exports(kernel))

    def layers(self, path: str) -> list[Layer]:
        """The drive or file at a path and all below it."""
        return stack.below(self.kernel, stack.of_path(self.kernel, path), self.loops, self.own)

    def of(self, layers: list[Layer]) -> Use | None:
        """The use of the first of these layers, or of one below it, or of its twins."""
        own = frozenset(layer.node for layer in layers if layer.node)
        for layer in layers:
            if used := self._layer(layer, own):
                return Use(f"{layer.words}, which {used.what}", used.way) if layer.words else used
        for twin in self.twins(layers):
            if used := self._whole(twin, own) or self._claimed(twin):
                return by_another_path(twin, used)
        return None

    def twins(self, layers: list[Layer]) -> list[str]:
        """Other disks that are one of these, reached by another path which is none of these layers."""
        own = {layer.node for layer in layers}
        whole = (layer.node for layer in layers if layer.node and layer.whole)
        return [twin for node in whole for twin in self._alike(node) if twin not in own]

    def _alike(self, node: str) -> list[str]:
        if node not in self._twins:
            self._twins[node] = self.kernel.twins(node)
        return self._twins[node]

    def _layer(self, layer: Layer, own: frozenset[str]) -> Use | None:
        if not layer.node:
            return self.of_file(layer, own)
        used = (self._whole if layer.whole else self._alone)(layer.node, own)
        return used or (None if layer.claimed else self._claimed(layer.node))

    def _claimed(self, node: str) -> Use | None:
        """The kernel's own word on a node below a loop device, which itself holds it with others."""
        try:
            os.close(os.open(self.kernel.dev / node, os.O_RDONLY | os.O_EXCL | os.O_NONBLOCK | os.O_CLOEXEC))
        except OSError as error:
            if error.errno == errno.EBUSY:
                return Use("the kernel or another program has to itself", "end that first")
        return None

    def of_file(self, layer: Layer, own: frozenset[str]) -> Use | None:
        """The use of a regular file as swap, behind a loop device, as an export, mounted, or in an overlay."""
        for path in self.swaps:
            if self._is(path, layer.file) or path == layer.path:
                return Use("is a swap file in use", f"`swapoff {path}` first")
        for loop in self.loops:
            if (loop.device, loop.inode) == layer.file and loop.node not in own:
                return self._below_loop(loop, own)
        for export, path in self.exports:
            if self._is(path, layer.file):
                return Use(f"is served to others ({export})", "take that down first")
        return self._shown(layer)

    def _shown(self, layer: Layer) -> Use | None:
        """Return a mount of the file itself: as an image (erofs), under another name (bind), within an overlay."""
        for mount in self.mounts:
            place = f"{mount.point}{f' in another mount namespace (of process {mount.pid})' if mount.pid else ''}"
            if mount.source.startswith("/") and self._is(mount.source, layer.file):
                return Use(f"is mounted at {place}", f"`umount {mount.point}` first")
            if mount.root != "/" and not mounts.is_remote(mount) and self._is(mount.point, layer.file, mount.pid):
                return Use(f"has another name, {place} (a bind mount)", f"`umount {mount.point}` first")
        there = self.kernel.there(layer.path)
        if there and (there.st_dev, there.st_ino) == layer.file:
            return overlay.part(self.kernel, self.mounts, layer.path, there, layer.via)
        return None

    def _there(self, path: str, pid: int = 0) -> os.stat_result | None:
        """What a path leads to in the namespace of a process; in ours for 0."""
        return self.kernel.there(f"/proc/{pid}/root{path}" if pid else path)

    def _is(self, path: str, file: File, pid: int = 0) -> bool:
        there = self._there(path, pid)
        return there is not None and (there.st_dev, there.st_ino) == file

    def _whole(self, node: str, own: frozenset[str]) -> Use | None:
        if used := self._alone(node, own):
            return used
        for part in (*self.kernel.partitions(node), *partitions.within(self.kernel, node)):
            if part not in own and (used := self._alone(part, own)):
                return Use(f"has a partition, {part}, that {used.what}", used.way)
        return None

    def _alone(self, node: str, own: frozenset[str]) -> Use | None:
        """The use of one node and of what is stacked on it, without its partitions.

        A path of an NVMe drive with several (nvme0c0n1) has no device number, so that nothing can use it.
        """
        if not self.kernel.number(node):
            return None
        return self._mounted(node) or self._taken(node) or self._stacked(node, own)

    def _mounted(self, node: str) -> Use | None:
        number = self.kernel.number(node)
        for mount in self.mounts:
            if number in (mount.number, self.number(mount.source)):
                if mount.pid:
                    place = f"is mounted at {mount.point} in another mount namespace (of process {mount.pid})"
                    return Use(place, f"`nsenter -t {mount.pid} -m umount {mount.point}` first")
                return Use(f"is mounted at {mount.point}", f"`umount {mount.point}` first")
        return None

    def _taken(self, node: str) -> Use | None:
        number = self.kernel.number(node)
        for path in self.swaps:
            if self.number(path) == number:
                return Use("is swap in use", f"`swapoff {path}` first")
        if any((self.kernel.sys / "fs/btrfs").glob(f"*/devices/{node}")):
            return Use("is a member of a mounted btrfs", "unmount it first (`btrfs filesystem show` tells which)")
        controllers = self.kernel.controllers(node)
        for export, path in self.exports:
            if self.number(path) == number or self.number(path, stat.S_ISCHR) in controllers:
                return Use(f"is served to others ({export})", "take that down first")
        return None

    def _stacked(self, node: str, own: frozenset[str]) -> Use | None:
        ours = [upper for upper in self.kernel.holders(node) if upper in own]
        for upper in self.kernel.holders(node):
            if upper not in own and not self._beside(node, upper, ours):
                label, used = self.kernel.label(upper), self._whole(upper, own)
                return Use(f"is held by {label}{f', which {used.what}' if used else ''}",
                           used.way if used else _way_down(self.kernel, upper))  # fmt: skip
        for loop in self.loops:
            if loop.node not in own and self.kernel.number(node) == f"{os.major(loop.rdev)}:{os.minor(loop.rdev)}":
                return self._below_loop(loop, own)
        if (self.kernel.block(node) / "bcache").exists() and not ours:
            return Use("is part of a bcache", "stop it first (`echo 1 > /sys/block/bcacheN/bcache/stop`)")
        return None

    def _beside(self, node: str, upper: str, ours: list[str]) -> bool:
        """Whether a volume that is not ours has other blocks of a node than all of ours, as volumes of LVM have."""
        number, other = self.kernel.number(node), volumes.table(self.kernel, upper) if ours else ""
        mine = (volumes.table(self.kernel, one) for one in ours)
        return bool(other) and all(told and volumes.disjoint(told, other, number) for told in mine)

    def _below_loop(self, loop: Loop, own: frozenset[str]) -> Use:
        used = self._whole(loop.node, own)
        if used:
            return Use(f"is behind /dev/{loop.node}, which {used.what}", used.way)
        return Use(f"is behind /dev/{loop.node}", f"`losetup -d /dev/{loop.node}` first")

    def number(self, path: str, is_kind: Callable[[int], bool] = stat.S_ISBLK) -> str:
        """`major:minor` of a block node by its path, or of a node of that kind; empty for anything else."""
        there = self.kernel.there(path) if path.startswith("/") else None
        return f"{os.major(there.st_rdev)}:{os.minor(there.st_rdev)}" if there and is_kind(there.st_mode) else ""


def by_another_path(twin: str, used: Use) -> Use:
    """The use of a twin as that of the drive."""
    return Use(f"is the same drive as {twin}, which {used.what}", used.way)


def _exports(kernel: Kernel) -> Iterator[tuple[str, str]]:
    for pattern in EXPORTS:
        for path in sorted((kernel.sys / "kernel/config").glob(pattern)):
            told = text(path)
            for served in re.findall(r"File: (/\S+)", told) if path.name == "info" else [told]:
                if served.startswith("/"):
                    yield pattern.partition("/")[0], served
    for path in sorted(kernel.sys.glob(OLD_GADGETS)):
        if text(path).startswith("/"):
            yield "usb_gadget", text(path)


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
