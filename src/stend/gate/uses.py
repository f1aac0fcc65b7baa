"""Find current uses of a drive or a file and of everything below and above it: mounts, swap, md, dm, loops, exports.

Every layer (`stack`) is checked: the named node, the layers below it down to disks and files, and everything that is
stacked on any of these, except the layers themselves. Reads only.
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
from stend.gate.use import Use, first
from stend.words import Sentence

EXPORTS = (
    "nvmet/subsystems/*/namespaces/*/device_path",
    "nvmet/subsystems/*/passthru/device_path",
    "target/core/*/*/udev_path",
    "target/core/*/*/info",
    "usb_gadget/*/functions/mass_storage.*/lun.*/file",
)
"""In /sys/kernel/config: the paths that NVMe-oF, iSCSI (LIO) and USB targets serve. None holds a drive exclusively.

With `passthru` the path is a controller, `/dev/nvme0`, and means all of its namespaces.
"""

OLD_GADGETS = "class/udc/*/device/gadget*/lun*/file"
"""In /sys: the files that a USB gadget of the older kind serves."""


class Uses:
    """A snapshot of everything that is in use on a host."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel
        self.mounts = mounts.all_namespaces(kernel)
        self.local_mounts = [mount for mount in self.mounts if not mount.pid]
        self._twins: dict[str, list[str]] = {}
        self.swaps = mounts.swaps(kernel)
        self.loops = list(kernel.loops())
        self.exports = list(_exports(kernel))

    def layers(self, path: str) -> list[Layer]:
        """Return the drive or file at a path and all layers below it."""
        return stack.below(self.kernel, stack.of_path(self.kernel, path), self.loops, self.local_mounts)

    def of(self, layers: list[Layer]) -> Use | None:
        """Return the first use of a target by its layers in order, then by their twins, or None if it is not in use."""
        inside = frozenset(layer.node for layer in layers if layer.node)
        for layer in layers:
            if used := self._layer(layer, inside):
                return used.below(layer.words)
        for twin in self.twins(layers):
            if used := self._whole(twin, inside) or self._claimed(twin):
                return by_another_path(twin, used)
        return None

    def twins(self, layers: list[Layer]) -> list[str]:
        """Return other nodes of the same disks (multipath) that are not among these layers."""
        inside = {layer.node for layer in layers}
        whole = (layer.node for layer in layers if layer.node and layer.whole)
        return [twin for node in whole for twin in self._same_disk(node) if twin not in inside]

    def _same_disk(self, node: str) -> list[str]:
        if node not in self._twins:
            self._twins[node] = self.kernel.twins(node)
        return self._twins[node]

    def _layer(self, layer: Layer, inside: frozenset[str]) -> Use | None:
        if not layer.node:
            return self.of_file(layer, inside)
        used = (self._whole if layer.whole else self._alone)(layer.node, inside)
        return used or (None if layer.claimed else self._claimed(layer.node))

    def _claimed(self, node: str) -> Use | None:
        """Return the use of a node that cannot be opened exclusively. A loop device above it does not claim it."""
        try:
            os.close(os.open(self.kernel.dev / node, os.O_RDONLY | os.O_EXCL | os.O_NONBLOCK | os.O_CLOEXEC))
        except OSError as error:
            if error.errno == errno.EBUSY:
                return Use(Sentence("gate_to_itself"), Sentence("gate_end"))
        return None

    def of_file(self, layer: Layer, inside: frozenset[str]) -> Use | None:
        """Return the use of a regular file as swap, behind a loop device, as an export, mounted, or in an overlay.

        `inside` are the nodes of the target's layers, which are not uses.
        """
        for path in self.swaps:
            if self._is(path, layer.file) or path == layer.path:
                return Use(Sentence("gate_swap_file"), first(f"swapoff {path}"))
        for loop in self.loops:
            if (loop.device, loop.inode) == layer.file and loop.node not in inside:
                return self._below_loop(loop, inside)
        for export, path in self.exports:
            if self._is(path, layer.file):
                return Use(Sentence("gate_served", export=export), Sentence("gate_down"))
        return self._shown(layer)

    def _shown(self, layer: Layer) -> Use | None:
        """Return the use of the file by a mount: as an image (erofs), as a bind mount, or as a part of an overlay."""
        for mount in self.mounts:
            place, way = mount.place, first(f"umount {mount.point}")
            if mount.source.startswith("/") and self._is(mount.source, layer.file):
                return Use(Sentence("gate_mounted", place=place), way)
            if mount.root != "/" and not mounts.is_remote(mount) and self._is(mount.point, layer.file, mount.pid):
                return Use(Sentence("gate_bound", place=place), way)
        there = self.kernel.there(layer.path)
        if there and (there.st_dev, there.st_ino) == layer.file:
            return overlay.part(self.kernel, self.mounts, layer.path, there, layer.via)
        return None

    def _is(self, path: str, file: File, pid: int = 0) -> bool:
        """Return True if a path leads to a file in the mount namespace of a process. 0 is this process."""
        there = self.kernel.there(f"/proc/{pid}/root{path}" if pid else path)
        return there is not None and (there.st_dev, there.st_ino) == file

    def _whole(self, node: str, inside: frozenset[str]) -> Use | None:
        if used := self._alone(node, inside):
            return used
        for part in (*self.kernel.partitions(node), *partitions.within(self.kernel, node)):
            if part not in inside and (used := self._alone(part, inside)):
                return used.within("gate_partition", part=part)
        return None

    def _alone(self, node: str, inside: frozenset[str]) -> Use | None:
        """Return the use of one node and of everything stacked on it, without its partitions.

        One path of a multipath NVMe drive (nvme0c0n1) has no device number, so that nothing can use it.
        """
        if not self.kernel.number(node):
            return None
        return self._mounted(node) or self._taken(node) or self._stacked(node, inside)

    def _mounted(self, node: str) -> Use | None:
        number = self.kernel.number(node)
        for mount in self.mounts:
            if number in (mount.number, self.number(mount.source)):
                entered = f"nsenter -t {mount.pid} -m " if mount.pid else ""
                return Use(Sentence("gate_mounted", place=mount.place), first(f"{entered}umount {mount.point}"))
        return None

    def _taken(self, node: str) -> Use | None:
        number = self.kernel.number(node)
        for path in self.swaps:
            if self.number(path) == number:
                return Use(Sentence("gate_swap"), first(f"swapoff {path}"))
        if any((self.kernel.sys / "fs/btrfs").glob(f"*/devices/{node}")):
            return Use(Sentence("gate_btrfs"), Sentence("gate_btrfs_way"))
        controllers = self.kernel.controllers(node)
        for export, path in self.exports:
            if self.number(path) == number or self.number(path, stat.S_ISCHR) in controllers:
                return Use(Sentence("gate_served", export=export), Sentence("gate_down"))
        return None

    def _stacked(self, node: str, inside: frozenset[str]) -> Use | None:
        ours = [upper for upper in self.kernel.holders(node) if upper in inside]
        for upper in self.kernel.holders(node):
            if upper not in inside and not self._is_separate(node, upper, ours):
                label, used = self.kernel.label(upper), self._whole(upper, inside)
                if used:
                    return used.within("gate_held_used", label=label)
                return Use(Sentence("gate_held", label=label), _way_down(self.kernel, upper))
        for loop in self.loops:
            if loop.node not in inside and self.kernel.number(node) == f"{os.major(loop.rdev)}:{os.minor(loop.rdev)}":
                return self._below_loop(loop, inside)
        if (self.kernel.block(node) / "bcache").exists() and not ours:
            return Use(Sentence("gate_bcache"), Sentence("gate_bcache_way"))
        return None

    def _is_separate(self, node: str, upper: str, ours: list[str]) -> bool:
        """Return True if a volume uses other blocks of the node than all volumes of the target, as LVM volumes do."""
        number, other = self.kernel.number(node), volumes.table(self.kernel, upper) if ours else ""
        tables = (volumes.table(self.kernel, volume) for volume in ours)
        return bool(other) and all(table and volumes.disjoint(table, other, number) for table in tables)

    def _below_loop(self, loop: Loop, inside: frozenset[str]) -> Use:
        used = self._whole(loop.node, inside)
        if used:
            return used.within("gate_behind_used", node=loop.node)
        return Use(Sentence("gate_behind", node=loop.node), first(f"losetup -d /dev/{loop.node}"))

    def number(self, path: str, is_kind: Callable[[int], bool] = stat.S_ISBLK) -> str:
        """Return `major:minor` of the node at a path if it is of the given kind, empty for anything else."""
        there = self.kernel.there(path) if path.startswith("/") else None
        return f"{os.major(there.st_rdev)}:{os.minor(there.st_rdev)}" if there and is_kind(there.st_mode) else ""


def by_another_path(twin: str, used: Use) -> Use:
    """Return the use of a drive under another node as the use of the drive."""
    return used.within("gate_twin", twin=twin)


def _exports(kernel: Kernel) -> Iterator[tuple[str, str]]:
    for pattern in EXPORTS:
        for path in sorted((kernel.sys / "kernel/config").glob(pattern)):
            content = text(path)
            for served in re.findall(r"File: (/\S+)", content) if path.name == "info" else [content]:
                if served.startswith("/"):
                    yield pattern.partition("/")[0], served
    for path in sorted(kernel.sys.glob(OLD_GADGETS)):
        if text(path).startswith("/"):
            yield "usb_gadget", text(path)


def _way_down(kernel: Kernel, upper: str) -> Sentence:
    """Return how to take down the node that is stacked on a drive."""
    label, dm = kernel.label(upper), text(kernel.block(upper) / "dm/uuid")
    if dm.startswith("LVM-"):
        return first(f"lvchange -an /dev/mapper/{label}")
    if dm.startswith("CRYPT-"):
        return first(f"cryptsetup close {label}")
    if upper.startswith("dm-"):
        return first(f"dmsetup remove {label}")
    if upper.startswith("md"):
        return first(f"mdadm --stop /dev/{upper}")
    return Sentence("gate_down")
