"""Gather facts about a drive: those of the kernel about every drive, and doubts if a program could not be run."""

import re
from pathlib import Path
from typing import Any

from stend.base import control_groups
from stend.base.errors import Missing, StepFailed
from stend.base.sysfs import SECTOR_BYTES, Kernel, text
from stend.base.units import decimal
from stend.devices.telling import kinds, tools
from stend.model.definition import Identity
from stend.words import Sentence
from stend.words import text as words_of

GENERATIONS = {"2.5": 1, "5.0": 2, "8.0": 3, "16.0": 4, "32.0": 5, "64.0": 6}
"""PCI Express: GT/s of one lane as sysfs shows it -> generation."""


SELF_COUNTING = ("zram", "dm-")
"""Drivers that count their IOs themselves, also with `iostats` 0 (seen with Linux 6.18 and 6.1)."""
LIMITS = {"rbps": "group_read_bytes", "wbps": "group_written_bytes", "riops": "group_reads", "wiops": "group_writes"}
DISCARDED = 13
"""Field of /sys/block/*/stat: discarded sectors (since Linux 4.18)."""


class Looked:
    """Facts about a drive while they are gathered. A missing program adds a doubt instead.

    Doubts become notes of the run. Warnings are shorter and are printed on every page of its report.
    """

    def __init__(self) -> None:
        self.facts: dict[str, Any] = {}
        self.doubts: list[Sentence] = []
        self.warnings: list[Sentence] = []

    def run(self, *words: str) -> tools.Output:
        """Run a program and return its output. Add a doubt and return empty output if it cannot be run."""
        try:
            return tools.run(*words)
        except (Missing, StepFailed) as error:
            self.doubts.append(Sentence("unread_facts", why=words_of(str(error))))
            return tools.Output(127, "", str(error))

    def add(self, **facts: Any) -> None:
        """Keep the facts that have a value."""
        self.facts |= {key: value for key, value in facts.items() if value not in (None, "")}

    @property
    def all(self) -> dict[str, Any]:
        """Return facts, doubts and warnings together."""
        remarks = {"doubts": list(dict.fromkeys(self.doubts)), "warnings": list(dict.fromkeys(self.warnings))}
        return self.facts | {key: texts for key, texts in remarks.items() if texts}


def common(looked: Looked, node: str, kernel: Kernel) -> None:
    """Gather the facts that sysfs has about every drive: its queue and its NUMA node."""
    disk = kernel.block(kernel.parent(node) or node)
    queue, device = disk / "queue", disk / "device"
    looked.add(
        scheduler=_chosen(text(queue / "scheduler")),
        read_ahead_kib=tools.number(text(queue / "read_ahead_kb")),
        poll_queues=text(queue / "io_poll"),
        numa_node=_numa(device),
        kernel_write_cache=text(queue / "write_cache"),
        trim_max_bytes=tools.number(text(queue / "discard_max_bytes")) or None,
        **kinds.of_node(node, kernel),
    )
    for name in dict.fromkeys((node, kernel.parent(node) or node)):
        _limits(looked, name, kernel)


def _limits(looked: Looked, node: str, kernel: Kernel) -> None:
    """Gather the lowest limit of each kind that this process's control groups set on a node."""
    number, highest_first = kernel.number(node), sorted(control_groups.rates(kernel), key=lambda limit: -limit.rate)
    for limit in {limit.kind: limit for limit in highest_first if limit.drive == number}.values():
        looked.doubts.append(Sentence("group_left", group=limit.group, node=node))
        looked.warnings.append(Sentence(LIMITS[limit.kind], group=limit.group, node=node, rate=limit.rate))


def _numa(device: Path) -> str:
    """Return the NUMA node of the nearest device above the drive that has one, usually its PCI function."""
    places = [device.resolve(), *device.resolve().parents][:-1]
    return next((node for node in map(numa_node, places) if node), "")


def numa_node(place: Path) -> str:
    """Return the NUMA node of a device, or "" if the kernel knows none, for which it has -1."""
    return text(place / "numa_node").replace("-1", "")


def _chosen(line: str) -> str:
    """Return the word in brackets, or the whole line if it has none."""
    return line.partition("[")[2].partition("]")[0] or line


def pci_link(looked: Looked, folder: Path) -> None:
    """Gather the negotiated and the maximum link speed and width. A link below its maximum is a doubt."""
    link = {name: text(folder / name) for name in ("current_link_speed", "current_link_width", "max_link_speed",
                                                    "max_link_width")}  # fmt: skip
    if not all(link.values()) or "Unknown" in str(link):
        return
    now, can = (_link(link[f"{word}_link_speed"], link[f"{word}_link_width"]) for word in ("current", "max"))
    looked.add(link=now, link_capable=can)
    if now != can:
        looked.doubts.append(Sentence("pci_below", now=now, can=can))
        looked.warnings.append(Sentence("link_below", now=now, can=can))


def pci_errors(folder: Path) -> dict[str, int]:
    """Return the errors that the link corrected since the host started (AER), or {} if it does not report them."""
    total = re.search(r"TOTAL_ERR_COR (\d{1,18})\b", text(folder / "aer_dev_correctable"))
    return {"link_errors": int(total[1])} if total else {}


def _link(speed: str, lanes: str) -> str:
    rate = speed.partition(" ")[0]
    generation = GENERATIONS.get(rate)
    return f"gen {generation} x{lanes}" if generation else f"{rate} GT/s x{lanes}"


def shown(drive: Identity) -> str:
    """Return the capacity of a drive in words, with its native capacity if that is larger."""
    visible = decimal(drive.capacity_bytes)
    return f"{visible} of {decimal(drive.native_bytes)} native" if drive.native_bytes else visible


def kernel_counters(kernel: Kernel, node: str) -> dict[str, Any]:
    """Return the bytes since the host started, by /sys/block/*/stat, or {} if the drive is gone or does not count."""
    fields = text(kernel.block(node) / "stat").split()
    off = text(kernel.block(kernel.parent(node) or node) / "queue/iostats") == "0"
    uncounted = off and not node.startswith(SELF_COUNTING)
    if len(fields) < 7 or uncounted:
        return {}
    return {
        "kernel_read_bytes": tools.number(fields[2]) * SECTOR_BYTES,
        "kernel_write_bytes": tools.number(fields[6]) * SECTOR_BYTES,
        **({"kernel_discard_bytes": tools.number(fields[DISCARDED]) * SECTOR_BYTES} if len(fields) > DISCARDED else {}),
    }
