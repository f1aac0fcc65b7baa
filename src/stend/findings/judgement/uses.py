"""uses.toml as data: what each use asks of a drive, and how its clauses are said."""

from functools import cache
from importlib import resources
from typing import Any

import msgspec

Pair = tuple[str, str]


class Unless(msgspec.Struct, frozen=True):
    """A demand is not made where another figure lies below a bound."""

    figure: str
    below: float


class Demand(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A figure and its bounds: it passes up to the first and fails beyond the second, in base units."""

    figure: str
    weight: int
    source: str
    at_least: tuple[float, float] | None = None
    at_most: tuple[float, float] | None = None
    needed: bool = False
    unless: Unless | None = None

    def answer(self, value: float) -> str:
        """ "pass", "doubt" or "fail"."""
        good, bad = self.at_least or self.at_most or (0.0, 0.0)
        sign = 1 if self.at_least else -1
        return "pass" if sign * value >= sign * good else "doubt" if sign * value >= sign * bad else "fail"

    def beyond(self, value: float) -> float:
        """How many times the value is on the wrong side of the bound for passing, or on the right side of it."""
        good = (self.at_least or self.at_most or (1.0, 1.0))[0]
        ratio = max(value, 1e-12) / good
        return max(ratio, 1 / ratio)


class Use(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a drive may be for; `only` says which kinds of drive it is asked of."""

    demands: tuple[Demand, ...]
    only: str = "any"


class Says(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Clauses about a figure, and the shape it is told in."""

    good: Pair = msgspec.field(name="pass")
    doubt: Pair
    fail: Pair
    shape: str
    level: Pair | None = None
    level_below: float = 0.0


class Uses(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The whole table: `order` from light to heavy, `ladder` the classes that drives are sold by."""

    order: tuple[str, ...]
    ladder: tuple[str, ...]
    use: dict[str, Use]
    says: dict[str, Says]


@cache
def uses() -> Uses:
    """uses.toml."""
    told: Any = (resources.files(__package__) / "uses.toml").read_bytes()
    return msgspec.toml.decode(told, type=Uses)


SHAPES = {
    "cache_bytes": "gib",
    "cache_first": "mbs",
    "back_iops": "rate",
    "rested": "rate",
    "hot_bytes": "gib",
    "server": "rate",
    "fresh_writes": "rate",
    "outer": "mbs",
    "inner": "mbs",
    "small_read": "rate",
    "large_read": "mbs",
    "small_random": "rate",
    "small_random_write": "rate",
    "write_wait": "lat",
    "load": "rate",
    "load_read": "lat",
    "load_write": "lat",
}
"""Of figures that only stand inside other clauses."""


def shape(figure: str) -> str:
    """How a figure is told."""
    own = uses().says.get(figure)
    return own.shape if own else SHAPES.get(figure, "n")
