"""What the drives of a sweep gave: a column a figure and quantity, beside the parameters' values."""

from collections.abc import Iterable, Sequence
from math import log
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stend.base.errors import BadInput
from stend.many.compare.differences import Figure, quantities
from stend.many.compare.rules import fits
from stend.many.sides import Key
from stend.many.sweep.design import Design, Values
from stend.many.sweep.folder import Line

Array = npt.NDArray[np.float64]


class Results(NamedTuple):
    """Drives in their order, those that failed apart; a value is None where a drive did not give it."""

    design: Design
    drives: tuple[Line, ...]
    failed: tuple[Line, ...]
    rows: tuple[dict[Key, Line], ...]
    """of each drive, its figures"""

    @property
    def keys(self) -> list[Key]:
        """Every figure that any drive gave, in the order they were measured."""
        return list(dict.fromkeys(key for row in self.rows for key in row))

    @property
    def values(self) -> list[Values]:
        """Of each drive, its parameters."""
        return [line["values"] for line in self.drives]

    def column(self, figure: Figure) -> list[float | None]:
        """Of each drive, in base units."""
        return [row[figure.key][figure.quantity] if figure.key in row else None for row in self.rows]

    def logs(self, figure: Figure) -> tuple[list[int], Array]:
        """Which drives gave it, and the logarithms."""
        told = [(i, log(value)) for i, value in enumerate(self.column(figure)) if value]
        return [i for i, _ in told], np.array([y for _, y in told])


def collected(design: Design, lines: Iterable[Line]) -> Results:
    """The lines of a folder by figure; a drive that was written twice counts once."""
    every = sorted({line["drive"]: line for line in lines}.values(), key=lambda line: line["drive"])
    good = tuple(line for line in every if line["figures"])
    keyed = [{_key(row): row for row in line["figures"]} for line in good]
    apart = any(len({key.loose for key in own}) < len(own) for own in keyed)
    rows = tuple(own if apart else {Key(*key.loose): row for key, row in own.items()} for own in keyed)
    return Results(design, good, tuple(line for line in every if not line["figures"]), rows)


def _key(row: Line) -> Key:
    return Key(**{name: row[name] for name in Key._fields})


def picked(results: Results, quantity: str, where: Sequence[str]) -> list[Figure]:
    """The figures that all these words fit and any drive gave; BadInput where there is none."""
    keys = [key for key in results.keys if all(fits(word, key) for word in where)]
    found = [Figure(key, quantity) for key in keys]
    found = [one for one in found if any(value is not None for value in results.column(one))]
    if not found:
        told = f"{quantity}[{','.join(where)}]" if where else quantity
        there = ", ".join(dict.fromkeys(f"{key.test} ({key.state})" for key in results.keys)) or "none"
        raise BadInput(f"{told} fits no figure of this sweep; there are: {there}")
    return found


def usual(results: Results) -> list[Figure]:
    """Those that a comparison would show, of states that last before those of a fresh drive; of rates and the mean
    response times that follow from them, the rates."""
    keys = sorted(results.keys, key=lambda key: key.state == "fresh")
    own = [Figure(key, name) for key in keys for name in quantities(key) if name != "mean"]
    return [one for one in own if any(value is not None for value in results.column(one))]
