"""The quantities of figures, each registered once: what shows, compares, judges or exports figures reads them here."""

from typing import Literal, NamedTuple

from stend.model.tally import PERCENTS


class Quantity(NamedTuple):
    """A quantity: base unit, whether more is better, and which threshold of comparisons applies."""

    unit: str
    more_is_better: bool
    kind: Literal["rate", "mean", "tail"]


QUANTITIES: dict[str, Quantity] = {
    "iops": Quantity("1/s", True, "rate"),
    "throughput": Quantity("B/s", True, "rate"),
    "mean": Quantity("s", False, "mean"),
    **{name: Quantity("s", False, "tail" if percent > 50 else "mean") for name, percent in PERCENTS.items()},
    "max": Quantity("s", False, "tail"),
    "headroom": Quantity("", True, "rate"),
    "watts": Quantity("W", False, "mean"),
    "watts_max": Quantity("W", False, "tail"),
    "iops_per_watt": Quantity("1/s/W", True, "rate"),
    "bytes_per_joule": Quantity("B/J", True, "rate"),
}
POWER = ("watts", "watts_max", "iops_per_watt", "bytes_per_joule")
"""Quantities that a meter of power gives."""
BESIDE = ("headroom", *POWER)
"""Quantities that counts alone do not give; None without a search or a meter."""
