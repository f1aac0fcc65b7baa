"""A design: which virtual drive, which tests, and which of their parameters take which values; one TOML file.

title = "What over-provisioning buys"
target = "sim:small"               # with options, as on the command line
tests = ["write-saturation"]
quick = true
drives = 200                       # a Latin hypercube; without it a grid: every combination
settings = {depth = 16}            # of the plan, alike for all drives

[parameters]
"flash.spare_pct" = {from = 7.0, to = 40.0}              # of the drive, by both names; fractions, as the bounds are
"flash.dies" = {from = 4, to = 64, log = true}           # whole numbers, even by ratio
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
"""Parts of a range that stand for all of it."""
Value = bool | int | float | str
Bound = int | float
Values = dict[str, Value]
PLAN = "plan."
"""How the names of parameters begin that are the plan's; the others are the drive's."""


class Range(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"low": "from", "high": "to"}):
    """From one number to another, whole numbers where both are; even by ratio with `log`; rounded to `step`s above
    `from`; a grid takes `levels` of it."""

    low: Bound
    high: Bound
    log: bool = False
    step: Bound | None = None
    levels: Annotated[int, Meta(ge=2, le=1000)] = USUAL_LEVELS

    def at(self, share: float) -> Value:
        """The value at a share from 0 to 1 of the way."""
        if self.whole:
            return self._whole(share)
        value = self._between(self.low, self.high, share)
        return float(f"{value if self.step is None else self._stepped(value):.6g}")

    @property
    def whole(self) -> bool:
        """Whether its values are whole numbers."""
        return isinstance(self.low, int) and isinstance(self.high, int) and isinstance(self.step or 0, int)

    def _whole(self, share: float) -> int:
        """Each whole number, or step, has its equal part of the way; by ratio the part up to the next."""
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
    """The TOML of a design."""

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
    """those of the page, written like `iops[write-saturation,saturated]`; all that matter without it"""
    best: str = ""
    where: tuple[str, ...] = ()


class Point(NamedTuple):
    """One drive of a design: its number from 1, the seed of its run, and its parameters' values."""

    number: int
    seed: int
    values: Values


class Design(NamedTuple):
    """What was written, and what each parameter can be: a range, or values to choose among."""

    name: str
    written: Written
    parameters: dict[str, Range | tuple[Value, ...]]

    @property
    def title(self) -> str:
        """As written, or the file's name."""
        return self.written.title or self.name

    @property
    def drawn(self) -> tuple[Any, ...]:
        """All that decides which drives there are and what is run on them; pages may be asked for otherwise."""
        plain = msgspec.structs.replace(self.written, title="", figures=(), best="", where=(), parameters={})
        return plain, tuple(self.parameters.items())

    def points(self) -> list[Point]:
        """Every drive, the same each time."""
        dice = np.random.default_rng(self.written.seed)
        told = self._hypercube(dice) if self.written.drives else self._grid()
        seeds = dice.integers(0, 1 << 61, len(told)).tolist()
        return [Point(i, seed, values) for i, (seed, values) in enumerate(zip(seeds, told, strict=True), 1)]

    def _hypercube(self, dice: np.random.Generator) -> list[Values]:
        """Each parameter's way is cut into as many equal parts as there are drives; each part has one (McKay 1979)."""
        count, size = self.written.drives or 0, len(self.parameters)
        parts = dice.permuted(np.tile(np.arange(count), (size, 1)), axis=1)
        shares = (parts + dice.random((size, count))) / count
        columns = [
            [_at(own, share) for share in row] for own, row in zip(self.parameters.values(), shares, strict=True)
        ]
        return [dict(zip(self.parameters, row, strict=True)) for row in zip(*columns, strict=True)]

    def _grid(self) -> list[Values]:
        ladders = [_ladder(own) for own in self.parameters.values()]
        return [dict(zip(self.parameters, row, strict=True)) for row in product(*ladders)]

    def population(self, name: str) -> list[Value]:
        """The values that a parameter could have been given, each as often as is likely."""
        own = self.parameters[name]
        if isinstance(own, Range) and self.written.drives:
            return [own.at((k + 0.5) / FINE) for k in range(FINE)]
        return _ladder(own)

    def extremes(self) -> list[Values]:
        """The first value of each parameter, then each parameter's further ends or values alone."""
        ends = {name: _ends(own) for name, own in self.parameters.items()}
        first = {name: own[0] for name, own in ends.items()}
        return [first, *(first | {name: value} for name, own in ends.items() for value in own[1:])]


def read(path: Path) -> Design:
    """The design of a file; BadInput says in a sentence what is wrong with it."""
    return parsed(untrusted.read(path, "the design"), path)


def parsed(data: bytes, path: Path) -> Design:
    """The same of what a file holds."""
    what = f"the design {path}"
    written = untrusted.toml(data, Written, what)
    if not written.target.startswith("sim:"):
        raise BadInput(f"{what} cannot be used: target {written.target!r} is no virtual drive (sim:NAME)")
    own = {name: _parameter(value, f"{what} cannot be used: {name}") for name, value in _flat(written.parameters)}
    if not own:
        raise BadInput(f"{what} cannot be used: it has no parameters that vary")
    design = Design(path.stem, written, own)
    if not written.drives and (count := math.prod(len(_ladder(one)) for one in own.values())) > MOST_DRIVES:
        raise BadInput(f"{what} cannot be used: its grid has {count} drives, and {MOST_DRIVES} are the most")
    return design


def _flat(told: dict[str, Any], above: str = "") -> list[tuple[str, Any]]:
    """Parameters by their whole names, whether written with quotes or as tables."""
    found = []
    for name, value in told.items():
        inner = isinstance(value, dict) and not {"from", "to"} & set(value)
        found += _flat(value, f"{above}{name}.") if inner else [(above + name, value)]
    return found


def _parameter(value: Any, what: str) -> Range | tuple[Value, ...]:
    if isinstance(value, dict):
        own = untrusted.converted(value, Range, what)
        if not math.isfinite(own.low) or not math.isfinite(own.high) or own.low >= own.high:
            raise BadInput(f"{what} goes from {own.low} to {own.high}, which is not upwards")
        if own.step is not None and not 0 < own.step <= own.high - own.low:
            raise BadInput(f"{what} cannot go by steps of {own.step}")
        if own.log and own.low <= 0:
            raise BadInput(f"{what} cannot go by ratio from {own.low}; it must be above 0")
        return own
    values = tuple(untrusted.converted(value, list[Value], what))
    if len(values) < 2 or len({repr(one) for one in values}) < len(values):
        raise BadInput(f"{what} needs two values or more, each once")
    return values


def _at(own: Range | tuple[Value, ...], share: float) -> Value:
    return own.at(share) if isinstance(own, Range) else own[int(share * len(own))]


def _ladder(own: Range | tuple[Value, ...]) -> list[Value]:
    """What a grid takes of it; of few whole numbers each once."""
    if not isinstance(own, Range):
        return list(own)
    shares = np.linspace(0, 1, own.levels).tolist()
    return list(dict.fromkeys(own.at(share) for share in shares))


def _ends(own: Range | tuple[Value, ...]) -> list[Value]:
    return [own.at(0.0), own.at(1.0)] if isinstance(own, Range) else list(own)
