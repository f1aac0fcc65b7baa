"""SATA drives: sysfs, hdparm and smartctl."""

import re
from typing import Any

from stend.base import limits
from stend.base.errors import StepFailed
from stend.base.sysfs import HOST, Kernel
from stend.devices import _scsi_disk as disks
from stend.devices import drive as drives
from stend.devices.purging import prepare_table, table
from stend.devices.telling import ata_logs as logs
from stend.devices.telling import facts, tools

FEATURES = {
    "BLOCK_ERASE_EXT": "sanitize block",
    "CRYPTO_SCRAMBLE_EXT": "sanitize crypto",
    "OVERWRITE_EXT": "sanitize overwrite",
    "Data Set Management TRIM supported": "discard",
}
STATES = {
    "enabled": "password",
    "locked": "locked",
    "frozen": "frozen",
    "expired: security count": "password tries used up",
}


def claims(target: str, kernel: Kernel = HOST) -> bool:
    """A whole disk that is reached through libata."""
    return disks.way(drives.whole_node(target, kernel), kernel) == "sata"


def find(target: str, kernel: Kernel = HOST) -> "AtaDevice":
    """The drive with its facts."""
    node = drives.whole_node(target, kernel)
    looked = look(node, kernel)
    identity = drives.known(target, node, "ata", looked, kernel)
    return AtaDevice(disks.named(identity, looked), kernel)


def native(target: str, kernel: Kernel = HOST) -> int:
    """What the drive has, hidden or not; 0 where it does not tell."""
    told, identify = (tools.softly("hdparm", word, target).out for word in ("-N", "-I"))
    return native_bytes(told, identify)


def look(node: str, kernel: Kernel = HOST) -> facts.Looked:
    """Facts of a SATA drive."""
    looked = disks.look(node, kernel)
    told = looked.ask("hdparm", "-I", f"/dev/{node}").out
    if told:
        looked.add(capabilities=sorted(can(told)), security=sorted(security(told)))
        looked.add(block_sizes=list(block_sizes(told)) or None)
        looked.add(native_bytes=native_bytes(looked.ask("hdparm", "-N", f"/dev/{node}").out, told) or None)
    state = re.search(r"drive state is:\s+(\S+)", looked.ask("hdparm", "-C", f"/dev/{node}").out)
    smart = looked.facts.pop("smart", {})
    looked.add(power_state=state[1] if state else "", power_loss_protection=logs.power_loss_protection(smart))
    speeds = smart.get("interface_speed", {})
    now, most = (speeds.get(word, {}).get("string", "") for word in ("current", "max"))
    looked.add(link=now, link_capable=most)
    if now and most and now != most:
        looked.doubts.append(f"its SATA link runs at {now}, it can {most}: look at the cable and the port")
        looked.warnings.append(f"SATA link {now} of {most}")
    return looked


def can(told: str) -> set[str]:
    """Capabilities from `hdparm -I`: a feature counts whether it is enabled or only supported."""
    found = {bit for word, bit in FEATURES.items() if re.search(rf"^\s+\*?\s+{re.escape(word)}", told, re.MULTILINE)}
    words = _security_section(told)
    if "supported" in words:
        found |= {"security"}
    return found | ({"security enhanced"} if "supported: enhanced erase" in words else set())


def security(told: str) -> set[str]:
    """Security states from `hdparm -I`: what its section names without a `not` before it."""
    words = _security_section(told)
    return {state for word, state in STATES.items() if word in words}


def _security_section(told: str) -> set[str]:
    """The statements of the security section, those with `not` before them left out."""
    _, _, after = told.partition("\nSecurity:")
    section = re.split(r"\n(?=\S)", after)[0]
    lines = (re.sub(r"\s+", " ", line).strip() for line in section.splitlines())
    return {line for line in lines if line and not line.startswith("not ")}


def native_bytes(told: str, identify: str) -> int:
    """What the drive has, hidden or not, from `hdparm -N` and `-I`; 0 where it does not tell, or contradicts itself."""
    sectors = re.search(r"max sectors\s*=\s*(\d{1,18})/(\d{1,18})\b", told)
    visible = re.findall(r"user addressable sectors:\s+(\d+)", identify)
    if not sectors or int(sectors[2]) < int(sectors[1]) or (visible and sectors[1] not in visible):
        return 0
    block = re.search(r"Logical\s+Sector size:\s+(\d{1,7})\b", identify) or re.search(
        r"Sector size:\s+(\d{1,7})\b", identify
    )
    native = int(sectors[2]) * (int(block[1]) if block else 512)
    return native if native <= limits.MOST else 0


def means(told: str, identify: str) -> str:
    """How the drive hides a part of itself, from `hdparm -N` and `-I`; empty where it cannot."""
    if "ACCESSIBLE MAX ADDRESS" in told:
        return prepare_table.AMA
    return prepare_table.HPA if "Host Protected Area feature set" in identify else ""


def block_sizes(identify: str) -> tuple[int, ...]:
    """Bytes of a logical block that the drive offers (`[ Supported: 512 4096 ]`)."""
    offered = re.search(r"Sector size:.*\[ Supported:([\d ]+)\]", identify)
    return tuple(size for size in map(int, re.findall(r"\b\d{1,7}\b", offered[1])) if size) if offered else ()


def sanitize_state(told: tools.Told) -> set[str]:
    """From `hdparm --sanitize-status` (ACS-4, 7.36)."""
    text = told.out
    return (
        ({"sanitize running"} if "In Process" in text else set())
        | ({"sanitize frozen"} if "Frozen" in text else set())
        | ({"sanitize failed"} if re.search(r"SD3|Unsuccessful|Completed With Error", text) else set())
    )


class AtaDevice(disks.ScsiDisk):
    """A SATA drive."""

    def abilities(self) -> table.Drive:
        """Identify Device, and the sanitize state where the drive has Sanitize."""
        path = self.identity.path
        told = tools.ask("hdparm", "-I", path)
        if told.code or "feature" not in told.out:
            raise StepFailed(f"{self.identity.target} does not say what it can: {told.words}")
        bits, state, words = can(told.out), security(told.out), ""
        if any(bit.startswith("sanitize") for bit in bits):
            status = tools.ask("hdparm", "--sanitize-status", path)
            state |= sanitize_state(status)
            words = status.words if state & {"sanitize running", "sanitize failed"} else ""
        bits = bits - {"discard"} | ({"discard"} if self.discards else set())
        return self.drive("sata", bits, state, words)

    def layout(self) -> prepare_table.Layout:
        """Identify Device, and the native size."""
        path = self.identity.path
        identify, told = (tools.ask("hdparm", word, path).out for word in ("-I", "-N"))
        return prepare_table.Layout(
            lba_bytes=self.identity.logical_bytes,
            capacity_bytes=self.identity.capacity_bytes,
            native_bytes=native_bytes(told, identify),
            means=means(told, identify),
            block_sizes=block_sizes(identify),
        )

    def anew(self, path: str) -> "AtaDevice":
        """Found again."""
        return find(path, self.kernel)

    def health(self) -> dict[str, Any]:
        """SMART, the link, and what the kernel counted."""
        return super().health() | logs.health(tools.softly(*logs.SMARTCTL, self.identity.path).document)
