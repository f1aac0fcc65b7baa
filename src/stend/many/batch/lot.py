"""Drives of one model with their runs; a drive is the unit: each gives one number a figure, the mean of its runs."""

from collections.abc import Iterator, Sequence
from math import log
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stend.base.errors import BadInput
from stend.many.compare.differences import Figure, quantities
from stend.many.settings import BLOCKING, Reason
from stend.many.sides import Key, Outcome, Side, every_key

Array = npt.NDArray[np.float64]
ALIKE = ("model", *BLOCKING)
"""Settings that must be the same for all drives of a batch."""


class Drive(NamedTuple):
    """A drive, the runs of it, and the geometric mean of each figure over them."""

    name: str
    runs: tuple[Outcome, ...]
    values: dict[Figure, float]


class Lot(NamedTuple):
    """Drives in the order in which they were begun, figures that at least two of them have, and what is not alike."""

    drives: tuple[Drive, ...]
    figures: tuple[Figure, ...]
    notes: tuple[Reason, ...]

    def logs(self, figure: Figure) -> tuple[list[int], Array]:
        """Which drives have it, and the logarithms."""
        own = [(i, log(drive.values[figure])) for i, drive in enumerate(self.drives) if figure in drive.values]
        return [i for i, _ in own], np.array([y for _, y in own])


def lot(runs: Side, *, anyway: bool = False) -> Lot:
    """The drives of these runs. BadInput for fewer than two, and where what must be alike is not, but for `anyway`."""
    by: dict[str, list[Outcome]] = {}
    for run in runs.runs:
        by.setdefault(run.drive, []).append(run)
    if len(by) < 2:
        raise BadInput(f"a batch has two drives or more, and these are runs of {len(by)}")
    if (unlike := list(_unlike(runs))) and not anyway:
        told = "; ".join(f"{name}: {', '.join(map(str, values))}" for name, values in unlike)
        raise BadInput(f"these runs are not of one batch, measured alike ({told}); --anyway takes them for one")
    figures = [Figure(key, name) for key in every_key([runs]) for name in quantities_of(key)]
    drives = tuple(Drive(name, tuple(own), dict(_values(own, figures))) for name, own in by.items())
    shared = tuple(one for one in figures if sum(one in drive.values for drive in drives) > 1)
    return Lot(drives, shared, tuple(_notes(drives, unlike)))


def quantities_of(key: Key) -> list[str]:
    """What a comparison shows; without the mean response times that follow from a rate, and without maxima."""
    if key.direction != "both":
        return []
    own = [name for name in quantities(key) if name != "max"]
    return [name for name in own if name != "mean" or key.test == "latency" or len(own) == 1]


def _values(runs: Sequence[Outcome], figures: Sequence[Figure]) -> Iterator[tuple[Figure, float]]:
    for one in figures:
        told = [value for run in runs if one.key in run.rows and (value := run.rows[one.key].value(one.quantity))]
        if told:
            yield one, float(np.exp(fmean(log(value) for value in told)))


def _unlike(runs: Side) -> Iterator[tuple[str, list[Any]]]:
    for name in ALIKE:
        values = dict.fromkeys(run.settings.get(name) for run in runs.runs)
        if len(values) > 1:
            yield name, list(values)


def _notes(drives: Sequence[Drive], unlike: Sequence[tuple[str, list[Any]]]) -> Iterator[Reason]:
    yield from (Reason("unlike", {"name": name, "values": values[:4]}) for name, values in unlike)
    firmwares = sorted({str(run.settings.get("firmware") or "") for drive in drives for run in drive.runs} - {""})
    if len(firmwares) > 1:
        yield Reason("unlike", {"name": "firmware", "values": firmwares})
    counts = {len(drive.runs) for drive in drives}
    if len(counts) > 1:
        yield Reason("counts", {"least": min(counts), "most": max(counts)})
