"""The link between drive and host: its name, its payload rate by the standard, and what of it arrives in practice."""

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from stend.model.counts import Counts
from stend.model.definition import Identity

NEAR_LINK = 0.95
"""A rate from this share of what arrives in practice on is limited by the link."""
SURE = 0.91
"""From this share of the payload rate on, protocol overhead leaves room for nothing else."""
BEYOND = 1.02
"""A rate above this many times the payload rate disproves the record of the link."""
ONE_WAY = ("SATA",)
"""Links on which reads and writes share the wire; other links carry their full rate in each direction."""

Rates = Mapping[float, float]

# Payload bytes per second by the standards, line rate minus coding: 8b/10b, PCIe from 3.0 on 128b/130b,
# SAS-4 128b/150b, USB from 3.1 on 128b/132b. The rates of Ethernet are without coding.
PAYLOAD_LANE: Rates = {1: 0.25e9, 2: 0.5e9, 3: 8e9 * 16 / 130, 4: 16e9 * 16 / 130, 5: 32e9 * 16 / 130}
PAYLOAD: Mapping[str, Rates] = {
    "sata": {1.5: 0.15e9, 3: 0.3e9, 6: 0.6e9},
    "sas": {3: 0.3e9, 6: 0.6e9, 12: 1.2e9, 24: 2.4e9},
    "usb": {0.48: 0.06e9, 5: 0.5e9, 10: 10e9 * 16 / 132, 20: 20e9 * 16 / 132},
    "ethernet": {gbit: gbit * 0.125e9 for gbit in (1, 10, 25, 40, 50, 100, 200, 400)},
}
CARDS = {"hs400": 0.4e9, "hs200": 0.2e9, "ddr52": 0.104e9, "sdr104": 0.104e9, "ddr50": 0.05e9}
"""Bytes/s by the bus mode of eMMC on eight lines (JEDEC JESD84-B51) and of SD cards, in one direction at a time."""
CARD_SHARE = 0.9
"""Share of it that is left after start bits, checksums and the gaps between blocks."""
# Bytes per second that drives reach in practice. Framing takes the rest, less of it with long frames.
PCIE_LANE: Rates = {1: 0.22e9, 2: 0.44e9, 3: 0.88e9, 4: 1.75e9, 5: 3.5e9}
SERIAL: Mapping[str, Rates] = {
    "sata": {1.5: 0.14e9, 3: 0.28e9, 6: 0.56e9},
    "sas": {3: 0.28e9, 6: 0.56e9, 12: 1.12e9, 24: 2.2e9},
    "usb": {0.48: 0.04e9, 5: 0.44e9, 10: 1.04e9, 20: 2.05e9},
    # TCP in frames of 1,500 bytes carries 1,460 of 1,538 bytes; NVMe or iSCSI takes the rest.
    "ethernet": {gbit: gbit * 0.118e9 for gbit in (1, 10, 25, 40, 50, 100, 200, 400)},
}


class Link(NamedTuple):
    """A link: its text, what drives reach on it in bytes/s (None if unknown), the faster link that both ends can have.

    `payload` is its rate by the standard, 0 if unknown. Links other than SATA carry it in each direction.
    """

    name: str
    bytes_per_s: float | None
    capable: str = ""
    payload: float = 0.0

    @property
    def sata(self) -> bool:
        """Return True if reads and writes share the wire and the drive queues at most 32 commands."""
        return self.name.upper().startswith(ONE_WAY)

    def busier(self, counts: Counts) -> float:
        """Return bytes/s of the busier direction, or of both directions if they share the wire."""
        return counts.bytes_per_s if self.sata else max(counts.read.bytes, counts.write.bytes) / counts.seconds

    def near(self, bytes_per_s: float) -> bool:
        """Return whether a rate is about what the link carries."""
        return bool(self.bytes_per_s) and NEAR_LINK * (self.bytes_per_s or 0) <= bytes_per_s <= BEYOND * self.payload


def link(drive: Identity, sheet: dict[str, Any]) -> Link:
    """Return the negotiated link if the drive's record states it, else the interface of the sheet or of the drive."""
    facts = {"link": str(drive.facts.get("link", "")), "link_capable": capable_of(drive)}
    names = {key: _named(drive.interface, text) for key, text in facts.items() if text}
    stated = str(sheet.get("interface") or drive.interface)
    name = names.get("link", stated)
    capable = names.get("link_capable", "")
    return Link(name, link_bytes_per_s(name), capable if capable != name else "", payload_bytes_per_s(name))


def capable_of(drive: Identity) -> str:
    """Return the fastest link of a drive by its record, or "". For SAS the record has that of the host's port."""
    return "" if drive.bus == "sas" else str(drive.facts.get("link_capable", ""))


def _named(interface: str, text: str) -> str:
    """Return a link of sysfs or smartctl with its bus: `gen 3 x4` -> `PCIe 3 x4`, `6.0 Gb/s` -> `SATA 6.0 Gb/s`."""
    if match := re.fullmatch(r"gen (\d) x(\d+)", text):
        return f"PCIe {match[1]} x{match[2]}"
    bus = interface.split(" ", maxsplit=1)[0].upper()
    return f"{bus} {text}" if bus.lower() in SERIAL and not text.upper().startswith(bus) else text


def link_bytes_per_s(interface: str) -> float | None:
    """Return bytes/s in practice of `PCIe 3.0 x4`, `SAS 12 Gbit x2` or `iSCSI, 10 GbE`, or None if it is unknown."""
    return _carried(interface, PCIE_LANE, SERIAL)


def payload_bytes_per_s(interface: str) -> float:
    """Return the payload rate of a link in bytes/s by its standard, or 0 if it is unknown."""
    return _carried(interface, PAYLOAD_LANE, PAYLOAD) or 0.0


def _carried(interface: str, pcie: Rates, serial: Mapping[str, Rates]) -> float | None:
    """Return the rate of a link from those of one lane, or None if it is unknown."""
    if match := re.search(r"PCIe\s*(?:Gen)?\s*(\d)(?:\.\d)?\s*[x×](\d+)", interface, re.IGNORECASE):
        return pcie[int(match[1])] * int(match[2]) if int(match[1]) in pcie else None
    if match := re.search(r"(SATA|SAS)\D*?(\d+(?:[.,]\d)?)\s*G(?!iB)\S*(?:\s+x(\d+))?", interface, re.IGNORECASE):
        lane = serial[match[1].lower()].get(float(match[2].replace(",", ".")))
        return lane * int(match[3] or 1) if lane else None
    if match := re.search(r"USB.*?(\d+(?:[.,]\d+)?)\s*([GM])b(?:it)?/s", interface, re.IGNORECASE):
        rate = float(match[1].replace(",", ".")) * (1.0 if match[2].upper() == "G" else 1e-3)
        return serial["usb"].get(rate)
    if match := re.search(r"(\d+)\s*G(?:bE\b|b(?:it)?/s\s+Ethernet)", interface, re.IGNORECASE):
        return serial["ethernet"].get(float(match[1]))
    if match := re.match(rf"(?:eMMC|SD)\b.*?\b({'|'.join(CARDS)})\b", interface, re.IGNORECASE):
        return CARDS[match[1].lower()] * (1 if serial is PAYLOAD else CARD_SHARE)
    return None
