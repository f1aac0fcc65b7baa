"""Drives of one model with their runs. Each drive gives one number per figure, the geometric mean of its runs."""

from collections.abc import Iterator, Sequence
from math import exp, log
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from stend.base.errors import BadInput
from stend.many.compare.differences import Figure, quantities
from stend.many.settings import BLOCKING, Reason
from stend.many.sides import Key, Outcome, Side, every_key
from stend.many.statistics import Array

EQUAL = ("model", "capacity", *BLOCKING)
"""Settings that must be equal for all drives of a batch."""


class Drive(NamedTuple):
    """A drive, its runs, and the geometric mean of each figure over them."""

    name: str
    runs: tuple[Outcome, ...]
    values: dict[Figure, float]

    @property
    def failed(self) -> bool:
        """Return True if one of its runs failed, as that of a drive that answers no more does."""
        return any(run.failed for run in self.runs)


class Lot(NamedTuple):
    """Drives in the order of their first runs, figures that at least two of them have, and notes on differences."""

    drives: tuple[Drive, ...]
    figures: tuple[Figure, ...]
    notes: tuple[Reason, ...]

    def logs(self, figure: Figure) -> tuple[list[int], Array]:
        """Return the indices of the drives that have a figure, and its logarithms."""
        values = [(i, log(drive.values[figure])) for i, drive in enumerate(self.drives) if figure in drive.values]
        return [i for i, _ in values], np.array([y for _, y in values])


def lot(runs: Side, *, anyway: bool = False, least: int = 2) -> Lot:
    """Return the drives of these runs.

    Raise BadInput for fewer than `least` drives, and without `anyway` for settings that differ.
    """
    by: dict[str, list[Outcome]] = {}
    for run in runs.runs:
        by.setdefault(run.drive, []).append(run)
    if len(by) < least:
        raise BadInput(f"a lot needs two drives or more, but these runs have {len(by)}")
    if (unlike := list(_unlike(runs))) and not anyway:
        listing = "; ".join(f"{name}: {', '.join(_shown(name, value) for value in values)}" for name, values in unlike)
        raise BadInput(f"these runs differ in model or settings ({listing}); --anyway accepts them as one lot")
    figures = [Figure(key, name) for key in every_key([runs]) for name in quantities_of(key)]
    drives = tuple(Drive(name, tuple(group), dict(_values(group, figures))) for name, group in by.items())
    shared = tuple(figure for figure in figures if sum(figure in drive.values for drive in drives) > 1)
    return Lot(drives, shared, tuple(_notes(drives, unlike)))


def quantities_of(key: Key) -> list[str]:
    """Return the quantities of a comparison without maxima and without mean response times that follow from a rate."""
    if key.direction != "both":
        return []
    left_out = {"max"} if key.test == "latency" else {"max", "mean"}
    return [name for name in quantities(key) if name not in left_out]


def _values(runs: Sequence[Outcome], figures: Sequence[Figure]) -> Iterator[tuple[Figure, float]]:
    for figure in figures:
        values = [
            value for run in runs if figure.key in run.rows and (value := run.rows[figure.key].value(figure.quantity))
        ]
        if values:
            yield figure, _mean(values)


def _mean(values: Sequence[float]) -> float:
    """Return the geometric mean. Of equal values it is that value, without an error of rounding."""
    return values[0] if len(set(values)) == 1 else exp(fmean(log(value) for value in values))


def _unlike(runs: Side) -> Iterator[tuple[str, list[Any]]]:
    for name in EQUAL:
        values = list(dict.fromkeys(run.settings.get(name) for run in runs.runs))
        if name == "capacity":
            values = [value for value in values if value]  # an imported run may not state it
        if len(values) > 1:
            yield name, values


def _shown(name: str, value: Any) -> str:
    return f"{value:,} bytes" if name == "capacity" else str(value)


def _notes(drives: Sequence[Drive], unlike: Sequence[tuple[str, list[Any]]]) -> Iterator[Reason]:
    ends = ((drive.name, run.failed) for drive in drives for run in drive.runs)
    yield from (Reason("failed", {"drive": name, "stamp": stamp}) for name, stamp in ends if stamp)
    yield from (Reason("unlike", {"name": name, "values": values[:4]}) for name, values in unlike)
    firmwares = sorted({str(run.settings.get("firmware") or "") for drive in drives for run in drive.runs} - {""})
    if len(firmwares) > 1:
        yield Reason("unlike", {"name": "firmware", "values": firmwares})
    counts = {len(drive.runs) for drive in drives}
    if len(counts) > 1:
        yield Reason("counts", {"least": min(counts), "most": max(counts)})
