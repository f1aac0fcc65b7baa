"""The passport of a drive: hours, bytes, wear and errors by every log that states them, side by side.

`hours` and `written_bytes` are {log: value}, so that logs can be compared. A log that is missing or damaged leaves its
values out and adds a sentence to `unread`. A value that is not a count is left out. Nothing is derived here.
"""

from collections.abc import Iterator
from typing import Any

from stend.devices.telling import ata_logs, nvme_logs, shapes, tools

Passport = dict[str, Any]
SELF_TESTS, SELF_TEST_BYTES, UNUSED, PASSED, ABORTED = 20, 28, 0xF, 0, (1, 2, 3, 4, 8, 9)
"""Entries of NVMe log 06h, their size, and results without a test or without a failure (NVMe base 2.0, 5.16.1.7)."""
ENDURANCE_UNIT = 10**9
"""Bytes of a count in NVMe log 09h (NVMe base 2.0, 5.16.1.10)."""
FARM_HOURS = {"power_on_hours": "FARM", "spindle_power_on_hours": "FARM, spindle", "head_flight_hours": "FARM, heads"}
STATISTICS_HOURS = {"Power-on Hours": "device statistics", "Head Flying Hours": "device statistics, heads"}
ATA_COUNTS = {
    "Current_Pending_Sector": "pending",
    "Offline_Uncorrectable": "uncorrectable",
    "Reallocated_Sector_Ct": "reallocated",
    "UDMA_CRC_Error_Count": "crc_errors",
    "Reported_Uncorrect": "media_errors",
}
HEAD_HOURS = "Head_Flying_Hours"
HEAD_BITS = 32
"""Seagate stores minutes and seconds above the 32 bits of hours in this attribute."""


def kept(passport: Passport, unread: list[str]) -> Passport:
    """Return a passport without empty parts, with its values checked."""
    parts: Passport = {}
    for key, value in passport.items():
        whole = _counted(value) if isinstance(value, dict) and key != "serials" else value
        if whole not in (None, "", {}, []):
            parts[key] = whole
    return parts | ({"unread": unread} if unread else {})


def _counted(values: dict[str, Any]) -> dict[str, int]:
    return {name: count for name, entry in values.items() if (count := tools.count(entry)) is not None}


def of_smartctl(printed: tools.Output) -> Passport:
    """Return the passport from `smartctl --json --xall` of a SATA or SCSI drive."""
    document = printed.document
    if not document or not any(key in document for key in ("power_on_time", "smart_status", "serial_number")):
        why = "it printed no complete document" if printed.out else printed.words
        return {"unread": [f"SMART: {why}"]}
    farm, unread = document.get("seagate_farm_log"), list[str]()
    if isinstance(farm, dict) and not farm.get("supported", True):
        farm = None
    hours: dict[str, Any] = {"SMART": _at(document, "power_on_time", "hours")}
    hours |= {name: _found(farm, key) for key, name in FARM_HOURS.items()} if farm else {}
    hours |= dict(_statistics(document)) | {"self-test log": max(_self_test_hours(document), default=None)}
    minutes = _at(document, "scsi_background_scan", "accumulated_power_on_minutes")
    hours["background scan"] = minutes // 60 if isinstance(minutes, int) else None
    health = ata_logs.health(document)
    made = {key: _at(document, "scsi_start_stop_cycle_counter", f"{key}_of_manufacture") for key in ("year", "week")}
    passed = _at(document, "smart_status", "passed")
    return kept(
        {
            "hours": hours,
            "written_bytes": {"SMART": health.get("host_write_bytes")},
            "counts": _counts(document),
            "wear_pct": {"SMART": health.get("wear_pct"),
                         "log page": _at(document, "scsi_percentage_used_endurance_indicator")},
            "health_passed": passed if isinstance(passed, bool) else None,
            "self_tests_failed": sum(_self_tests_failed(document)) or None,
            "serials": dict(_serials(document, farm)),
            "made": made if all(isinstance(part, str | int) for part in made.values()) else None,
        },
        unread,
    )  # fmt: skip


def of_nvme(smart: tools.Output, self_tests: bytes, endurance: bytes) -> Passport:
    """Return the passport from `nvme smart-log -o json`, and the pages 06h and 09h. An empty page was not readable."""
    log, unread = smart.document, list[str]()
    if not log:
        unread.append(f"NVMe log 02h (SMART): {smart.words}")
    if self_tests and len(self_tests) < 4 + SELF_TEST_BYTES:
        unread.append(f"NVMe log 06h (self-test): torn, {len(self_tests)} bytes")
    tests = list(_nvme_tests(self_tests))
    worn = endurance if len(endurance) >= 512 and any(endurance) else b""
    units = tools.count(log.get("data_units_written"))
    return kept(
        {
            "hours": {
                "SMART": tools.count(log.get("power_on_hours")),
                "self-test log": max((hours for hours, _ in tests), default=None),
            },
            "written_bytes": {
                "SMART": units and units * nvme_logs.DATA_UNIT_BYTES,
                "endurance group": int.from_bytes(worn[64:80], "little") * ENDURANCE_UNIT or None,
            },
            "counts": {
                "media_errors": tools.count(log.get("media_errors")),
                "error_log": tools.count(log.get("num_err_log_entries")),
                "unsafe_shutdowns": tools.count(log.get("unsafe_shutdowns")),
                "power_cycles": tools.count(log.get("power_cycles")),
            },
            "wear_pct": {
                "SMART": tools.count(log.get("percent_used", log.get("percentage_used"))),
                "endurance group": worn[5] if worn else None,
            },
            "spare": {
                "pct": tools.count(log.get("avail_spare", log.get("available_spare"))),
                "threshold_pct": tools.count(log.get("spare_thresh", log.get("available_spare_threshold"))),
            },
            "critical_warning": nvme_logs.warning(log.get("critical_warning")) or None,
            "self_tests_failed": sum(failed for _, failed in tests) or None,
        },
        unread,
    )


def _nvme_tests(page: bytes) -> Iterator[tuple[int, bool]]:
    """Yield (power-on hours, failed) of each entry of NVMe log 06h."""
    for at in range(4, 4 + SELF_TESTS * SELF_TEST_BYTES, SELF_TEST_BYTES):
        entry = page[at : at + SELF_TEST_BYTES]
        if len(entry) == SELF_TEST_BYTES and entry[0] and (result := entry[0] & 0xF) != UNUSED:
            yield int.from_bytes(entry[4:12], "little"), result not in (PASSED, *ABORTED)


def _at(document: Any, *path: str) -> Any:
    for key in path:
        document = document.get(key) if isinstance(document, dict) else None
    return document


def _found(document: Any, key: str) -> Any:
    """Return the value of a key anywhere in a document, or None if it is not there."""
    if isinstance(document, dict):
        if key in document and not isinstance(document[key], dict | list):
            return document[key]
        return next((value for inner in document.values() if (value := _found(inner, key)) is not None), None)
    return None


def _statistics(document: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield hours of the device statistics, and the head hours of the attributes."""
    pages = shapes.taken(document, shapes.SMARTCTL).get("ata_device_statistics", {}).get("pages", [])
    for row in (row for page in pages for row in page.get("table", [])):
        if (name := STATISTICS_HOURS.get(row.get("name", ""))) and row.get("flags", {}).get("valid", True):
            yield name, row.get("value")
    for name, raw in _attributes(document):
        if name == HEAD_HOURS:
            yield "SMART, heads", raw & ((1 << HEAD_BITS) - 1)


def _attributes(document: dict[str, Any]) -> Iterator[tuple[str, int]]:
    rows = shapes.taken(document, shapes.SMARTCTL).get("ata_smart_attributes", {}).get("table", [])
    yield from ((row["name"], row["raw"]["value"]) for row in rows if "name" in row and row.get("raw", {}).get("value"))


def _counts(document: dict[str, Any]) -> dict[str, Any]:
    health = ata_logs.health(document)
    counts = {key: health.get(key) for key in ("reallocated", "media_errors", "crc_errors")}
    counts |= {key: raw & 0xFFFF_FFFF for name, raw in _attributes(document) if (key := ATA_COUNTS.get(name))}
    return counts | {
        "error_log": _at(document, "ata_smart_error_log", "extended", "count"),
        "power_cycles": document.get("power_cycle_count"),
        "grown_defects": document.get("scsi_grown_defect_list"),
        "media_errors": uncorrected(document) if "scsi_error_counter_log" in document else counts.get("media_errors"),
    }


def uncorrected(document: dict[str, Any]) -> int | None:
    """Return the uncorrected errors of reads and writes from smartctl's document of a SCSI drive."""
    ways = (_at(document, "scsi_error_counter_log", way, "total_uncorrected_errors") for way in ("read", "write"))
    known = [count for count in map(tools.count, ways) if count is not None]
    return sum(known) if known else None


def _self_tests(document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    logs = document.get("ata_smart_self_test_log")
    for kind in ("extended", "standard"):
        yield from shapes.dicts(_at(logs, kind, "table"))
    yield from (
        value for key, value in document.items() if key.startswith("scsi_self_test_") and isinstance(value, dict)
    )


def _self_test_hours(document: dict[str, Any]) -> Iterator[int]:
    for entry in _self_tests(document):
        hours = tools.count(entry.get("lifetime_hours", _at(entry, "power_on_time", "hours")))
        if hours is not None:
            yield hours


def _self_tests_failed(document: dict[str, Any]) -> Iterator[bool]:
    """Yield True for each self-test that ended with a failure (ATA: `passed`; SCSI: results 3 to 7)."""
    for entry in _self_tests(document):
        yield _at(entry, "status", "passed") is False or tools.count(_at(entry, "result", "value")) in range(3, 8)


def _serials(document: dict[str, Any], farm: Any) -> Iterator[tuple[str, str]]:
    for name, word in (("SMART", document.get("serial_number")), ("FARM", _found(farm, "serial_number"))):
        if isinstance(word, str) and word.strip():
            yield name, word.strip()
