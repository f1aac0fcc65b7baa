"""SATA drives: sysfs, hdparm and smartctl."""

import re
from pathlib import Path
from typing import Any

from stend.base import limits
from stend.base.errors import StepFailed
from stend.base.sysfs import HOST, Kernel
from stend.devices import _scsi_disk as disks
from stend.devices import drive as drives
from stend.devices.purging import prepare_table, table
from stend.devices.telling import ata_logs as logs
from stend.devices.telling import facts, tools
from stend.words import Sentence

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
    """Return True for a whole disk behind libata."""
    return disks.way(drives.whole_node(target, kernel), kernel) == "sata"


def find(target: str, kernel: Kernel = HOST) -> "AtaDevice":
    """Return the drive with its facts."""
    node = drives.whole_node(target, kernel)
    looked = look(node, kernel)
    identity = drives.known(target, node, "ata", looked, kernel)
    return AtaDevice(disks.named(identity, looked), kernel)


def native(target: str, kernel: Kernel = HOST) -> int:
    """Return the native capacity in bytes, including a hidden part, or 0 if the drive does not report it."""
    max_sectors, identify = (tools.try_run("hdparm", word, target).out for word in ("-N", "-I"))
    return native_bytes(max_sectors, identify)


def look(node: str, kernel: Kernel = HOST) -> facts.Looked:
    """Gather facts about a SATA drive."""
    looked = disks.look(node, kernel)
    identify = looked.run("hdparm", "-I", f"/dev/{node}").out
    if identify:
        looked.add(capabilities=sorted(can(identify)), security=sorted(security(identify)))
        looked.add(block_sizes=list(block_sizes(identify)) or None)
        looked.add(native_bytes=native_bytes(looked.run("hdparm", "-N", f"/dev/{node}").out, identify) or None)
    state = re.search(r"drive state is:\s+(\S+)", looked.run("hdparm", "-C", f"/dev/{node}").out)
    smart = looked.facts.pop("smart", {})
    looked.add(power_state=state[1] if state else "", power_loss_protection=logs.power_loss_protection(smart))
    speeds = smart.get("interface_speed", {})
    now, most = (speeds.get(word, {}).get("string", "") for word in ("current", "max"))
    looked.add(link=now, link_capable=most, power_saving=drives.setting(power_switch(node, kernel)))
    if now and most and now != most:
        looked.doubts.append(Sentence("sata_below", now=now, can=most))
        looked.warnings.append(Sentence("sata_below_short", now=now, can=most))
    return looked


def can(identify: str) -> set[str]:
    """Return capabilities from `hdparm -I`. A feature counts whether it is enabled or only supported."""
    bits = {bit for word, bit in FEATURES.items() if re.search(rf"^\s+\*?\s+{re.escape(word)}", identify, re.MULTILINE)}
    words = _security_section(identify)
    if "supported" in words:
        bits |= {"security"}
    return bits | ({"security enhanced"} if "supported: enhanced erase" in words else set())


def security(identify: str) -> set[str]:
    """Return security states from `hdparm -I`: those that its section lists without `not` before them."""
    words = _security_section(identify)
    return {state for word, state in STATES.items() if word in words}


def _security_section(identify: str) -> set[str]:
    """Return the statements of the security section without those that begin with `not`."""
    _, _, after = identify.partition("\nSecurity:")
    section = re.split(r"\n(?=\S)", after)[0]
    lines = (re.sub(r"\s+", " ", line).strip() for line in section.splitlines())
    return {line for line in lines if line and not line.startswith("not ")}


def native_bytes(max_sectors: str, identify: str) -> int:
    """Return the native capacity from `hdparm -N` and `-I`, or 0 if the drive reports none or contradicts itself."""
    sectors = re.search(r"max sectors\s*=\s*(\d{1,18})/(\d{1,18})\b", max_sectors)
    visible = re.findall(r"user addressable sectors:\s+(\d+)", identify)
    if not sectors or int(sectors[2]) < int(sectors[1]) or (visible and sectors[1] not in visible):
        return 0
    block = re.search(r"Logical\s+Sector size:\s+(\d{1,7})\b", identify) or re.search(
        r"Sector size:\s+(\d{1,7})\b", identify
    )
    native = int(sectors[2]) * (int(block[1]) if block else 512)
    return native if native <= limits.MOST else 0


def means(max_sectors: str, identify: str) -> str:
    """Return how the drive can hide a part of itself, from `hdparm -N` and `-I`, or an empty string if it cannot."""
    if "ACCESSIBLE MAX ADDRESS" in max_sectors:
        return prepare_table.AMA
    return prepare_table.HPA if "Host Protected Area feature set" in identify else ""


def block_sizes(identify: str) -> tuple[int, ...]:
    """Return the logical block sizes in bytes that the drive offers (`[ Supported: 512 4096 ]`)."""
    offered = re.search(r"Sector size:.*\[ Supported:([\d ]+)\]", identify)
    return tuple(size for size in map(int, re.findall(r"\b\d{1,7}\b", offered[1])) if size) if offered else ()


def sanitize_state(status: tools.Output) -> set[str]:
    """Return the sanitize states from `hdparm --sanitize-status` (ACS-4, 7.36)."""
    text = status.out
    return (
        ({"sanitize running"} if "In Process" in text else set())
        | ({"sanitize frozen"} if "Frozen" in text else set())
        | ({"sanitize failed"} if re.search(r"SD3|Unsuccessful|Completed With Error", text) else set())
    )


def power_switch(node: str, kernel: Kernel = HOST) -> Path | None:
    """Return the kernel's policy for power management of the drive's link (ALPM), or None if its adapter has none."""
    host = re.search(r"/host\d+(?=/)", str((kernel.block(node) / "device").resolve()))
    path = kernel.sys / f"class/scsi_host{host[0]}/link_power_management_policy" if host else None
    return path if path and path.exists() else None


class AtaDevice(disks.ScsiDisk):
    """A SATA drive."""

    power_off = "max_performance"

    def power_switch(self) -> Path | None:
        """Return the policy for the drive's link."""
        return power_switch(self.node, self.kernel)

    def abilities(self) -> table.Drive:
        """Read Identify Device, and the sanitize state if the drive has Sanitize."""
        path = self.identity.path
        identify = tools.run("hdparm", "-I", path)
        if identify.code or "feature" not in identify.out:
            raise StepFailed(f"{self.identity.target} does not report its capabilities: {identify.words}")
        bits, state, words = can(identify.out), security(identify.out), ""
        if any(bit.startswith("sanitize") for bit in bits):
            status = tools.run("hdparm", "--sanitize-status", path)
            state |= sanitize_state(status)
            words = status.words if state & {"sanitize running", "sanitize failed"} else ""
        bits = bits - {"discard"} | ({"discard"} if self.discards else set())
        return self.drive("sata", bits, state, words)

    def layout(self) -> prepare_table.Layout:
        """Read Identify Device, and the native size."""
        path = self.identity.path
        identify, max_sectors = (tools.run("hdparm", word, path).out for word in ("-I", "-N"))
        return prepare_table.Layout(
            lba_bytes=self.identity.logical_bytes,
            capacity_bytes=self.identity.capacity_bytes,
            native_bytes=native_bytes(max_sectors, identify),
            means=means(max_sectors, identify),
            block_sizes=block_sizes(identify),
        )

    def find_again(self, path: str) -> "AtaDevice":
        """Return the drive at its new path."""
        return find(path, self.kernel)

    def health(self) -> dict[str, Any]:
        """Return SMART values, the link, and the kernel's counters."""
        return super().health() | logs.health(tools.try_run(*logs.SMARTCTL, self.identity.path).document)
