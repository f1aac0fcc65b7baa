"""Any block node, as far as the kernel tells: loop, zram, dm, and drives without a kind of their own."""

import os
import stat
from pathlib import Path
from typing import Any

import msgspec

from stend.definition import Identity
from stend.devices import _facts as facts
from stend.devices import _purging as purging
from stend.devices import gate
from stend.devices._kernel import HOST, Kernel, text
from stend.devices._refusals import refusal
from stend.devices._uses import Uses
from stend.devices.file import GatedDevice
from stend.errors import BadInput

WITHOUT_HEADS = ("loop", "zram", "ram")
"""Drivers that say rotational though nothing turns."""


def claims(target: str) -> bool:
    """A block node, or a link to one; anything missing below /dev, so that the reason is told here."""
    try:
        return stat.S_ISBLK(os.stat(target).st_mode)
    except (OSError, ValueError):
        return target.startswith("/dev/")


def find(target: str, kernel: Kernel = HOST) -> "BlockDevice":
    """The drive; BadInput when it is not there or has no size."""
    path = os.path.realpath(target)
    try:
        there = os.stat(path)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        raise BadInput(f"{target} is not there ({why}); `stend devices` lists what is") from error
    node = kernel.node_of(there.st_rdev)
    if not node:
        raise BadInput(f"{target} is a node without a drive; `stend devices` lists the drives there are")
    if not kernel.size_bytes(node):
        raise BadInput(f"{target} has no size: nothing is set up behind it")
    from stend.devices import _below as below

    looked, members = look(node, kernel), below.find(node, kernel)
    below.tell(looked, members)
    identity = msgspec.structs.replace(identify(target, node, path, kernel), facts=looked.all)
    device = BlockDevice(identity, gate.marks(path, kernel), kernel)
    device.members = members
    return device


def look(node: str, kernel: Kernel = HOST) -> facts.Looked:
    """Facts of a node of any driver, and of what its own driver tells: loop, zram, device-mapper."""
    looked, folder = facts.Looked(), kernel.block(node)
    facts.common(looked, node, kernel)
    looked.add(
        backing_file=text(folder / "loop/backing_file"),
        compression=text(folder / "comp_algorithm").partition("[")[2].partition("]")[0],
        volume=text(folder / "dm/name"),
        volume_kind=text(folder / "dm/uuid").partition("-")[0],
    )
    if text(folder / "loop/dio") == "0":
        on = f"`losetup --direct-io=on /dev/{node}`"
        looked.doubts.append(f"the loop device goes through the page cache of its file: {on}, before figures are read")
    return looked


def identify(target: str, node: str, path: str, kernel: Kernel = HOST) -> Identity:
    """What sysfs tells of a node; a partition's facts are its disk's."""
    folder = kernel.block(node)
    device = kernel.block(kernel.parent(node) or node)
    named = kernel.names(node)
    return Identity(
        kind="block",
        target=target,
        path=path,
        capacity_bytes=kernel.size_bytes(node),
        model=text(device / "device/model") or text(folder / "dm/name") or node.rstrip("0123456789"),
        serial=named["serial"],
        wwn=named["wwn"],
        firmware=text(device / "device/firmware_rev") or text(device / "device/rev"),
        interface=_interface(node, device),
        logical_bytes=int(text(device / "queue/logical_block_size") or 512),
        physical_bytes=int(text(device / "queue/physical_block_size") or 512),
        rotational=text(device / "queue/rotational") == "1" and not node.startswith(WITHOUT_HEADS),
    )


def _interface(node: str, device: Path) -> str:
    """`nvme`, `sata`, `sas`, `usb`, or the driver's name."""
    if node.startswith("nvme"):
        return "nvme"
    way = str(device.resolve())
    for mark, name in (("/ata", "sata"), ("/usb", "usb"), ("/end_device-", "sas")):
        if mark in way:
            return name
    return node.rstrip("0123456789-")


def listing(kernel: Kernel = HOST) -> list[tuple[Identity, str]]:
    """Every whole block device with a size, and why it cannot be tested, or nothing."""
    uses, found = Uses(kernel), []
    for node in kernel.nodes():
        path = str(kernel.dev / node)
        if kernel.parent(node) or not kernel.size_bytes(node) or not os.path.exists(path):
            continue
        found.append((identify(path, node, path, kernel), reason(path, kernel, uses)))
    return found


def reason(path: str, kernel: Kernel = HOST, uses: Uses | None = None) -> str:
    """Why it cannot be tested now: it must not be written, or is an array that is busy with itself."""
    from stend.devices import md

    if refused := refusal(path, kernel=kernel, uses=uses):
        return refused
    there = os.stat(path)
    return md.unrest(kernel.node_of(there.st_rdev), kernel) if stat.S_ISBLK(there.st_mode) else ""


class BlockDevice(GatedDevice):
    """A block node as a drive."""

    members: "list[BlockDevice]" = []  # noqa: RUF012 - replaced, never added to
    """The drives it lies on, where it is not one itself."""

    @property
    def node(self) -> str:
        """The kernel's name of it; empty when it is gone."""
        try:
            return self.kernel.node_of(os.stat(self.identity.path).st_rdev)
        except OSError:
            return ""

    def health(self) -> dict[str, Any]:
        """What the kernel counted, and the health of the drives below."""
        from stend.devices import _below as below

        return facts.kernel_counters(self.kernel, self.node) | below.health(self.members)

    def purge(self) -> str:
        """Discard every block and see that zeros are read; zeros written where that is not to be had."""
        passed = self.opened
        passed.check()
        if purging.discard(passed) and purging.reads_zero(passed):
            return "all blocks discarded (not a drive's own purge), a sample read back as zeros"
        purging.zero(passed)
        if not purging.reads_zero(passed):
            raise purging.unpurged(passed)
        return "zeros written over all blocks (not a drive's own purge), a sample read back as zeros"
