"""Parameters and axes of a sweep as charts and tables call them."""

from collections.abc import Sequence
from typing import Any

from stend.charts.parts import Row
from stend.words import Language

AXES = {"iops": 1.0, "throughput": 1e-6, "headroom": 1.0}


def parameter(value: Any, words: Language) -> str:
    """A parameter's value."""
    if isinstance(value, bool):
        return words("versus.yes" if value else "versus.no")
    return words.show(value, "n") if isinstance(value, int | float) else str(value)


def axis_title(quantity: str, words: Language) -> str:
    """A quantity with the unit of `scaled`."""
    return words(f"swept.axis_{'lat' if quantity not in AXES else quantity}", quantity=words(f"quantity.{quantity}"))


def scaled(value: float, quantity: str) -> float:
    """In the unit of the axis: IOPS, MB/s, milliseconds."""
    return value * AXES.get(quantity, 1e3)


def tight(channel: dict[str, Any], rows: Sequence[Row]) -> dict[str, Any]:
    """A logarithmic axis from the least to the most, not from a power of ten to another."""
    if channel["scale"].get("type") != "log":
        return channel
    values = [row[channel["field"]] for row in rows]
    return {**channel, "scale": {"type": "log", "nice": False, "domain": [min(values) * 0.93, max(values) * 1.07]}}
