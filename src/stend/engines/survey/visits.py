"""The reads of a survey: which block is read when. Equal workloads and seeds give the same reads."""

from collections.abc import Iterator
from itertools import count, pairwise
from math import gcd
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stend.model.surveyed import edges
from stend.model.workload import Survey, Workload

GOLDEN = (5**0.5 - 1) / 2
"""Steps of this share of the range spread the visits of an unfinished pass evenly over it."""
AT_ONCE = 64
"""Blocks of a visit when every block is read."""
TO_PLACES = 4
"""Every so many visits one goes to a place. The others show the usual level of the same moment."""


class Visit(NamedTuple):
    """Neighbouring reads: the cell, or the place by its number after the cells, and the first bytes of the blocks."""

    cell: int
    offsets: npt.NDArray[np.int64]


def survey(workload: Workload) -> Survey:
    """Return the survey of a workload that has one."""
    if workload.survey is None:
        raise RuntimeError("a workload without a survey")
    return workload.survey


def visits(workload: Workload, seed: int, from_bytes: int = 0) -> Iterator[Visit]:
    """Yield the visits of a sample without end, or of every block once, from `from_bytes` in the range on."""
    if survey(workload).reads:
        yield from _sampled(workload, np.random.default_rng(seed))
    else:
        yield from _every(workload, from_bytes)


def _sampled(workload: Workload, dice: np.random.Generator) -> Iterator[Visit]:
    """Yield the end of the range, then pass after pass, and visits to the places in between."""
    block, wanted = workload.block_bytes, survey(workload)
    yield Visit(len(edges(workload)) - 2, np.array([workload.start_bytes + workload.range_bytes - block]))
    turn = count()
    for number, (cell, first, end) in enumerate(_passes(workload, dice), 1):
        yield Visit(cell, _drawn(dice, first, end, block, wanted.reads))
        if wanted.places and number % (TO_PLACES - 1) == 0:
            place = next(turn) % len(wanted.places)
            at, size = wanted.places[place]
            yield Visit(len(edges(workload)) - 1 + place, _drawn(dice, at, at + size, block, wanted.reads))


def _drawn(dice: np.random.Generator, first: int, end: int, block: int, reads: int) -> npt.NDArray[np.int64]:
    blocks = max((end - first) // block, 1)
    return first + np.sort(dice.integers(0, blocks, reads)) * block


def _passes(workload: Workload, dice: np.random.Generator) -> Iterator[tuple[int, int, int]]:
    """Yield (cell, first byte, end) without end. Each pass begins at another cell and has another step."""
    at = edges(workload)
    cells = len(at) - 1
    steps = [1, *(n for n in range(2, cells) if gcd(n, cells) == 1)]
    near = sorted(steps, key=lambda n: abs(n / cells - GOLDEN))[:16]
    while True:
        cell, step = int(dice.integers(cells)), near[int(dice.integers(len(near)))]
        for _ in range(cells):
            yield cell, at[cell], at[cell + 1]
            cell = (cell + step) % cells


def _every(workload: Workload, from_bytes: int) -> Iterator[Visit]:
    start, block = workload.start_bytes, workload.block_bytes
    at = [(edge - start) // block for edge in edges(workload)]
    for cell, (first, end) in enumerate(pairwise(at)):
        for one in range(max(first, from_bytes // block), end, AT_ONCE):
            yield Visit(cell, start + np.arange(one, min(one + AT_ONCE, end)) * block)
    if workload.range_bytes % block:
        yield Visit(len(at) - 2, np.array([start + workload.range_bytes - block]))
