"""The reads of a survey: which block is read when. Equal workloads and seeds give the same reads."""

from collections.abc import Iterator
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


class Visit(NamedTuple):
    """Neighbouring reads: the cell, and the first bytes of the blocks."""

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
        yield from _sampled(workload, seed)
    else:
        yield from _every(workload, from_bytes)


def _sampled(workload: Workload, seed: int) -> Iterator[Visit]:
    """Yield the end of the range, then pass after pass; each pass begins at another cell."""
    starts, dice, block = _blocks(workload), np.random.default_rng(seed), workload.block_bytes
    cells, reads = len(starts) - 1, survey(workload).reads
    yield Visit(cells - 1, np.array([workload.start_bytes + workload.range_bytes - block]))
    step = next(n for n in range(max(round(cells * GOLDEN), 1), cells + 2) if gcd(n, cells) == 1)
    while True:
        at = int(dice.integers(cells))
        for _ in range(cells):
            drawn = np.sort(dice.integers(starts[at], starts[at + 1], reads))
            yield Visit(at, workload.start_bytes + drawn * block)
            at = (at + step) % cells


def _every(workload: Workload, from_bytes: int) -> Iterator[Visit]:
    starts, block = _blocks(workload), workload.block_bytes
    for cell, (first, end) in enumerate(zip(starts[:-1], starts[1:], strict=True)):
        for at in range(max(int(first), from_bytes // block), int(end), AT_ONCE):
            yield Visit(cell, workload.start_bytes + np.arange(at, min(at + AT_ONCE, int(end))) * block)
    rest = workload.range_bytes % block
    if rest:
        yield Visit(len(starts) - 2, np.array([workload.start_bytes + workload.range_bytes - block]))


def _blocks(workload: Workload) -> list[int]:
    """Return where the cells begin and the last one ends, in blocks of the range."""
    return [(at - workload.start_bytes) // workload.block_bytes for at in edges(workload)]
