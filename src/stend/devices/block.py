"""Any block node, with the facts that the kernel has: loop, zram, dm, and drives without a separate kind."""

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from stend import gate
from stend.base.errors import BadInput
from stend.base.sysfs import HOST, Kernel, count, text
from stend.base.text import nearest
from stend.devices.purging import methods
from stend.devices.purging.purge import purged
from stend.devices.purging.table import lesser
from stend.devices.telling import below as lower
from stend.devices.telling import evidence, facts, places
from stend.devices.telling.below import Member
from stend.devices.telling.evidence import Piece
from stend.model.definition import Identity
from stend.words import Sentence

WITHOUT_HEADS = ("loop", "zram", "ram")
"""Drivers that report `rotational` although nothing rotates."""


def claims(target: str, kernel: Kernel = HOST) -> bool:
    """Return True for a block node or a link to one, and for a missing path below /dev, which `find` then reports."""
    try:
        return stat.S_ISBLK(os.stat(target).st_mode)
    except (OSError, ValueError):
        return target.startswith("/dev/")


def below(target: str, kernel: Kernel = HOST) -> list[str]:
    """Return the nodes of the drives directly below a target, or the whole drive for a partition."""
    node = kernel.node_at(target)
    lower = [kernel.parent(node)] if kernel.parent(node) else kernel.slaves(node)
    return list(dict.fromkeys(kernel.parent(name) or name for name in lower))


def find(target: str, kernel: Kernel = HOST, members: Sequence[Member] = ()) -> "BlockDevice":
    """Return the drive. Raise BadInput if it does not exist or has no size."""
    path = os.path.realpath(target)
    try:
        there = os.stat(path)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        beside = [file.name for file in Path(target).parent.glob("*") if file.is_block_device()]
        meant = nearest(Path(target).name, beside)
        way = f"did you mean {Path(target).with_name(meant)}?" if meant else "`stend devices` lists the drives"
        raise BadInput(f"{target} is not there ({why}); {way}") from error
    node = kernel.node_of(there.st_rdev)
    if not node:
        raise BadInput(f"{target} is a node without a drive; `stend devices` lists the drives there are")
    if not kernel.size_bytes(node):
        raise BadInput(f"{target} has no size: nothing is set up behind it")
    looked = look(node, kernel)
    lower.add_members(looked, members)
    identity = msgspec.structs.replace(identify(target, node, path, kernel), facts=looked.all)
    return BlockDevice(identity, kernel, members)


def look(node: str, kernel: Kernel = HOST) -> facts.Looked:
    """Gather facts about a node of any driver, and those that loop, zram and device-mapper add."""
    looked, folder = facts.Looked(), kernel.block(node)
    facts.common(looked, node, kernel)
    looked.add(
        backing_file=text(folder / "loop/backing_file"),
        compression=text(folder / "comp_algorithm").partition("[")[2].partition("]")[0],
        volume=text(folder / "dm/name"),
        volume_kind=text(folder / "dm/uuid").partition("-")[0],
    )
    if text(folder / "loop/dio") == "0":
        looked.doubts.append(Sentence("loop_cached", way=f"`losetup --direct-io=on /dev/{node}`"))
    looked.warnings += places.of_node(node, kernel)
    return looked


def identify(target: str, node: str, path: str, kernel: Kernel = HOST) -> Identity:
    """Return the identity of a node from sysfs. Model and block sizes of a partition are those of its disk."""
    folder = kernel.block(node)
    device = kernel.block(kernel.parent(node) or node)
    named = kernel.names(node)
    card = _card(device / "device") if node.startswith("mmcblk") else {}
    return Identity(
        kind="block",
        target=target,
        path=path,
        capacity_bytes=kernel.size_bytes(node),
        model=text(device / "device/model")
        or card.get("model")
        or text(folder / "dm/name")
        or node.rstrip("0123456789"),
        serial=named["serial"],
        wwn=named["wwn"],
        firmware=card.get("firmware") or text(device / "device/firmware_rev") or text(device / "device/rev"),
        interface=card.get("interface") or _interface(node, device),
        logical_bytes=count(device / "queue/logical_block_size") or 512,
        physical_bytes=count(device / "queue/physical_block_size") or 512,
        rotational=text(device / "queue/rotational") == "1" and not node.startswith(WITHOUT_HEADS),
    )


def _card(folder: Path) -> dict[str, str]:
    """Return what the kernel has read of an eMMC device or an SD card (CID and extended CSD), in its sysfs folder."""
    bus = {"MMC": "emmc", "SD": "sd"}.get(text(folder / "type"), "")
    return {"model": text(folder / "name"), "firmware": text(folder / "fwrev"), "interface": bus}


def _interface(node: str, device: Path) -> str:
    """Return `nvme`, `sata`, `sas`, `usb`, or the driver's name."""
    if node.startswith("nvme"):
        return "nvme"
    way = str(device.resolve())
    for mark, name in (("/ata", "sata"), ("/usb", "usb"), ("/end_device-", "sas")):
        if mark in way:
            return name
    return node.rstrip("0123456789-")


class BlockDevice:
    """A block node as a drive. `members` are the drives below it, none for a drive."""

    def __init__(self, identity: Identity, kernel: Kernel = HOST, members: Sequence[Member] = ()) -> None:
        self.identity, self.kernel, self.members = identity, kernel, members
        self.door = gate.Guarded(identity, kernel, self.unrest)

    @property
    def node(self) -> str:
        """Return the kernel's name of the node, or an empty string if it no longer exists."""
        return self.kernel.node_at(self.identity.path)

    def unrest(self) -> str:
        """Return why it must not be measured now, in words that follow its name, or an empty string."""
        return ""

    def health(self) -> dict[str, Any]:
        """Return the kernel's counters, and the health of the drives below."""
        return facts.kernel_counters(self.kernel, self.node) | lower.health(self.members)

    def evidence(self, since_s: float) -> Iterator[Piece]:
        """Yield the kernel's lines about the drive since a moment of the monotonic clock, and its members' evidence."""
        yield evidence.kernel_lines(evidence.names_of(self.kernel, self.node), since_s)
        yield from lower.evidence(self.members, since_s)

    def purge(self) -> Sentence:
        """Discard every block and check that a sample reads as zeros. Write zeros if the drive does not do that."""
        passed = self.door.opened
        passed.check()
        if methods.discard(passed) and methods.reads_zero(passed):
            return purged(lesser("purge_discarded"), Sentence("purge_zeros"))
        methods.zero(passed)
        if not methods.reads_zero(passed):
            raise methods.unpurged(passed)
        return purged(lesser("purge_zeroed"), Sentence("purge_zeros"))
