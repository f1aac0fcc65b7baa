"""Common parts of SATA and SAS drives on Linux: the sd driver, its cache switch, smartctl."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from stend.base.errors import StepFailed
from stend.base.sysfs import HOST, Kernel, text
from stend.devices import drive as drives
from stend.devices.purging import table
from stend.devices.telling import evidence, facts, passport, shapes, tools
from stend.devices.telling.evidence import Piece
from stend.model.definition import Identity
from stend.words import Sentence

WRITE_BACK, WRITE_THROUGH = "write back", "write through"


def way(node: str, kernel: Kernel = HOST) -> str:
    """Return how an sd disk is attached: `sata`, `usb` or `scsi`, or an empty string for any other node."""
    if not node or not (kernel.block(node) / "device/scsi_disk").exists():
        return ""
    folder = str((kernel.block(node) / "device").resolve())
    return next((name for mark, name in (("/usb", "usb"), ("/ata", "sata")) if mark in folder), "scsi")


def look(node: str, kernel: Kernel = HOST) -> facts.Looked:
    """Gather facts about any sd disk from the kernel and smartctl. The fact `smart` is smartctl's document."""
    looked = facts.Looked()
    facts.common(looked, node, kernel)
    smart = shapes.taken(looked.run("smartctl", "--json", "--all", f"/dev/{node}").document, shapes.SMARTCTL)
    looked.add(
        write_cache=cache_type(node, kernel),
        smart=smart,
        firmware=smart.get("firmware_version") or smart.get("scsi_revision"),
        serial=smart.get("serial_number"),
        form_factor=smart.get("form_factor", {}).get("name"),
        rotation_rpm=smart.get("rotation_rate") or None,
        health_passed=smart.get("smart_status", {}).get("passed"),
        power_on_hours=smart.get("power_on_time", {}).get("hours"),
    )
    if looked.facts.get("health_passed") is False:
        looked.doubts.append(Sentence("failing"))
    return looked


def named(identity: Identity, looked: facts.Looked) -> Identity:
    """Return the identity with the gathered facts, and with the drive's own firmware version if sysfs has none."""
    kept = {key: value for key, value in looked.all.items() if key != "smart"}
    return msgspec.structs.replace(identity, firmware=identity.firmware or str(kept.get("firmware", "")), facts=kept)


def cache_file(node: str, kernel: Kernel) -> Path | None:
    """Return the kernel's switch for the volatile write cache (sd: the caching mode page, libata: Set Features)."""
    return next(iter((kernel.block(node) / "device/scsi_disk").glob("*/cache_type")), None)


def cache_type(node: str, kernel: Kernel) -> str:
    """Return `enabled`, `disabled`, or an empty string if the state is unknown."""
    setting = drives.setting(cache_file(node, kernel))
    return "enabled" if setting.startswith(WRITE_BACK) else "disabled" if setting == WRITE_THROUGH else ""


class ScsiDisk(drives.DriveDevice):
    """A disk of the sd driver."""

    @property
    def discards(self) -> bool:
        """Return True if the kernel can discard its blocks."""
        return text(self.kernel.block(self.node) / "queue/discard_max_bytes") not in ("", "0")

    def drive(self, interface: str, bits: set[str], state: set[str], words: str) -> table.Drive:
        """Return the drive as the input of the purge table."""
        state = state | ({"usb"} if way(self.node, self.kernel) == "usb" else set())
        return self.as_input(interface, bits, state, words, serial=self.identity.serial)

    def evidence(self, since_s: float) -> Iterator[Piece]:
        """Yield the kernel's lines, and all logs that smartctl reads."""
        yield from super().evidence(since_s)
        yield evidence.smartctl(self.identity.path)

    def passport(self) -> dict[str, Any]:
        """Return what the logs state, by smartctl; with Seagate's FARM log if this smartctl can read it (7.4)."""
        words = ("smartctl", "--json", "--xall")
        printed = tools.try_run(*words, "--log=farm", self.identity.path)
        if not printed.document or "smart_status" not in printed.document:
            printed = tools.try_run(*words, self.identity.path)
        return passport.of_smartctl(printed)

    def cache(self) -> str:
        """Return the state that the kernel last read from the drive. A write to the switch makes it read again."""
        return cache_type(self.node, self.kernel)

    def write_cache(self, setting: str) -> None:
        """Set the cache through the kernel, which sets the drive and reads the state back."""
        path = cache_file(self.node, self.kernel)
        if path is None:
            raise StepFailed(f"{self.identity.target} has no switch for its write cache")
        try:
            path.write_text(WRITE_BACK if setting == "enabled" else WRITE_THROUGH)
        except OSError as error:
            why = error.strerror or str(error)
            raise StepFailed(f"{self.identity.target}: its write cache cannot be {setting}: {why}") from error
