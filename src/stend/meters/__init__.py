"""Meters of power: one file per kind, selected by `--meter KIND` or `--meter KIND:ADDRESS`.

A meter states what it includes (`MeterFacts.scope`). It never invents a value: a time without one stays without one.
"""

from importlib import import_module
from pkgutil import iter_modules
from typing import NamedTuple, Protocol

from stend.base.errors import BadInput
from stend.base.text import did_you_mean
from stend.devices import Device
from stend.model.events import MeterFacts


class Value(NamedTuple):
    """The mean power of the `seconds` that end at `end`, and the highest value in that time, both in watts.

    `end` is seconds on the monotonic clock of the host; on the drive's own clock for a virtual drive.
    """

    end: float
    seconds: float
    mean: float
    most: float


class Meter(Protocol):
    """A meter that reads until it is closed."""

    facts: MeterFacts

    def read(self) -> list[Value]:
        """Return the values since the last call, in order."""

    def words(self) -> list[str]:
        """Return what happened since the last call: a gap, a counter that wrapped, the end of the meter."""

    def quiet(self, resting: bool) -> None:
        """Do not ask the drive while it rests; a meter that does not ask the drive ignores it."""

    def close(self) -> None:
        """Stop reading."""


def kinds() -> list[str]:
    """Return the names of all kinds: the files of this package."""
    return sorted(m.name for m in iter_modules(__path__) if not m.name.startswith("_"))


def opened(spec: str, device: Device) -> Meter:
    """Return a meter that reads from now on.

    Errors: BadInput for an unknown kind, an address that does not fit, or a drive that does not report its power;
    Missing if a program or library is missing.
    """
    kind, _, address = spec.partition(":")
    if kind not in kinds():
        raise BadInput(f"there is no meter {kind!r}{did_you_mean(kind, kinds())}; choose from {', '.join(kinds())}")
    meter: Meter = import_module(f"{__name__}.{kind}").opened(address, device)
    return meter
