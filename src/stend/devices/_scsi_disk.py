"""What SATA and SAS drives have in common below Linux: the sd driver, its cache switch, smartctl."""

from pathlib import Path

import msgspec

from stend.base.errors import StepFailed
from stend.base.sysfs import HOST, Kernel, text
from stend.devices import drive as drives
from stend.devices.purging import table
from stend.devices.telling import facts, shapes
from stend.model.definition import Identity

WRITE_BACK, WRITE_THROUGH = "write back", "write through"


def way(node: str, kernel: Kernel = HOST) -> str:
    """How an sd disk is reached: `sata`, `usb` or `scsi`; empty for any other node."""
    if not node or not (kernel.block(node) / "device/scsi_disk").exists():
        return ""
    folder = str((kernel.block(node) / "device").resolve())
    return next((name for mark, name in (("/usb", "usb"), ("/ata", "sata")) if mark in folder), "scsi")


def look(node: str, kernel: Kernel = HOST) -> facts.Looked:
    """Facts that the kernel and smartctl tell of any such disk; smartctl's document is kept as `smart`."""
    looked = facts.Looked()
    facts.common(looked, node, kernel)
    told = looked.ask("smartctl", "--json", "--all", f"/dev/{node}").document
    told = shapes.taken(told, shapes.SMARTCTL)
    looked.add(
        write_cache=cache_type(node, kernel),
        smart=told,
        firmware=told.get("firmware_version") or told.get("scsi_revision"),
        serial=told.get("serial_number"),
        form_factor=told.get("form_factor", {}).get("name"),
        health_passed=told.get("smart_status", {}).get("passed"),
        power_on_hours=told.get("power_on_time", {}).get("hours"),
    )
    if looked.facts.get("health_passed") is False:
        looked.doubts.append("it says of itself that it is failing (SMART)")
    return looked


def named(identity: Identity, looked: facts.Looked) -> Identity:
    """The identity with the serial and firmware that only the drive itself tells, where sysfs has none."""
    told = {key: value for key, value in looked.all.items() if key != "smart"}
    return msgspec.structs.replace(
        identity,
        firmware=identity.firmware or str(told.get("firmware", "")),
        facts=told,
    )


def cache_file(node: str, kernel: Kernel = HOST) -> Path | None:
    """The kernel's switch for a disk's volatile write cache (sd: the caching mode page, libata: Set Features)."""
    return next(iter((kernel.block(node) / "device/scsi_disk").glob("*/cache_type")), None)


def cache_type(node: str, kernel: Kernel = HOST) -> str:
    """`enabled`, `disabled`, or empty where it is not told."""
    path = cache_file(node, kernel)
    told = text(path) if path else ""
    return "enabled" if told.startswith(WRITE_BACK) else "disabled" if told == WRITE_THROUGH else ""


class ScsiDisk(drives.DriveDevice):
    """A disk of the sd driver."""

    @property
    def discards(self) -> bool:
        """Whether the kernel can discard its blocks."""
        return text(self.kernel.block(self.node) / "queue/discard_max_bytes") not in ("", "0")

    def drive(self, interface: str, bits: set[str], state: set[str], words: str) -> table.Drive:
        """The purge table's question."""
        state = state | ({"read-only"} if self.kernel.read_only(self.node) else set())
        state = state | ({"usb"} if way(self.node, self.kernel) == "usb" else set())
        return table.Drive(
            interface=interface,
            node=self.identity.path,
            can=frozenset(bits),
            state=frozenset(state),
            template=self.template,
            asked=self.asked,
            words=words,
            serial=self.identity.serial,
        )

    def cache(self) -> str:
        """As the drive said when the kernel last asked it; writing the switch makes the kernel ask."""
        return cache_type(self.node, self.kernel)

    def write_cache(self, setting: str) -> None:
        """Through the kernel, which tells the drive and reads it back."""
        path = cache_file(self.node, self.kernel)
        if path is None:
            raise StepFailed(f"{self.identity.target} has no switch for its write cache")
        try:
            path.write_text(WRITE_BACK if setting == "enabled" else WRITE_THROUGH)
        except OSError as error:
            why = error.strerror or str(error)
            raise StepFailed(f"{self.identity.target}: its write cache cannot be {setting}: {why}") from error
