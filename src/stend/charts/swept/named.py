"""Figures and parameters of a sweep as charts and tables call them."""

from typing import Any

from stend.charts.overlay.intervals import named
from stend.sweep.results import Figure
from stend.words import Language

SHAPES = {"iops": "rate", "throughput": "mbs"}
AXES = {"iops": 1.0, "throughput": 1e-6}


def figure_name(figure: Figure, words: Language) -> str:
    """Test, load, quantity and state."""
    state = words(f"kept_state.{figure.key.state}")
    return f"{named(figure.key, figure.quantity, words)} ({state})"


def shown(value: Any, quantity: str, words: Language) -> str:
    """A figure's value as a person reads it; a dash where there is none."""
    return words.show(value, SHAPES.get(quantity, "lat"))


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
