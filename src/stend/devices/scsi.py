"""SAS and other SCSI drives: sysfs, sg3-utils and smartctl."""

import re
from typing import Any

from stend.base.sysfs import HOST, Kernel, text
from stend.devices import _scsi_disk as disks
from stend.devices import drive as drives
from stend.devices.purging import prepare_table, table
from stend.devices.telling import facts, passport, shapes, tools
from stend.devices.telling import scsi_links as links

SANITIZE = {"1": "sanitize overwrite", "2": "sanitize block", "3": "sanitize crypto"}
SENSE = {
    r"sanitize in progress": "sanitize running",
    r"format in progress": "format running",
    r"sanitize command failed": "sanitize failed",
}


def claims(target: str, kernel: Kernel = HOST) -> bool:
    """Return True for a whole disk of the sd driver that is not behind libata."""
    return disks.way(drives.whole_node(target, kernel), kernel) in ("scsi", "usb")


def find(target: str, kernel: Kernel = HOST) -> "ScsiDevice":
    """Return the drive with its facts."""
    node = drives.whole_node(target, kernel)
    looked = look(node, kernel)
    identity = drives.known(target, node, "scsi", looked, kernel)
    return ScsiDevice(disks.named(identity, looked), kernel)


def look(node: str, kernel: Kernel = HOST) -> facts.Looked:
    """Gather facts about a SCSI drive: link, power state by the kernel, whether the cache is non-volatile."""
    looked = disks.look(node, kernel)
    looked.facts.pop("smart", None)
    inquiry = looked.run("sg_vpd", "--page=ei", f"/dev/{node}").out
    state = text(kernel.block(node) / "device/power/runtime_status")
    looked.add(
        **links.link(node, kernel),
        power_state=state if state in ("active", "suspended") else "",
        power_loss_protection="non-volatile cache" if re.search(r"\bNV_SUP=1", inquiry) else "",
    )
    return looked


def can(opcodes: tools.Output) -> set[str]:
    """Return capabilities from `sg_opcodes`: (operation code, service action) of Sanitize and Format Unit."""
    bits = set()
    for line in opcodes.out.splitlines():
        code = re.match(r"\s*([0-9a-f]{2})\s+(?:([0-9a-f]{1,2})\s+)?\d+\s", line)
        if code and code[1] == "48" and code[2] in SANITIZE:
            bits.add(SANITIZE[code[2]])
        if code and code[1] == "04":
            bits.add("format")
    return bits


def sense(requests: tools.Output) -> set[str]:
    """Return the drive's states from `sg_requests` (Request Sense)."""
    printed = f"{requests.out}{requests.err}".lower()
    return {state for words, state in SENSE.items() if re.search(words, printed)}


class ScsiDevice(disks.ScsiDisk):
    """A drive that speaks SCSI."""

    def abilities(self) -> table.Drive:
        """Read the supported operation codes, and Request Sense."""
        path = self.identity.path
        requests = tools.run("sg_requests", path)
        bits, state = can(tools.run("sg_opcodes", path)), sense(requests)
        bits |= {"discard"} if self.discards else set()
        return self.drive("scsi", bits, state, requests.words if state else "")

    def layout(self) -> prepare_table.Layout:
        """Read whether it has Mode Select, whose block descriptor holds its size. The native size is unknown."""
        opcodes = tools.run("sg_opcodes", self.identity.path)
        return prepare_table.Layout(
            lba_bytes=self.identity.logical_bytes,
            capacity_bytes=self.identity.capacity_bytes,
            means=prepare_table.DESCRIPTOR if re.search(r"^\s*(15|55)\s", opcodes.out, re.MULTILINE) else "",
        )

    def find_again(self, path: str) -> "ScsiDevice":
        """Return the drive at its new path."""
        return find(path, self.kernel)

    def health(self) -> dict[str, Any]:
        """Return log pages as smartctl reads them, the link with its errors, and the kernel's counters."""
        link = links.errors(self.node, self.kernel)
        now = links.link(self.node, self.kernel).get("link")
        link |= {"link": now} if now else {}
        return super().health() | link | logs(tools.try_run("smartctl", "--json", "--all", self.identity.path).document)


def logs(document: dict[str, Any]) -> dict[str, Any]:
    """Return health from `smartctl --json --all` of a SCSI drive."""
    smart = shapes.taken(document, shapes.SMARTCTL)
    counters = smart.get("scsi_error_counter_log", {})
    health: dict[str, Any] = {
        "temperature_c": smart.get("temperature", {}).get("current"),
        "media_errors": passport.uncorrected(smart),
        "wear_pct": smart.get("scsi_percentage_used_endurance_indicator"),
        "grown_defects": smart.get("scsi_grown_defect_list"),
        "host_write_bytes": _bytes(counters.get("write", {})),
        "host_read_bytes": _bytes(counters.get("read", {})),
    }
    return shapes.sound(health)


def _bytes(kind: dict[str, Any]) -> int | None:
    """Return the processed bytes. The log counts 10^9 bytes with three decimals."""
    gigabytes = shapes.figure(kind.get("gigabytes_processed"))
    return round(gigabytes * 10**9) if gigabytes is not None else None
