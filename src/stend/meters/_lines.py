"""Values that programs and files state as text: a number, with an optional unit of power or of energy."""

import re
from typing import NamedTuple

UNITS = {
    "": (False, 1.0),
    "W": (False, 1.0),
    "mW": (False, 1e-3),
    "uW": (False, 1e-6),
    "µW": (False, 1e-6),
    "kW": (False, 1e3),
    "J": (True, 1.0),
    "mJ": (True, 1e-3),
    "uJ": (True, 1e-6),
    "µJ": (True, 1e-6),
    "Wh": (True, 3600.0),
    "mWh": (True, 3.6),
    "kWh": (True, 3.6e6),
}
"""Unit -> (whether it is one of energy, its size in watts or joules)."""
NUMBER = r"[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?|nan|inf)"
VALUE = re.compile(rf"\s*({NUMBER})\s*([A-Za-zµ]*)\s*", re.IGNORECASE)
MOST_LINE = 1000


class Stated(NamedTuple):
    """A value in watts, or in joules if it is the reading of a counter of energy."""

    value: float
    energy: bool


def stated(line: str, quantity: str = "watts") -> Stated | None:
    """Return the value of a line, or None if it is not a number with a unit of watts, or a bare number of others."""
    match = VALUE.fullmatch(line.replace("\N{GREEK SMALL LETTER MU}", "µ")) if len(line) <= MOST_LINE else None
    if not match or match[2] not in (UNITS if quantity == "watts" else ("",)):
        return None
    energy, size = UNITS[match[2]]
    return Stated(float(match[1]) * size, energy)
