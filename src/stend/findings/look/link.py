"""The link between drive and host: its name, and the payload that such a link carries in practice."""

import re
from typing import Any, NamedTuple

from stend.model.counts import Counts
from stend.model.definition import Identity

NEAR_LINK = 0.95
"""A rate from this share of the payload on is limited by the link."""
ONE_WAY = ("SATA",)
"""Links on which reads and writes share the wire; other links carry their full rate in each direction."""

# Payload bytes per second that a link carries in practice: line rate minus coding and framing.
PCIE_LANE = {1: 0.22e9, 2: 0.44e9, 3: 0.88e9, 4: 1.75e9, 5: 3.5e9}
SERIAL: dict[str, dict[float, float]] = {
    "sata": {1.5: 0.14e9, 3: 0.28e9, 6: 0.56e9},
    "sas": {3: 0.28e9, 6: 0.56e9, 12: 1.12e9, 24: 2.2e9},
}


class Link(NamedTuple):
    """A link: its text, its payload in bytes/s (None if unknown), and the faster link that both ends can have."""

    name: str
    bytes_per_s: float | None
    capable: str = ""

    @property
    def sata(self) -> bool:
        """Return True if reads and writes share the wire and the drive queues at most 32 commands."""
        return self.name.upper().startswith(ONE_WAY)

    def busier(self, counts: Counts) -> float:
        """Return bytes/s of the busier direction, or of both directions if they share the wire."""
        return counts.bytes_per_s if self.sata else max(counts.read.bytes, counts.write.bytes) / counts.seconds


def link(drive: Identity, sheet: dict[str, Any]) -> Link:
    """Return the negotiated link if the drive's record states it, else the interface of the sheet or of the drive."""
    facts = {name: str(drive.facts.get(name, "")) for name in ("link", "link_capable")}
    names = {key: _named(drive.interface, text) for key, text in facts.items() if text}
    stated = str(sheet.get("interface") or drive.interface)
    name = names.get("link", stated)
    capable = names.get("link_capable", "")
    return Link(name, link_bytes_per_s(name), capable if capable != name else "")


def _named(interface: str, text: str) -> str:
    """Return a link of sysfs or smartctl with its bus: `gen 3 x4` -> `PCIe 3 x4`, `6.0 Gb/s` -> `SATA 6.0 Gb/s`."""
    if match := re.fullmatch(r"gen (\d) x(\d+)", text):
        return f"PCIe {match[1]} x{match[2]}"
    bus = interface.split(" ", maxsplit=1)[0].upper()
    return f"{bus} {text}" if bus.lower() in SERIAL else text


def link_bytes_per_s(interface: str) -> float | None:
    """Return bytes/s of `NVMe PCIe 3.0 x4`, `SATA 6 Gbit/s` or `SAS 12.0 Gbit x2`, or None for an unknown link."""
    if match := re.search(r"PCIe\s*(?:Gen)?\s*(\d)(?:\.\d)?\s*[x×](\d+)", interface, re.IGNORECASE):
        return PCIE_LANE[int(match[1])] * int(match[2]) if int(match[1]) in PCIE_LANE else None
    if match := re.search(r"(SATA|SAS)\D*?(\d+(?:[.,]\d)?)\s*G(?!iB)\S*(?:\s+x(\d+))?", interface, re.IGNORECASE):
        lane = SERIAL[match[1].lower()].get(float(match[2].replace(",", ".")))
        return lane * int(match[3] or 1) if lane else None
    return None
