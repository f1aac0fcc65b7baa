"""Drive kinds that a test must know: zones, actuators, protection information, placement of data."""

from typing import Any

from stend.base.sysfs import Kernel, text
from stend.devices.telling import tools

FDP_BIT = 19
"""Flexible data placement, in the controller attributes (NVMe base specification 2.1, Identify Controller, CTRATT)."""


def of_node(node: str, kernel: Kernel) -> dict[str, Any]:
    """Return the kernel's facts that apply: `zoned`, `actuators`, `protection`, `smr_hint`, or {} for a usual drive.

    A disk that accepts discards is probably a drive-managed SMR disk: others have nothing to discard.
    """
    disk = kernel.block(kernel.parent(node) or node)
    queue, found = disk / "queue", dict[str, Any]()
    zoned = text(queue / "zoned")
    if zoned and zoned != "none":
        found["zoned"] = zoned
    ranges = list((queue / "independent_access_ranges").glob("[0-9]*"))
    if len(ranges) > 1:
        found["actuators"] = len(ranges)
    types = (text(path) for path in (disk / "device/scsi_disk").glob("*/protection_type"))
    if kind := next((word for word in types if word not in ("", "0")), ""):
        found["protection"] = f"type {kind}"
    turning = text(queue / "rotational") == "1" and (disk / "device/scsi_disk").exists()
    if turning and "zoned" not in found and text(queue / "discard_max_bytes") not in ("", "0"):
        found["smr_hint"] = "accepts discards, as drive-managed SMR disks do"
    return found


def of_nvme(ctrl: dict[str, Any], space: dict[str, Any]) -> dict[str, Any]:
    """Return `fdp` and `protection` from Identify Controller and Identify Namespace, only those that apply."""
    found: dict[str, Any] = {}
    if tools.number(ctrl.get("ctratt")) >> FDP_BIT & 1:
        found["fdp"] = True
    if kind := tools.number(space.get("dps")) & 7:
        found["protection"] = f"type {kind}"
    return found
