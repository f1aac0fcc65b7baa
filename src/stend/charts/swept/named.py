"""Names of parameters and axes of a sweep in charts and tables."""

from collections.abc import Sequence
from typing import Any

from stend.charts.parts import Row
from stend.charts.parts.figures import figure_name
from stend.many.sweep.wish import Subject
from stend.words import Language

AXES = {"iops": 1.0, "throughput": 1e-6, "headroom": 1.0}


def parameter(value: Any, words: Language) -> str:
    """Return the value of a parameter as text."""
    if isinstance(value, bool):
        return words("versus.yes" if value else "versus.no")
    return words.show(value, "n") if isinstance(value, int | float) else str(value)


def subject_name(subject: Subject, words: Language) -> str:
    """Return the name of a parameter or figure of a wish."""
    return subject.parameter or figure_name(subject.figures[0], words)


def axis_title(quantity: str, words: Language) -> str:
    """Return a quantity with the unit of `scaled`."""
    return words(f"swept.axis_{'lat' if quantity not in AXES else quantity}", quantity=words.quantity(quantity))


def scaled(value: float, quantity: str) -> float:
    """Return a value in the unit of its axis: IOPS, MB/s or milliseconds; headroom stays a ratio."""
    return value * AXES.get(quantity, 1e3)


def tight(channel: dict[str, Any], rows: Sequence[Row]) -> dict[str, Any]:
    """Return a logarithmic axis from the lowest to the highest value instead of whole powers of ten."""
    if channel["scale"].get("type") != "log":
        return channel
    values = [row[channel["field"]] for row in rows]
    return {**channel, "scale": {"type": "log", "nice": False, "domain": [min(values) * 0.93, max(values) * 1.07]}}
