"""Shapes of the documents that drives' programs print, as far as stend uses them. Other values count as missing."""

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from stend.base import untrusted
from stend.base.limits import Count, Name, Number, Sector

Celsius = Annotated[int, Meta(ge=-60, le=250)]
Byte = Annotated[int, Meta(ge=0, le=255)]
SPEED = {"string": Name}
ROWS = [{"name": str, "value": Count, "flags": {"valid": bool}, "raw": {"value": Count}, "when_failed": str}]
ERRORS = {"total_uncorrected_errors": Count, "gigabytes_processed": Any}

SMARTCTL: dict[str, Any] = {
    "temperature": {"current": Celsius},
    "interface_speed": {"current": SPEED, "max": SPEED},
    "logical_block_size": Sector,
    "ata_device_statistics": {"pages": [{"table": ROWS}]},
    "ata_smart_attributes": {"table": ROWS},
    "firmware_version": str,
    "scsi_revision": str,
    "serial_number": str,
    "form_factor": {"name": str},
    "rotation_rate": Count,
    "smart_status": {"passed": bool},
    "power_on_time": {"hours": Count},
    "scsi_error_counter_log": {"read": ERRORS, "write": ERRORS},
    "scsi_percentage_used_endurance_indicator": Byte,
    "scsi_grown_defect_list": Count,
}

HEALTH: dict[str, Any] = {
    "temperature_c": Celsius,
    "link": Name,
    "wear_pct": Byte,
    "spare_pct": Byte,
    "critical_warning": Byte,
    "throttled": Byte,
    "capacitor_pct": Annotated[int, Meta(ge=0, le=65534)],
}
"""Shapes of figures of a drive's health. All others are counts."""


def taken(value: Any, shape: Any) -> Any:
    """Return the parts of a document that fit a shape: a type, {name: shape}, or [shape], or None for another type."""
    if isinstance(shape, dict):
        items = shape.items() if isinstance(value, dict) else ()
        parts = {key: taken(value[key], inner) for key, inner in items if key in value}
        return {key: part for key, part in parts.items() if part is not None}
    if isinstance(shape, list):
        return [taken(entry, shape[0]) for entry in value] if isinstance(value, list) else []
    try:
        return msgspec.convert(value, shape)
    except untrusted.BROKEN:
        return None


def sound(health: dict[str, Any]) -> dict[str, Any]:
    """Return the figures of a drive's health that have a possible value."""
    return untrusted.fitting(health, {key: HEALTH.get(key, Count) for key in health})


def dicts(value: Any) -> list[dict[str, Any]]:
    """Return a list of dicts, with {} for each entry of another type, or [] if the value is not a list."""
    return [entry if isinstance(entry, dict) else {} for entry in value] if isinstance(value, list) else []


def figure(value: Any) -> float | None:
    """Return a number, also one written as text, or None if it is not a number."""
    try:
        return msgspec.convert(value, Number, strict=False)
    except untrusted.BROKEN:
        return None
