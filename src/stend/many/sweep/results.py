"""The results of a sweep: one column per figure and quantity, beside the values of the parameters."""

from collections.abc import Iterable, Sequence
from math import log
from typing import NamedTuple

import numpy as np

from stend.base.errors import BadInput
from stend.many.compare.differences import Figure, quantities
from stend.many.compare.rules import fits
from stend.many.sides import Key
from stend.many.statistics import Array
from stend.many.sweep.design import Design, Values
from stend.many.sweep.folder import Line


class Results(NamedTuple):
    """Drives in order, with failed ones separate. A value is None if a drive does not have it."""

    design: Design
    drives: tuple[Line, ...]
    failed: tuple[Line, ...]
    rows: tuple[dict[Key, Line], ...]
    """figures of each drive"""

    @property
    def keys(self) -> list[Key]:
        """Return every figure that any drive has, in the order of measurement."""
        return list(dict.fromkeys(key for row in self.rows for key in row))

    @property
    def values(self) -> list[Values]:
        """Return the parameters of each drive."""
        return [line["values"] for line in self.drives]

    def column(self, figure: Figure) -> list[float | None]:
        """Return the value of a figure for each drive, in base units."""
        return [row[figure.key][figure.quantity] if figure.key in row else None for row in self.rows]

    def logs(self, figure: Figure) -> tuple[list[int], Array]:
        """Return the indices of the drives that have a figure, and its logarithms."""
        values = [(i, log(value)) for i, value in enumerate(self.column(figure)) if value and value > 0]
        return [i for i, _ in values], np.array([y for _, y in values])


def collected(design: Design, lines: Iterable[Line]) -> Results:
    """Return the lines of a folder by figure. If a drive has two lines, the last one counts.

    A drive whose run failed is separate even with figures: a cut phase does not measure its state.
    """
    every = sorted({line["drive"]: line for line in lines}.values(), key=lambda line: line["drive"])
    failed = tuple(line for line in every if line["outcome"] == "failed" or not line["figures"])
    good = tuple(line for line in every if line not in failed)
    keyed = [
        {Key(**{name: row[name] for name in Key._fields if name in row}): row for row in line["figures"]}
        for line in good
    ]
    apart = any(len({key.loose for key in row}) < len(row) for row in keyed)
    rows = tuple(row if apart else {Key(*key.loose): line for key, line in row.items()} for row in keyed)
    return Results(design, good, failed, rows)


def matching(results: Results, quantity: str, where: Sequence[str]) -> list[Figure]:
    """Return the figures that match all words and that any drive has."""
    figures = [Figure(key, quantity) for key in results.keys if all(fits(word, key) for word in where)]
    return [figure for figure in figures if any(value is not None for value in results.column(figure))]


def picked(results: Results, quantity: str, where: Sequence[str]) -> list[Figure]:
    """Return the figures that match all words and that any drive has. Raise BadInput if there are none."""
    figures = matching(results, quantity, where)
    if not figures:
        wanted = f"{quantity}[{','.join(where)}]" if where else quantity
        there = ", ".join(dict.fromkeys(f"{key.test} ({key.state})" for key in results.keys)) or "none"
        raise BadInput(f"{wanted} matches no figure of this sweep; choose from: {there}")
    return figures


def usual(results: Results) -> list[Figure]:
    """Return the figures of a comparison without mean response times, those of a fresh drive last."""
    keys = sorted(results.keys, key=lambda key: key.state == "fresh")
    figures = [Figure(key, name) for key in keys for name in quantities(key) if name != "mean"]
    return [figure for figure in figures if any(value is not None for value in results.column(figure))]
