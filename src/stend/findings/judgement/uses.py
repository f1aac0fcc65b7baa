"""Uses of a drive and their demands, read from uses.toml."""

import math
from functools import cache
from importlib import resources
from typing import Any

import msgspec

KINDS = ("flash", "disk", "array")
NEAR = 1.05
"""A ratio to a bound that two significant digits may hide."""


class Unless(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A demand is not made, or a use not judged, if another figure is below a bound, or above one."""

    figure: str
    below: float = 0.0
    above: float = math.inf


class Applies(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A use is judged only if a figure is known and at least this high."""

    figure: str
    above: float


class Demand(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A figure and its bounds in base units: it passes up to the first and fails beyond the second."""

    figure: str
    weight: int
    source: str
    at_least: tuple[float, float] | None = None
    at_most: tuple[float, float] | None = None
    needed: bool = False
    optional: bool = False
    instead: str = ""
    unless: Unless | None = None
    kinds: tuple[str, ...] = KINDS
    clause: str = ""

    def answer(self, value: float) -> str:
        """Return "pass", "doubt" or "fail"."""
        good, bad = self.at_least or self.at_most or (0.0, 0.0)
        sign = 1 if self.at_least else -1
        return "pass" if sign * value >= sign * good else "doubt" if sign * value >= sign * bad else "fail"

    def beyond(self, value: float) -> float:
        """Return how many times the value is beyond the bound for passing, on either side of it."""
        good = (self.at_least or self.at_most or (1.0, 1.0))[0]
        ratio = max(value, 1e-12) / good
        return max(ratio, 1 / ratio)

    def near(self, value: float) -> bool:
        """Return True if the value misses a bound by so little that two digits may look like the bound itself."""
        missed = [bound / value if self.at_least else value / bound for bound in self.at_least or self.at_most or ()
                  if bound > 0 and value > 0]  # fmt: skip
        return any(1 < ratio < NEAR for ratio in missed)


class Use(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A possible use of a drive, its demands, and the kinds of drive that it is judged for."""

    demands: tuple[Demand, ...]
    kinds: tuple[str, ...] = KINDS
    applies: Applies | None = None
    unless: Unless | None = None
    no_better: str = ""


class Uses(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole table: `order` is from light to heavy, `ladder` are the classes that drives are sold by.

    A figure below its bound in `level` hardly moved.
    """

    order: tuple[str, ...]
    ladder: tuple[str, ...]
    use: dict[str, Use]
    level: dict[str, float]


@cache
def uses() -> Uses:
    """Return uses.toml."""
    text: Any = (resources.files(__package__) / "uses.toml").read_bytes()
    return msgspec.toml.decode(text, type=Uses)


def more_is_better(figure: str) -> bool:
    """Return whether uses ask for at least some value of a figure, not for at most one."""
    return any(demand.figure == figure and demand.at_least for use in uses().use.values() for demand in use.demands)
