"""Write amplification from two looks at the counters of a drive."""

from collections.abc import Mapping
from typing import Any

from stend.model.warming import growth

UNITS = 100
"""Counts by which a counter must grow: then its unit is at most 1 % of the growth."""


def amplification(before: Mapping[str, Any], now: Mapping[str, Any], host: str = "host_write_bytes") -> float | None:
    """Return the bytes written to flash memory per byte from the host between two looks, or None if it is not known.

    That is so without a counter of both, if one did not grow, and while one grew by fewer than `UNITS` of its unit:
    SATA drives count in GiB, and the log of an endurance group in GB (NVMe base 2.0, 5.16.1.10).
    """
    counters = {host: "host_unit_bytes" if host == "host_write_bytes" else "", "nand_write_bytes": "nand_unit_bytes"}
    if not all(name in look for look in (before, now) for name in counters):
        return None
    grown = [(growth(before, now, name), UNITS * now.get(unit, 0)) for name, unit in counters.items()]
    (of_host, _), (of_flash, _) = grown
    return of_flash / of_host if all(bytes_ >= max(least, 1) for bytes_, least in grown) else None
