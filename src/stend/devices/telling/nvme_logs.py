"""Logs of an NVMe drive: SMART of the base specification, and makers' logs, mainly for the bytes written to flash."""

import re
from collections.abc import Iterator
from itertools import cycle, islice
from typing import Any

from stend.base.units import GB, MiB
from stend.devices.telling import shapes, tools
from stend.words import Sentence

DUMPED = re.compile(r"^(?:(\*)|([0-9a-f]{4,8}):((?: [0-9a-f]{2}){0,16}))", re.MULTILINE)
MOST_PAGE = 16 << 20
"""A star, or an offset and up to 16 bytes, of a dump; the largest log page, in bytes."""
KELVIN = 273
MOST_W = 1000
DATA_UNIT_BYTES = 512_000  # NVMe 1.4, figure 194: thousands of 512 bytes
OCP_GUID = bytes.fromhex("c5af1028eabff2a49c4f6f7cc914d5af")
APST_ENTRY_BYTES = 8
INTEL_ITEM_BYTES = 12
NAND_WRITTEN, CRC_ERRORS, THROTTLE = 0xF4, 0xC7, 0xEA
INTEL_VENDORS = (0x8086, 0x025E)
"""PCI vendors whose drives have the log 0xCA: Intel, Solidigm."""


def celsius(kelvin: Any) -> int | None:
    """Return degrees Celsius, or None if the value is not a plausible temperature."""
    degrees = tools.number(kelvin)
    return degrees - KELVIN if 220 < degrees < 520 else None


def smart(log: dict[str, Any]) -> dict[str, Any]:
    """Return health from `nvme smart-log -o json`, with the names of any version."""

    def first(*names: str) -> int | None:
        return next((tools.count(log[name]) for name in names if name in log), None)

    units = {"host_read_bytes": "data_units_read", "host_write_bytes": "data_units_written"}
    health: dict[str, Any] = {
        key: units_read * DATA_UNIT_BYTES
        for key, name in units.items()
        if (units_read := tools.count(log.get(name))) is not None
    }
    health["temperature_c"] = celsius(log.get("temperature"))
    health["media_errors"] = first("media_errors")
    health["wear_pct"] = first("percent_used", "percentage_used")
    health["spare_pct"] = first("avail_spare", "available_spare")
    health["power_on_hours"] = first("power_on_hours")
    health["critical_warning"] = warning(log.get("critical_warning"))
    health["throttle_s"] = _sum(log, "thm_temp1_total_time", "thm_temp2_total_time")
    health["warning_temperature_min"] = first("warning_temp_time")
    return shapes.sound(health)


def warning(value: Any) -> int | None:
    """Return the critical warning from a number, or from the object of bits that newer versions print."""
    return tools.count(value.get("value") if isinstance(value, dict) else value)


def _sum(log: dict[str, Any], *names: str) -> int | None:
    counts = [tools.count(log.get(name)) for name in names]
    return sum(count for count in counts if count is not None) if None not in counts else None


def doubts(health: dict[str, Any], warns_from_c: int | None) -> Iterator[Sentence]:
    """Yield the doubts about a drive's health before a run."""
    if health.get("critical_warning"):
        yield Sentence("warned_before", code=f"{health['critical_warning']:#x}")
    if warns_from_c and health.get("temperature_c", 0) >= warns_from_c:
        yield Sentence("hot_before", t=health["temperature_c"], limit=warns_from_c)
    if (worn := health.get("wear_pct")) is not None and worn >= 100:
        yield Sentence("worn_before", pct=worn)


def page(dump: tools.Output) -> bytes:
    """Return a log page from the hex dump of `nvme get-log`, empty if the command failed or rows are missing.

    nvme-cli 3 prints `*` instead of rows that equal the row before them, and the length as the last offset (`stdout_d`
    of v3.0-rc1).
    """
    log, row, starred = bytearray(), b"", False
    for star, offset, digits in DUMPED.findall(dump.out if dump.code == 0 else ""):
        if star:
            starred = True
            continue
        missing = int(offset, 16) - len(log)
        if missing < 0 or missing > MOST_PAGE or (missing and not (starred and row)):
            return b""
        log += bytes(islice(cycle(row), missing))
        row, starred = bytes.fromhex(digits), False
        log += row
    return bytes(log)


def ocp(log: bytes) -> dict[str, Any]:
    """Return the extended SMART log of OCP drives (Datacenter NVMe SSD 2.0, 4.8.6), or {} for another maker's page."""
    if log[496:512] != OCP_GUID:
        return {}
    figures = {
        "nand_write_bytes": _count(log, 0, 16),
        "throttle_events": _count(log, 96, 1),
        "throttled": _count(log, 97, 1),
        "link_errors": _count(log, 104, 8),
        "link_retrains": _count(log, 192, 8),
        "capacitor_pct": _count(log, 128, 2),  # FFFFh, which does not fit, without one
    }
    return shapes.sound(figures)


def intel(log: bytes) -> dict[str, Any]:
    """Return Intel's additional SMART log (12-byte items by key), or {} if the page is not that log."""
    rows = (log[at : at + INTEL_ITEM_BYTES] for at in range(0, len(log) - INTEL_ITEM_BYTES + 1, INTEL_ITEM_BYTES))
    items = {row[0]: row for row in rows if row[0]}
    if NAND_WRITTEN not in items:
        return {}
    figures = {"nand_write_bytes": _count(items[NAND_WRITTEN], 5, 6) * 32 * MiB, "nand_unit_bytes": 32 * MiB}
    figures |= {"crc_errors": _count(items[CRC_ERRORS], 5, 6)} if CRC_ERRORS in items else {}
    return shapes.sound(figures | ({"throttle_events": _count(items[THROTTLE], 6, 4)} if THROTTLE in items else {}))


def endurance(log: bytes) -> dict[str, Any]:
    """Return the writes to the media from an endurance group's log (NVMe base 2.0, 5.16.1.10), or {} if it has none."""
    written = _count(log, 80, 16)
    return shapes.sound({"nand_write_bytes": written * GB, "nand_unit_bytes": GB}) if written else {}


def _count(log: bytes, at: int, size: int) -> int:
    return int.from_bytes(log[at : at + size], "little")


ENDURANCE_LOG = "0x09"
READERS = {"0xc0": ocp, "0xca": intel, ENDURANCE_LOG: endurance}
"""Log page -> its parser."""


def read(controller: str, log_id: str, size: int = 512) -> bytes:
    """Read a log page, that of endurance groups of the first one. An empty page was not readable."""
    group = ("--lsi=1",) if log_id == ENDURANCE_LOG else ()
    return page(tools.try_run("nvme", "get-log", controller, f"--log-id={log_id}", f"--log-len={size}", *group))


def makers(controller: str, log_id: str) -> dict[str, Any]:
    """Read a log page with flash writes, or {} if the drive does not have it. It may log the request as an error."""
    return READERS[log_id](read(controller, log_id))


def makers_log(controller: str, ctrl: dict[str, Any]) -> str:
    """Return the log page with the flash writes of this drive, or an empty string if it has none.

    `ctrl` is its Identify Controller. Makers' pages count finer than that of an endurance group, which counts what the
    drive writes only if the group is the only one.
    """
    intel_too = tools.number(ctrl.get("vid")) in INTEL_VENDORS
    single = tools.number(ctrl.get("endgidmax")) == 1
    offered = ("0xc0", *(["0xca"] * intel_too), *([ENDURANCE_LOG] * single))
    return next((log_id for log_id in offered if makers(controller, log_id)), "")


def power(ctrl: dict[str, Any], state: int | None) -> dict[str, Any]:
    """Return the power state and its maximum in watts from Identify Controller, as nvme-cli 1 and 2 print it.

    The result is {} if the state is unknown. Source: NVMe 1.4, figure 249.
    """
    if state is None:
        return {}
    state &= 31
    rows = shapes.dicts(ctrl.get("psds"))
    row = rows[state] if state < len(rows) else {}
    fine = tools.number(row.get("max_power_scale", tools.number(row.get("flags")) & 1))
    most_w = _watts(row.get("max_power"), 0.0001 if fine else 0.01)
    return {"power_state": state} | ({"power_state_max_w": most_w} if most_w else {})


def power_states(ctrl: dict[str, Any], transitions: bytes) -> list[dict[str, Any]]:
    """Return the power states: number, most watts, entry and exit latency in ms, and if the drive is `idle` in it.

    `transitions` is the table of feature 0Ch (NVMe 1.4, figure 279), empty while the drive does not change its state by
    itself (APST). A state that it enters so has `after_ms`, the time without commands before that.
    """
    rows = shapes.dicts(ctrl.get("psds"))[: tools.number(ctrl.get("npss", 31)) + 1]
    starts = range(0, len(transitions) // APST_ENTRY_BYTES * APST_ENTRY_BYTES, APST_ENTRY_BYTES)
    entries = [_count(transitions, at, APST_ENTRY_BYTES) for at in starts]
    after_ms = {entry >> 3 & 31: entry >> 8 & 0xFFFFFF for entry in reversed(entries) if entry >> 8 & 0xFFFFFF}
    states = []
    for number, row in enumerate(rows):
        flags = tools.number(row.get("flags"))
        state = {
            "state": number,
            "watts": power({"psds": rows}, number).get("power_state_max_w"),
            "entry_ms": tools.number(row.get("entry_lat")) / 1e3,
            "exit_ms": tools.number(row.get("exit_lat")) / 1e3,
            "idle": bool(tools.number(row.get("non-operational_state", flags >> 1 & 1))),
            "after_ms": after_ms.get(number),
        }
        states.append({key: value for key, value in state.items() if value is not None})
    return states


def _watts(value: Any, unit_w: float) -> float:
    """Return watts from a count of units, or from text such as `8.25 W`."""
    if isinstance(value, str) and (match := re.match(r"(\d{1,6}(?:\.\d{1,6})?)\s*W", value)):
        return float(match[1])
    watts = round(tools.number(value) * unit_w, 4)
    return watts if watts < MOST_W else 0
