"""Endurance of a drive by its sheet: drive writes per day and bytes over the warranty."""

from collections.abc import Mapping
from typing import Any, NamedTuple

YEARS, DAYS = 5, 365


class Endurance(NamedTuple):
    """Drive writes per day, total bytes written, and the number of years."""

    dwpd: float
    written_bytes: float
    years: float


def endurance(sheet: Mapping[str, Any], capacity_bytes: int) -> Endurance | None:
    """Return the endurance by the sheet, or None if it states none.

    If it states only drive writes per day or only bytes, the other is derived from it.
    """
    years = float(sheet.get("warranty_years", YEARS))
    whole = capacity_bytes * DAYS * years
    dwpd, written = sheet.get("endurance_dwpd"), sheet.get("endurance_tbw")
    if dwpd is None and written is None:
        return None
    written_bytes = float(written) * 1e12 if written is not None else float(dwpd or 0) * whole
    return Endurance(float(dwpd) if dwpd is not None else written_bytes / whole, written_bytes, years)
