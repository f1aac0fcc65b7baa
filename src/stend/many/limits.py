"""Limits of figures as text: `iops[saturated] > 100k`, `p99.9[latency] < 5 ms`; without a unit in base units."""

import re
from typing import NamedTuple

from stend.base.errors import BadInput
from stend.catalogue.choice import ORDERS
from stend.model.quantities import QUANTITIES

UNITS = {
    "": 1.0, "k": 1e3, "m": 1e6, "s": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9,
    "kb/s": 1e3, "mb/s": 1e6, "gb/s": 1e9, "mib/s": 2.0**20, "gib/s": 2.0**30, "%": 1.0, "w": 1.0, "mw": 1e-3,
}  # fmt: skip
FIT = {
    "1/s": {"", "k", "m"},
    "B/s": {"", "k", "m", "kb/s", "mb/s", "gb/s", "mib/s", "gib/s"},
    "s": {"", "s", "ms", "us", "µs", "ns"},
    "W": {"", "w", "mw"},
    "1/s/W": {"", "k"},
    "B/J": {"", "k", "m"},
    "": {"", "k", "m", "%"},
}
"""Permitted units by the base unit of a quantity. An empty base unit means a plain number."""
FORM = "write it like 'iops[saturated] > 100k', 'p99.9[latency] < 5 ms' or 'flash.spare_pct < 20'"
_LIMIT = re.compile(
    r"\s*([\w.-]+)(?:\[([^\[\]]*)\])?\s*(<=|>=|<|>)\s*([+-]?\d{1,15}(?:\.\d{1,9})?)\s*([%a-zµ/]{0,5})\s*", re.IGNORECASE
)


class Limit(NamedTuple):
    """A name, the words that pick its figures (None without brackets), a sign, a number and its unit."""

    text: str
    name: str
    where: tuple[str, ...] | None
    sign: str
    number: float
    unit: str

    def bound(self, quantity: str) -> float:
        """Return the bound in base units of a quantity ("" for a plain number). Raise BadInput for a wrong unit."""
        fitting = FIT.get(QUANTITIES[quantity].unit if quantity else "", {""})
        if self.unit not in fitting:
            known = ", ".join(unit for unit in UNITS if unit and unit in fitting)
            raise BadInput(f"{self.text!r}: {self.unit} is not a unit of {self.name}; use {known or 'none'}")
        return self.number * UNITS[self.unit]

    def holds(self, value: float, bound: float) -> bool:
        """Return whether a value meets the limit."""
        return ORDERS[self.sign](value, bound)


def parsed(text: str) -> Limit:
    """Parse a limit. Raise BadInput with an example if it is invalid."""
    match = _LIMIT.fullmatch(text.replace("\u03bc", "µ"))  # the Greek letter, to which Unicode normalizes the sign
    if not match or match[5].lower() not in UNITS:
        raise BadInput(f"{text!r} is not a limit; {FORM}")
    return Limit(text, match[1], words(match[2]), match[3], float(match[4]), match[5].lower())


def words(text: str | None) -> tuple[str, ...] | None:
    """Return the words in the brackets of a figure, or None without brackets."""
    return None if text is None else tuple(word.strip() for word in text.split(",") if word.strip())
