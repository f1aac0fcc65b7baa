"""Facts of a drive as they are gathered: what the kernel tells of all of them, and what could not be asked."""

import re
from pathlib import Path
from typing import Any

from stend.base.errors import Missing, StepFailed
from stend.base.sysfs import SECTOR_BYTES, Kernel, text
from stend.base.units import decimal
from stend.devices.telling import tools
from stend.model.definition import Identity

GENERATIONS = {"2.5": 1, "5.0": 2, "8.0": 3, "16.0": 4, "32.0": 5, "64.0": 6}
"""PCI Express: GT/s of one lane, as sysfs tells it, to the generation people name."""


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
    disk = kernel.block(kernel.parent(node) or node)
    queue, device = disk / "queue", disk / "device"
    looked.add(
        scheduler=_chosen(text(queue / "scheduler")),
        read_ahead_kib=tools.number(text(queue / "read_ahead_kb")),
        poll_queues=text(queue / "io_poll"),
        numa_node=_numa(device),
        kernel_write_cache=text(queue / "write_cache"),
    )


def _numa(device: Path) -> str:
    """The NUMA node of the nearest part of the way to the drive that tells one, its PCI function as a rule."""
    places = [device.resolve(), *device.resolve().parents][:-1]
    return next((told for told in (text(place / "numa_node") for place in places) if told), "")


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


def pci_errors(folder: Path) -> dict[str, int]:
    """Errors that the link corrected since the host started (AER); {} where the host does not report them."""
    told = re.search(r"TOTAL_ERR_COR (\d{1,18})\b", text(folder / "aer_dev_correctable"))
    return {"link_errors": int(told[1])} if told else {}


def _link(speed: str, lanes: str) -> str:
    rate = speed.partition(" ")[0]
    generation = GENERATIONS.get(rate)
    return f"gen {generation} x{lanes}" if generation else f"{rate} GT/s x{lanes}"


def shown(drive: Identity) -> str:
    """Its capacity, and of how much that is where it has more."""
    visible = decimal(drive.capacity_bytes)
    return f"{visible} of {decimal(drive.native_bytes)} native" if drive.native_bytes else visible


def kernel_counters(kernel: Kernel, node: str) -> dict[str, Any]:
    """Bytes since the host started, by /sys/block/*/stat; {} when the drive is gone or nothing is counted."""
    fields = text(kernel.block(node) / "stat").split()
    uncounted = text(kernel.block(kernel.parent(node) or node) / "queue/iostats") == "0"
    if len(fields) < 7 or uncounted:
        return {}
    return {
        "kernel_read_bytes": tools.number(fields[2]) * SECTOR_BYTES,
        "kernel_write_bytes": tools.number(fields[6]) * SECTOR_BYTES,
    }
