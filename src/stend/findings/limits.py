"""The limit of the highest figures: the drive, its link, or the processors of the host."""

import re
from collections.abc import Iterator

from stend.findings import Finding, Sheet, look
from stend.model.counts import Counts
from stend.model.record import Run

NAME = "limits"
BUSY = 0.9
NEAR_LINK = 0.95
ONE_WAY = ("SATA",)
"""Links on which reads and writes share the wire; other links carry their full rate in each direction."""

# Payload bytes per second that a link carries in practice: line rate minus coding and framing.
PCIE_LANE = {1: 0.22e9, 2: 0.44e9, 3: 0.88e9, 4: 1.75e9, 5: 3.5e9}
SERIAL: dict[str, dict[float, float]] = {
    "sata": {1.5: 0.14e9, 3: 0.28e9, 6: 0.56e9},
    "sas": {3: 0.28e9, 6: 0.56e9, 12: 1.12e9, 24: 2.2e9},
}


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """Yield one finding for the run, or nothing if nothing was measured."""
    cells = [cell for test in look.tests(run) for cell in look.cells(run, test)]
    if not cells:
        return
    # The threads of a load share the CPU seconds of the host; no thread can use more than one core.
    busiest = max(cells, key=lambda cell: cell.counts.cpu_s / cell.counts.seconds / cell.workload.threads)
    busy = busiest.counts.cpu_s / busiest.counts.seconds / busiest.workload.threads
    interface = str(sheet.get("interface") or run.plan.device.interface)
    link, rate = link_bytes_per_s(interface), max(_one_way(cell.counts, interface) for cell in cells)
    values = {"rate": rate, "link": link, "interface": interface, "busy": busy}
    if link and rate >= NEAR_LINK * link:
        yield Finding(name=NAME, key="link", values=values, confidence="medium")
    elif busy >= BUSY and not run.plan.device.virtual:
        threads = {"load": busiest.workload.label, "threads": busiest.workload.threads}
        yield Finding(name=NAME, key="cpu", values=values | threads, confidence="low")
    elif link:
        yield Finding(name=NAME, key="drive", values=values, confidence="medium")
    else:
        yield Finding(name=NAME, key="unknown", values=values, confidence="can't tell")


def _one_way(counts: Counts, interface: str) -> float:
    """Return bytes per second of the busier direction, or of both if they share the wire."""
    if interface.upper().startswith(ONE_WAY):
        return counts.bytes_per_s
    return max(counts.read.bytes, counts.write.bytes) / counts.seconds


def link_bytes_per_s(interface: str) -> float | None:
    """Return bytes/s of `NVMe PCIe 3.0 x4`, `SATA 6 Gbit/s` or `SAS 12 Gb/s`; None if the text states no known link."""
    if match := re.search(r"PCIe\s*(?:Gen)?\s*(\d)(?:\.\d)?\s*[x×](\d+)", interface, re.IGNORECASE):
        return PCIE_LANE[int(match[1])] * int(match[2]) if int(match[1]) in PCIE_LANE else None
    if match := re.search(r"(SATA|SAS)\D*?(\d+(?:[.,]\d)?)\s*G", interface, re.IGNORECASE):
        return SERIAL[match[1].lower()].get(float(match[2].replace(",", ".")))
    return None
