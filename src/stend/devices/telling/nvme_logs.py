"""What an NVMe drive logs of itself: SMART of the base specification, and what its maker adds, flash writes first."""

import re
from collections.abc import Iterator
from typing import Any

from stend.base.units import MiB
from stend.devices.telling import shapes, tools

KELVIN = 273
MOST_W = 1000
DATA_UNIT_BYTES = 512_000  # NVMe 1.4, figure 194: thousands of 512 bytes
OCP_GUID = bytes.fromhex("c5af1028eabff2a49c4f6f7cc914d5af")
NO_CAPACITOR = 0xFFFF
INTEL_ITEM_BYTES = 12
NAND_WRITTEN, CRC_ERRORS, THROTTLE = 0xF4, 0xC7, 0xEA
INTEL_VENDORS = (0x8086, 0x025E)
"""PCI vendors whose drives have the log 0xCA: Intel, Solidigm."""


def celsius(kelvin: Any) -> int | None:
    """Degrees; None where nothing is told."""
    degrees = tools.number(kelvin)
    return degrees - KELVIN if 220 < degrees < 520 else None


def smart(log: dict[str, Any]) -> dict[str, Any]:
    """Health from `nvme smart-log -o json`, whatever names its version gives."""

    def first(*names: str) -> int | None:
        return next((tools.count(log[name]) for name in names if name in log), None)

    units = {"host_read_bytes": "data_units_read", "host_write_bytes": "data_units_written"}
    told: dict[str, Any] = {
        key: units_read * DATA_UNIT_BYTES
        for key, name in units.items()
        if (units_read := tools.count(log.get(name))) is not None
    }
    told["temperature_c"] = celsius(log.get("temperature"))
    told["media_errors"] = first("media_errors")
    told["wear_pct"] = first("percent_used", "percentage_used")
    told["spare_pct"] = first("avail_spare", "available_spare")
    told["power_on_hours"] = first("power_on_hours")
    told["critical_warning"] = _warning(log.get("critical_warning"))
    told["throttle_s"] = _sum(log, "thm_temp1_total_time", "thm_temp2_total_time")
    told["warning_temperature_min"] = first("warning_temp_time")
    return shapes.sound(told)


def _warning(told: Any) -> int | None:
    """A number, or an object of bits that newer versions print."""
    told = told.get("value") if isinstance(told, dict) else told
    return tools.count(told)


def _sum(log: dict[str, Any], *names: str) -> int | None:
    counts = [tools.count(log.get(name)) for name in names]
    return sum(count for count in counts if count is not None) if None not in counts else None


def doubts(health: dict[str, Any], warns_from_c: int | None) -> Iterator[str]:
    """What must be said of a drive before anything is asked of it."""
    if health.get("critical_warning"):
        yield f"the drive gives a critical warning ({health['critical_warning']:#x}) before the run"
    if warns_from_c and health.get("temperature_c", 0) >= warns_from_c:
        yield f"the drive has {health['temperature_c']} °C before the run; it warns from {warns_from_c} °C"
    if health.get("wear_pct", 0) >= 100:
        yield f"the drive has used {health['wear_pct']} % of the writes its maker vouches for"


def page(told: tools.Told) -> bytes:
    """A log page from the hex dump that every version of `nvme get-log` prints."""
    rows = re.findall(r"^[0-9a-f]{4,}:((?: [0-9a-f]{2}){1,16})", told.out, re.MULTILINE)
    return bytes.fromhex("".join(rows)) if told.code == 0 else b""


def ocp(log: bytes) -> dict[str, Any]:
    """The extended SMART log of OCP drives (Datacenter NVMe SSD 2.0, 4.8.6); {} where it is another maker's page."""
    if log[496:512] != OCP_GUID:
        return {}
    capacitors = _count(log, 128, 2)
    found = {
        "nand_write_bytes": _count(log, 0, 16),
        "throttle_events": _count(log, 96, 1),
        "throttled": _count(log, 97, 1),
        "link_errors": _count(log, 104, 8),
        "link_retrains": _count(log, 192, 8),
    }
    return shapes.sound(found | ({} if capacitors == NO_CAPACITOR else {"capacitor_pct": capacitors}))


def intel(log: bytes) -> dict[str, Any]:
    """Intel's additional SMART log: items of a key and six bytes; {} where the page is none."""
    rows = (log[at : at + INTEL_ITEM_BYTES] for at in range(0, len(log) - INTEL_ITEM_BYTES + 1, INTEL_ITEM_BYTES))
    items = {row[0]: row for row in rows if row[0]}
    if NAND_WRITTEN not in items:
        return {}
    found = {"nand_write_bytes": _count(items[NAND_WRITTEN], 5, 6) * 32 * MiB}
    found |= {"crc_errors": _count(items[CRC_ERRORS], 5, 6)} if CRC_ERRORS in items else {}
    return shapes.sound(found | ({"throttle_events": _count(items[THROTTLE], 6, 4)} if THROTTLE in items else {}))


def _count(log: bytes, at: int, size: int) -> int:
    return int.from_bytes(log[at : at + size], "little")


READERS = {"0xc0": ocp, "0xca": intel}
"""Log page -> who reads it."""


def makers(controller: str, log_id: str) -> dict[str, Any]:
    """A maker's log page now; {} where there is none, which the drive counts among its errors when asked."""
    told = tools.softly("nvme", "get-log", controller, f"--log-id={log_id}", "--log-len=512")
    return READERS[log_id](page(told))


def makers_log(controller: str, vendor: int) -> str:
    """Which page tells the flash writes of this drive; empty if none."""
    offered = ("0xc0", "0xca") if vendor in INTEL_VENDORS else ("0xc0",)
    return next((log_id for log_id in offered if makers(controller, log_id)), "")


def power(told: dict[str, Any], state: int | None) -> dict[str, Any]:
    """The power state and the watts it allows, by Identify Controller of nvme-cli 1 and 2 (NVMe 1.4, figure 249)."""
    if state is None:
        return {}
    state &= 31
    rows = shapes.dicts(told.get("psds"))
    row = rows[state] if state < len(rows) else {}
    fine = tools.number(row.get("max_power_scale", tools.number(row.get("flags", 0)) & 1))
    most_w = _watts(row.get("max_power"), 0.0001 if fine else 0.01)
    return {"power_state": state} | ({"power_state_max_w": most_w} if most_w else {})


def _watts(told: Any, unit_w: float) -> float:
    """A count of units, or text such as `8.25 W`."""
    if isinstance(told, str) and (found := re.match(r"(\d{1,6}(?:\.\d{1,6})?)\s*W", told)):
        return float(found[1])
    watts = round(tools.number(told) * unit_w, 4)
    return watts if watts < MOST_W else 0
