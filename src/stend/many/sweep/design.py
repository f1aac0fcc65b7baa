"""A design: a virtual drive, tests, and the values of their parameters, in one TOML file.

title = "What over-provisioning buys"
target = "sim:small"               # with options, as on the command line
tests = ["write-saturation"]
quick = true
drives = 200                       # a Latin hypercube; without it a grid: every combination
settings = {depth = 16}            # of the plan, equal for all drives

[parameters]
"flash.spare_pct" = {from = 7.0, to = 40.0}              # of the drive, section.name; fractions, as the bounds are
"flash.dies" = {from = 4, to = 64, log = true}           # whole numbers, evenly spaced by ratio
"flash.cleaning" = ["greedy", "fifo", "cost-benefit"]
"plan.active_range_pct" = {from = 50, to = 100, levels = 3}  # of the plan: how full the drive is
"plan.write-saturation.workload" = ["write-intensive", "oltp"]
"""

import math
from itertools import product
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np
from msgspec import Meta

from stend.base import untrusted
from stend.base.errors import BadInput

MOST_DRIVES = 100_000
USUAL_LEVELS = 5
FINE = 2000
"""Number of values that represent a whole range."""
Value = bool | int | float | str
Bound = int | float
Values = dict[str, Value]
PLAN = "plan."
"""Prefix of the plan's parameters. All others are the drive's."""


class Range(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"low": "from", "high": "to"}):
    """A range from one number to another, of whole numbers if both bounds are.

    With `log` values are evenly spaced by ratio. With `step` they are rounded to steps above `from`. A grid takes
    `levels` values.
    """

    low: Bound
    high: Bound
    log: bool = False
    step: Bound | None = None
    levels: Annotated[int, Meta(ge=2, le=1000)] = USUAL_LEVELS

    def at(self, share: float) -> Value:
        """Return the value at a share (0 to 1) of the range."""
        if self.whole:
            return self._whole(share)
        value = self._between(self.low, self.high, share)
        return float(f"{value if self.step is None else self._stepped(value):.6g}")

    @property
    def whole(self) -> bool:
        """Return whether its values are whole numbers."""
        return isinstance(self.low, int) and isinstance(self.high, int) and isinstance(self.step or 0, int)

    def _whole(self, share: float) -> int:
        """Return a whole number. Each has an equal part of the range, with `log` the part up to the next number."""
        step = int(self.step or 1)
        count = (int(self.high) - int(self.low)) // step + 1
        if not self.log:
            return int(self.low) + step * min(int(share * count), count - 1)
        value = self._between(self.low, int(self.low) + step * count, share)
        return int(self.low) + step * min(int((value - self.low) / step + 1e-9), count - 1)

    def _between(self, low: float, high: float, share: float) -> float:
        return math.exp(math.log(low) + share * math.log(high / low)) if self.log else low + share * (high - low)

    def _stepped(self, value: float) -> float:
        step = self.step or 1
        return float(min(self.low + round((value - self.low) / step) * step, self.high))


class Written(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The TOML file of a design."""

    target: str
    tests: Annotated[tuple[str, ...], Meta(min_length=1, max_length=100)]
    parameters: dict[str, Any]
    title: str = ""
    profile: str | None = None
    quick: bool = False
    settings: dict[str, Any] = {}
    drives: Annotated[int, Meta(ge=2, le=MOST_DRIVES)] | None = None
    seed: Annotated[int, Meta(ge=0, lt=1 << 61)] = 1
    figures: tuple[str, ...] = ()
    """figures of the page, written like `iops[write-saturation,saturated]`; default: the usual ones"""
    best: str = ""
    where: tuple[str, ...] = ()


class Point(NamedTuple):
    """One drive of a design: its number from 1, the seed of its run, and its parameters' values."""

    number: int
    seed: int
    values: Values


class Design(NamedTuple):
    """The design of a file, with each parameter as a range or a list of values."""

    name: str
    written: Written
    parameters: dict[str, Range | tuple[Value, ...]]

    @property
    def title(self) -> str:
        """Return the title, or the name of the file."""
        return self.written.title or self.name

    @property
    def drawn(self) -> tuple[Any, ...]:
        """Return the parts that determine the drives and their runs, without the settings of the page."""
        plain = msgspec.structs.replace(self.written, title="", figures=(), best="", where=(), parameters={})
        return plain, tuple(self.parameters.items())

    def points(self) -> list[Point]:
        """Return every drive. The result is the same in each call."""
        dice = np.random.default_rng(self.written.seed)
        values = self._hypercube(dice) if self.written.drives else self._grid()
        seeds = dice.integers(0, 1 << 61, len(values)).tolist()
        return [Point(i, seed, drive) for i, (seed, drive) in enumerate(zip(seeds, values, strict=True), 1)]

    def _hypercube(self, dice: np.random.Generator) -> list[Values]:
        """Divide each parameter's range into equal parts, one per drive, and put a drive in each (McKay 1979)."""
        count, size = self.written.drives or 0, len(self.parameters)
        parts = dice.permuted(np.tile(np.arange(count), (size, 1)), axis=1)
        shares = (parts + dice.random((size, count))) / count
        columns = [
            [_at(kind, share) for share in row] for kind, row in zip(self.parameters.values(), shares, strict=True)
        ]
        return [dict(zip(self.parameters, row, strict=True)) for row in zip(*columns, strict=True)]

    def _grid(self) -> list[Values]:
        ladders = [_ladder(kind) for kind in self.parameters.values()]
        return [dict(zip(self.parameters, row, strict=True)) for row in product(*ladders)]

    def population(self, name: str) -> list[Value]:
        """Return the possible values of a parameter, each as often as it is likely."""
        kind = self.parameters[name]
        if isinstance(kind, Range) and self.written.drives:
            return [kind.at((k + 0.5) / FINE) for k in range(FINE)]
        return _ladder(kind)

    def extremes(self) -> list[Values]:
        """Return the first values of all parameters, then each other end or value of one parameter at a time."""
        ends = {
            name: [kind.at(0.0), kind.at(1.0)] if isinstance(kind, Range) else list(kind)
            for name, kind in self.parameters.items()
        }
        first = {name: values[0] for name, values in ends.items()}
        return [first, *(first | {name: value} for name, values in ends.items() for value in values[1:])]


def read(path: Path) -> Design:
    """Read a design. Raise BadInput if it is invalid."""
    return parsed(untrusted.read(path, "the design"), path)


def parsed(data: bytes, path: Path) -> Design:
    """Parse the content of a design file. Raise BadInput if it is invalid."""
    what = f"the design {path}"
    written = untrusted.toml(data, Written, what)
    if not written.target.startswith("sim:"):
        raise BadInput(f"{what} cannot be used: target {written.target!r} is not a virtual drive (sim:NAME)")
    parameters = {
        name: _parameter(value, f"{what} cannot be used: {name}") for name, value in _flat(written.parameters)
    }
    if not parameters:
        raise BadInput(f"{what} cannot be used: it has no parameters that vary")
    design = Design(path.stem, written, parameters)
    if not written.drives and (count := math.prod(len(_ladder(kind)) for kind in parameters.values())) > MOST_DRIVES:
        raise BadInput(f"{what} cannot be used: its grid has {count} drives, more than the limit of {MOST_DRIVES}")
    return design


def _flat(table: dict[str, Any], above: str = "") -> list[tuple[str, Any]]:
    """Return parameters by their full names, written in quotes or as tables."""
    pairs = []
    for name, value in table.items():
        inner = isinstance(value, dict) and not {"from", "to"} & set(value)
        pairs += _flat(value, f"{above}{name}.") if inner else [(above + name, value)]
    return pairs


def _parameter(value: Any, what: str) -> Range | tuple[Value, ...]:
    if isinstance(value, dict):
        range_ = untrusted.converted(value, Range, what)
        if not math.isfinite(range_.low) or not math.isfinite(range_.high) or range_.low >= range_.high:
            raise BadInput(f"{what} goes from {range_.low} to {range_.high}, which is not ascending")
        if range_.step is not None and not 0 < range_.step <= range_.high - range_.low:
            raise BadInput(f"{what} cannot have steps of {range_.step}")
        if range_.log and range_.low <= 0:
            raise BadInput(f"{what} cannot be spaced by ratio from {range_.low}; it must start above 0")
        return range_
    values = tuple(untrusted.converted(value, list[Value], what))
    if len(values) < 2 or len({repr(item) for item in values}) < len(values):
        raise BadInput(f"{what} needs two or more different values")
    return values


def _at(kind: Range | tuple[Value, ...], share: float) -> Value:
    return kind.at(share) if isinstance(kind, Range) else kind[int(share * len(kind))]


def _ladder(kind: Range | tuple[Value, ...]) -> list[Value]:
    """Return the values for a grid; each whole number at most once."""
    if not isinstance(kind, Range):
        return list(kind)
    shares = np.linspace(0, 1, kind.levels).tolist()
    return list(dict.fromkeys(kind.at(share) for share in shares))
