"""SAS and other SCSI drives: sysfs, sg3-utils and smartctl."""

import re
from typing import Any

from stend.base.sysfs import HOST, Kernel, text
from stend.devices import _scsi_disk as disks
from stend.devices import drive as drives
from stend.devices.purging import prepare_table, table
from stend.devices.telling import facts, shapes, tools
from stend.devices.telling import scsi_links as links

SANITIZE = {"1": "sanitize overwrite", "2": "sanitize block", "3": "sanitize crypto"}
SENSE = {
    r"sanitize in progress": "sanitize running",
    r"format in progress": "format running",
    r"sanitize command failed": "sanitize failed",
}


def claims(target: str, kernel: Kernel = HOST) -> bool:
    """A whole disk of the sd driver that is not behind libata."""
    return disks.way(drives.whole_node(target, kernel), kernel) in ("scsi", "usb")


def find(target: str, kernel: Kernel = HOST) -> "ScsiDevice":
    """The drive with its facts."""
    node = drives.whole_node(target, kernel)
    looked = look(node, kernel)
    identity = drives.known(target, node, "scsi", looked, kernel)
    return ScsiDevice(disks.named(identity, looked), kernel)


def look(node: str, kernel: Kernel = HOST) -> facts.Looked:
    """Facts of a SCSI drive: its link, its power state as the kernel keeps it, whether its cache is non-volatile."""
    looked = disks.look(node, kernel)
    looked.facts.pop("smart", None)
    told = looked.ask("sg_vpd", "--page=ei", f"/dev/{node}").out
    state = text(kernel.block(node) / "device/power/runtime_status")
    looked.add(
        **links.link(node, kernel),
        power_state=state if state in ("active", "suspended") else "",
        power_loss_protection="non-volatile cache" if re.search(r"\bNV_SUP=1", told) else "",
    )
    return looked


def can(told: tools.Told) -> set[str]:
    """Capabilities from `sg_opcodes`: (operation code, service action) of Sanitize and Format Unit."""
    found = set()
    for line in told.out.splitlines():
        code = re.match(r"\s*([0-9a-f]{2})\s+(?:([0-9a-f]{1,2})\s+)?\d+\s", line)
        if code and code[1] == "48" and code[2] in SANITIZE:
            found.add(SANITIZE[code[2]])
        if code and code[1] == "04":
            found.add("format")
    return found


def sense(told: tools.Told) -> set[str]:
    """States from `sg_requests`: what a drive says of itself when nothing was asked of it."""
    said = f"{told.out}{told.err}".lower()
    return {state for words, state in SENSE.items() if re.search(words, said)}


class ScsiDevice(disks.ScsiDisk):
    """A drive that speaks SCSI."""

    def abilities(self) -> table.Drive:
        """Report Supported Operation Codes, and Request Sense."""
        path = self.identity.path
        asked, state = tools.ask("sg_requests", path), set()
        bits = can(tools.ask("sg_opcodes", path))
        if found := sense(asked):
            state |= found
        bits |= {"discard"} if self.discards else set()
        return self.drive("scsi", bits, state, asked.words if state else "")

    def layout(self) -> prepare_table.Layout:
        """Whether it takes Mode Select, whose block descriptor holds its size; the native size is not told."""
        told = tools.ask("sg_opcodes", self.identity.path)
        return prepare_table.Layout(
            lba_bytes=self.identity.logical_bytes,
            capacity_bytes=self.identity.capacity_bytes,
            means=prepare_table.DESCRIPTOR if re.search(r"^\s*(15|55)\s", told.out, re.MULTILINE) else "",
        )

    def anew(self, path: str) -> "ScsiDevice":
        """Found again."""
        return find(path, self.kernel)

    def health(self) -> dict[str, Any]:
        """Log pages as smartctl reads them, the link with its errors, and what the kernel counted."""
        found = links.errors(self.node, self.kernel)
        now = links.link(self.node, self.kernel).get("link")
        found |= {"link": now} if now else {}
        return super().health() | found | logs(tools.softly("smartctl", "--json", "--all", self.identity.path).document)


def logs(told: dict[str, Any]) -> dict[str, Any]:
    """Health from `smartctl --json --all` of a SCSI drive."""
    told = shapes.taken(told, shapes.SMARTCTL)
    counters = told.get("scsi_error_counter_log", {})
    found: dict[str, Any] = {
        "temperature_c": told.get("temperature", {}).get("current"),
        "media_errors": _uncorrected(counters),
        "wear_pct": told.get("scsi_percentage_used_endurance_indicator"),
        "grown_defects": told.get("scsi_grown_defect_list"),
        "host_write_bytes": _gigabytes(counters.get("write", {})),
        "host_read_bytes": _gigabytes(counters.get("read", {})),
    }
    return shapes.sound(found)


def _uncorrected(counters: dict[str, Any]) -> int | None:
    kinds = [counters[kind].get("total_uncorrected_errors") for kind in ("read", "write") if kind in counters]
    told = [int(count) for count in kinds if count is not None]
    return sum(told) if told else None


def _gigabytes(kind: dict[str, Any]) -> int | None:
    """The log counts in 10^9 bytes with three decimals."""
    told = shapes.figure(kind.get("gigabytes_processed"))
    return round(told * 10**9) if told is not None else None
