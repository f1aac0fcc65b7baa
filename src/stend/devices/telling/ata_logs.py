"""Logs of a SATA drive as smartctl reads them: the standard's device statistics, then makers' attributes."""

from typing import Any

from stend.base.units import GB, GiB, MiB
from stend.devices.telling import shapes

SMARTCTL = ("smartctl", "--json", "--all", "--log=devstat")
WORN = {"Wear_Leveling_Count", "Media_Wearout_Indicator", "SSD_Life_Left", "Percent_Lifetime_Remain"}
HOST_WRITES = {
    "Total_LBAs_Written": 512,
    "Host_Writes_32MiB": 32 * MiB,
    "Host_Writes_GiB": GiB,
    "Lifetime_Writes_GiB": GiB,
}
NAND_WRITES = {
    "NAND_Writes_32MiB": 32 * MiB,
    "NAND_Writes_1GiB": GiB,
    "Flash_Writes_GiB": GiB,
    "NAND_GB_Written_TLC": GB,
}
"""Names of counters in smartctl's drive database, and the bytes of one count."""

STATISTICS = {
    "media_errors": "Number of Reported Uncorrectable Errors",
    "crc_errors": "Number of Interface CRC Errors",
    "reallocated": "Number of Reallocated Logical Sectors",
    "wear_pct": "Percentage Used Endurance Indicator",
}
ATTRIBUTES = {
    "crc_errors": "UDMA_CRC_Error_Count",
    "media_errors": "Reported_Uncorrect",
    "reallocated": "Reallocated_Sector_Ct",
}
SECTORS = {"host_write_bytes": "Logical Sectors Written", "host_read_bytes": "Logical Sectors Read"}
CAPACITORS = "Power_Loss_Cap_Test"


def health(document: dict[str, Any]) -> dict[str, Any]:
    """Return health from `smartctl --json --all --log=devstat`. The writes counters have units: `host_unit_bytes`."""
    smart = shapes.taken(document, shapes.SMARTCTL)
    figures: dict[str, Any] = {
        "temperature_c": smart.get("temperature", {}).get("current"),
        "link": smart.get("interface_speed", {}).get("current", {}).get("string"),
    }
    figures |= _attributes(smart) | _statistics(smart)
    return shapes.sound(figures)


def _statistics(smart: dict[str, Any]) -> dict[str, Any]:
    """Return the valid entries of the device statistics log (ACS-4, 9.5)."""
    pages = smart.get("ata_device_statistics", {}).get("pages", [])
    rows = (row for page in pages for row in page.get("table", []))
    values = {
        row["name"]: row["value"]
        for row in rows
        if {"name", "value"} <= row.keys() and row.get("flags", {}).get("valid", True)
    }
    block = int(smart.get("logical_block_size", 512))
    figures = {key: values[name] for key, name in STATISTICS.items() if name in values}
    counted = {key: values[name] * block for key, name in SECTORS.items() if name in values}
    return figures | counted | ({"host_unit_bytes": block} if "host_write_bytes" in counted else {})


def _attributes(smart: dict[str, Any]) -> dict[str, Any]:
    """Return the figures of makers' SMART attributes."""
    rows = smart.get("ata_smart_attributes", {}).get("table", [])
    raw = {row["name"]: row["raw"]["value"] for row in rows if "name" in row and row.get("raw")}
    figures: dict[str, Any] = {key: raw.get(name) for key, name in ATTRIBUTES.items()}
    for key, names in (("host_write_bytes", HOST_WRITES), ("nand_write_bytes", NAND_WRITES)):
        name = next((name for name in names if name in raw), "")
        figures |= {key: raw[name] * names[name]} if name else {}
        figures |= {key.replace("write", "unit"): names[name]} if name else {}
    worn = next((row.get("value") for row in rows if row.get("name") in WORN), None)
    return figures | {"wear_pct": 100 - worn if worn is not None else None}


def power_loss_protection(document: dict[str, Any]) -> str:
    """Return the result of the drive's test of its capacitors, or an empty string if it has no such attribute."""
    rows = shapes.taken(document, shapes.SMARTCTL).get("ata_smart_attributes", {}).get("table", [])
    row = next((row for row in rows if row.get("name") == CAPACITORS), None)
    if row is None:
        return ""
    return f"capacitors, their test {'failed' if row.get('when_failed') else 'passed'}"
