"""What drives with tools of their own have in common: found by their node, purged by the table, asked after health."""

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from stend.definition import Identity
from stend.devices import _purger as purger
from stend.devices import _tools as tools
from stend.devices import block
from stend.devices._kernel import HOST, SECTOR_BYTES, Kernel, text
from stend.devices._prepare_table import Layout
from stend.devices._purge_table import Drive
from stend.errors import BadInput, Missing, StepFailed
from stend.units import decimal

GENERATIONS = {"2.5": 1, "5.0": 2, "8.0": 3, "16.0": 4, "32.0": 5, "64.0": 6}
"""PCI Express: GT/s of one lane, as sysfs tells it, to the generation people name."""


def whole_node(target: str, kernel: Kernel = HOST) -> str:
    """The kernel's name of the whole drive a target leads to; empty for partitions and anything else."""
    try:
        there = os.stat(target)
    except (OSError, ValueError):
        return ""
    node = kernel.node_of(there.st_rdev) if stat.S_ISBLK(there.st_mode) else ""
    return "" if kernel.parent(node) else node


class Looked:
    """Facts of a drive as they are gathered; a program that is missing leaves a doubt in their place.

    Doubts become notes of the run; warnings, which are shorter, stand on every page of its report.
    """

    def __init__(self) -> None:
        self.facts: dict[str, Any] = {}
        self.doubts: list[str] = []
        self.warnings: list[str] = []

    def ask(self, *words: str) -> tools.Told:
        """What a program says; nothing, and a doubt, where it can't."""
        try:
            return tools.ask(*words)
        except (Missing, StepFailed) as error:
            self.doubts.append(f"{error}; what it would tell is not in this record")
            return tools.Told(127, "", str(error))

    def add(self, **facts: Any) -> None:
        """Keep the facts that were told."""
        self.facts |= {key: value for key, value in facts.items() if value not in (None, "")}

    @property
    def all(self) -> dict[str, Any]:
        """Facts, doubts and warnings together."""
        said = {"doubts": list(dict.fromkeys(self.doubts)), "warnings": list(dict.fromkeys(self.warnings))}
        return self.facts | {key: texts for key, texts in said.items() if texts}


def common(looked: Looked, node: str, kernel: Kernel) -> None:
    """What sysfs tells of every drive: its queue, its NUMA node."""
    queue, device = kernel.block(node) / "queue", kernel.block(node) / "device"
    looked.add(
        scheduler=_chosen(text(queue / "scheduler")),
        read_ahead_kib=tools.number(text(queue / "read_ahead_kb")),
        poll_queues=text(queue / "io_poll"),
        numa_node=text(device / "numa_node") or text(device / "device/numa_node"),
        kernel_write_cache=text(queue / "write_cache"),
    )


def _chosen(line: str) -> str:
    """The word in brackets."""
    return line.partition("[")[2].partition("]")[0] or line


def pci_link(looked: Looked, folder: Path) -> None:
    """Link speed and width as negotiated and as capable; a link below what both ends can is a doubt."""
    told = {name: text(folder / name) for name in ("current_link_speed", "current_link_width", "max_link_speed",
                                                    "max_link_width")}  # fmt: skip
    if not all(told.values()) or "Unknown" in str(told):
        return
    now, can = (_link(told[f"{word}_link_speed"], told[f"{word}_link_width"]) for word in ("current", "max"))
    looked.add(link=now, link_capable=can)
    if now != can:
        looked.doubts.append(f"its PCI Express link runs at {now}, it can {can}: look at the slot and its neighbours")
        looked.warnings.append(f"PCI Express link {now} of {can}")


def _link(speed: str, lanes: str) -> str:
    rate = speed.partition(" ")[0]
    generation = GENERATIONS.get(rate)
    return f"gen {generation} x{lanes}" if generation else f"{rate} GT/s x{lanes}"


def known(target: str, node: str, kind: str, looked: Looked, kernel: Kernel = HOST) -> Identity:
    """Who the drive is by the kernel, with the facts that were gathered."""
    path = os.path.realpath(target)
    if not kernel.size_bytes(node):
        raise BadInput(f"{target} has no size: nothing is in it, or no namespace is attached")
    identity = msgspec.structs.replace(block.identify(target, node, path, kernel), kind=kind, facts=looked.all)
    if identity.native_bytes:
        looked.doubts.append(f"the drive is over-provisioned: {shown(identity)}")
    return msgspec.structs.replace(identity, facts=looked.all)


def shown(drive: Identity) -> str:
    """Its capacity, and of how much that is where it has more."""
    visible = decimal(drive.capacity_bytes)
    return f"{visible} of {decimal(drive.native_bytes)} native" if drive.native_bytes else visible


class DriveDevice(block.BlockDevice):
    """A drive that the purge table knows."""

    asked, template = "", ""
    """The purge method and the maker's command the operator wants instead of the table's own choice."""

    limit = 0.0
    """Seconds a purge may take; 0 for what its size suggests."""

    tell: Callable[[str], None] = staticmethod(lambda words: None)

    @property
    def node(self) -> str:
        """The kernel's name of the drive; empty when it is gone."""
        return whole_node(self.identity.path, self.kernel)

    def abilities(self) -> Drive:
        """What the drive can and what state it is in, asked anew."""
        raise NotImplementedError

    def layout(self) -> Layout:
        """How it is laid out and what of that can be changed, asked anew; here nothing can."""
        return Layout(lba_bytes=self.identity.logical_bytes, capacity_bytes=self.identity.capacity_bytes)

    def anew(self, path: str) -> "DriveDevice":
        """The same drive as it is now, at the path where it was found again."""
        raise NotImplementedError

    def purge(self) -> str:
        """By the table; Refused when that says no, StepFailed with the drive's words when it does not work."""
        drive = self.abilities()
        return purger.purge(drive, self.opened, tell=self.tell, limit=self.limit)

    def health(self) -> dict[str, Any]:
        """What the kernel counted: bytes it read from the drive and wrote to it."""
        return kernel_counters(self.kernel, self.node)

    def cache(self) -> str:
        """`enabled`, `disabled`, or empty where the drive has none or does not tell."""
        return ""

    def set_cache(self, setting: str) -> None:
        """Turn the volatile write cache on or off and read it back; StepFailed when it is not so then.

        It changes no data, so that a gate passed for reading is enough: it is surely the drive that was meant.
        """
        self.opened.check()
        self.write_cache(setting)
        if (now := self.cache()) != setting:
            raise StepFailed(f"{self.identity.target}: its write cache was to be {setting} and is {now or 'not told'}")

    def write_cache(self, setting: str) -> None:
        """The kind's own way to set it."""
        raise NotImplementedError


def kernel_counters(kernel: Kernel, node: str) -> dict[str, Any]:
    """Bytes since the host started, by /sys/block/*/stat; {} when the drive is gone."""
    fields = text(kernel.block(node) / "stat").split()
    if len(fields) < 7:
        return {}
    return {
        "kernel_read_bytes": int(fields[2]) * SECTOR_BYTES,
        "kernel_write_bytes": int(fields[6]) * SECTOR_BYTES,
    }
