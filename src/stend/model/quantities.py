"""The quantities of figures, each registered once: what shows, compares, judges or exports figures reads them here."""

from collections.abc import Callable
from typing import Literal, NamedTuple

from stend.model.tally import PERCENTS, Tally


class Quantity(NamedTuple):
    """A quantity: base unit, whether more is better, and which threshold of comparisons applies.

    `reading` names the readings of a meter that it is derived from, and `how`: their mean, the highest of them, or the
    IOs or bytes of the load divided by their sum over the time. Others have a `formula` of a load's counts with IOs and
    seconds. Percentiles are read from the bins. Those of `FOUND` are what a test found.
    """

    unit: str
    more_is_better: bool
    kind: Literal["rate", "mean", "tail"]
    reading: str = ""
    how: Literal["mean", "most", "ios", "bytes"] = "mean"
    formula: Callable[[Tally, float], float | None] | None = None


QUANTITIES: dict[str, Quantity] = {
    "iops": Quantity("1/s", True, "rate", formula=lambda tally, seconds: tally.ios / seconds),
    "throughput": Quantity("B/s", True, "rate", formula=lambda tally, seconds: tally.bytes / seconds),
    "mean": Quantity("s", False, "mean", formula=lambda tally, _: tally.mean_s or None),
    **{name: Quantity("s", False, "tail" if percent > 50 else "mean") for name, percent in PERCENTS.items()},
    "max": Quantity("s", False, "tail", formula=lambda tally, _: tally.max_s or None),
    "headroom": Quantity("", True, "rate"),
    "cache_bytes": Quantity("B", True, "rate"),
    "watts": Quantity("W", False, "mean", "watts"),
    "watts_max": Quantity("W", False, "tail", "watts", "most"),
    "iops_per_watt": Quantity("1/s/W", True, "rate", "watts", "ios"),
    "bytes_per_joule": Quantity("B/J", True, "rate", "watts", "bytes"),
}
FOUND = ("headroom", "cache_bytes")
"""Quantities that a search or a finding gives, and no counts of a load."""
STANDARD = ("iops", "throughput", "mean", *PERCENTS, "max", *FOUND)
OTHERS = tuple(name for name in QUANTITIES if name not in STANDARD)
"""Quantities without rules of their own: every export and comparison has them wherever they have a value."""
METERED = tuple(name for name, quantity in QUANTITIES.items() if quantity.reading)
"""Quantities that need a meter."""
COUNTED = tuple(name for name in OTHERS if name not in METERED)
"""Quantities among `OTHERS` that the counts of a load give."""
READINGS = tuple(dict.fromkeys(QUANTITIES[name].reading for name in METERED))
"""Names of readings that meters take."""
BESIDE = (*FOUND, *METERED)
"""Quantities that counts alone do not give. They are None without a search or a meter."""
SHAPES = {
    "1/s": "rate",
    "B/s": "mbs",
    "s": "lat",
    "": "times",
    "B": "gib",
    "W": "watts",
    "1/s/W": "per_watt",
    "B/J": "per_joule",
}
"""Base unit -> how a value is written (`words.numbers`); a number with its unit for other units."""


def shape(name: str) -> str:
    """Return the shape in which a quantity is written (`words.numbers`). Names without an entry are response times."""
    unit = QUANTITIES[name].unit if name in QUANTITIES else "s"
    return SHAPES.get(unit, f"with:{unit}")
