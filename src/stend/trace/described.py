"""Describe a trace as SNIA's RWSW does: IO streams over time, and the map of addresses if the trace has them.

One pass in constant memory. Recalled from RWSW PTS 1.0.7: IO streams by share, their cumulative share, steps of
5 minutes.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from stend.base.errors import BadInput
from stend.model.stats import BINS
from stend.model.tally import Tally
from stend.trace import steps
from stend.trace.folding import Folding
from stend.trace.form import READ, UNKNOWN, WRITE, About, Batch, Trace
from stend.trace.steps import Part, Step

COLUMNS, ROWS = 100, 50
CELLS = 1 << 21
BITS = 1 << 30
FINE = 4096
ZONES = (0.05, 0.20, 1.0)
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Places:
    """Addresses that a trace reads and writes.

    `span_bytes`: end of the last read or write. `touched_bytes`: footprint of reads, of writes and of both, counted in
    units of `fine_bytes`, but at most the bytes that they moved. `zones`: (share of the touched cells, hottest first,
    share of the IOs in them), with cells of `coarse_bytes`. Few cells have no share of exactly 5 %. `heat` [2, columns,
    rows]: reads and writes that start there, columns of `step_ns`, rows of `row_bytes`.
    """

    span_bytes: int
    fine_bytes: int
    coarse_bytes: int
    touched_bytes: tuple[int, int, int]
    zones: tuple[tuple[float, float], ...]
    step_ns: int
    row_bytes: int
    heat: Counts


@dataclass(frozen=True, slots=True)
class Described:
    """Description of a trace: at most 300 steps, the streams of the whole trace, and places and gaps if recorded.

    `gaps`: Tally of the times between neighbouring issues, with 0 bytes. `derived`: True if the depths were computed
    from response times because the source does not record them.
    """

    about: About
    end_ns: int
    steps: tuple[Step, ...]
    parts: tuple[Part, ...]
    places: Places | None
    gaps: Tally | None
    derived: bool

    @property
    def ios(self) -> int:
        """Return the number of IOs of all streams."""
        return sum(part.tally.ios for part in self.parts)

    @property
    def bytes(self) -> int:
        """Return the bytes read, written and discarded."""
        return sum(part.tally.bytes for part in self.parts)

    @property
    def rate(self) -> float | None:
        """Return the mean IOPS, or None if all IOs were issued at one moment."""
        at_once = self.gaps is not None and not self.gaps.latency_ns
        return None if at_once or not self.end_ns else self.ios / (self.end_ns / 1e9)

    def of(self, op: int) -> Tally:
        """Return the Tally of one operation. Its bins count the IOs with a response time."""
        return sum((part.tally for part in self.parts if part.op == op), Tally())

    @property
    def whole(self) -> Step:
        """Return all steps added up into one."""
        first, *others = self.steps
        for step in others:
            first = first + step
        return first


def described(trace: "Trace | steps.Steps") -> Described:
    """Return the description of a trace. Raise BadInput if it has no IO."""
    if isinstance(trace, Trace):
        return _of_ios(trace)
    whole = tuple(steps.coarser(trace, steps.length_of(_end_ns(trace))))
    return _description(trace.about, whole, None, None, derived=False)


def _end_ns(trace: steps.Steps) -> int:
    end_ns = 0
    for step in trace:
        end_ns = step.start_ns + step.length_ns
    return end_ns


def _of_ios(trace: Trace) -> Described:
    survey = _Survey(trace)
    end_ns = max(trace.end_ns, round(trace.about.seconds * steps.SECOND_NS))
    folding = Folding(steps.length_of(end_ns))
    ended = chain.from_iterable(folding.add(survey.add(batch)) for batch in trace.batches())
    whole = (*ended, *folding.end(end_ns))
    return _description(trace.about, whole, survey.places(_moved(whole)), survey.gaps(), derived=survey.derived)


def _description(
    about: About, whole: tuple[Step, ...], places: Places | None, gaps: Tally | None, *, derived: bool
) -> Described:
    if not any(step.ios for step in whole):
        raise BadInput("the trace has no IO, so it cannot be described")
    end_ns = whole[-1].start_ns + whole[-1].length_ns
    return Described(about, end_ns, whole, tuple(steps.cumulative(whole)), places, gaps, derived)


class _Survey:
    """Data of a trace that steps do not hold: addresses, times between IOs, and depths derived from response times."""

    def __init__(self, trace: Trace) -> None:
        from stend.trace import _places

        self._kernels = _places
        self._span = max(_reach_bytes(trace), FINE)
        self._fine, self._coarse = _unit(self._span, BITS, FINE), _unit(self._span, CELLS, FINE)
        self._row, self._step_ns = -(-self._span // ROWS), trace.end_ns // COLUMNS + 1
        self._touched = np.zeros((2, (-(-self._span // self._fine) + 7) // 8), np.uint8)
        self._counts = np.zeros((2, -(-self._span // self._coarse)), np.int64)
        self._heat = np.zeros((2, COLUMNS, ROWS), np.int64)
        self._bins, self._longest, self._squares, self._last_ns = np.zeros(BINS, np.int64), 0, 0.0, -1
        self._first_ns: int | None = None
        self._ends = np.zeros(1 + _places.MOST_IN_FLIGHT, np.int64)
        self.derived = False

    def add(self, batch: Batch) -> Batch:
        """Add a batch to the maps, and return it with depths if they can be derived from response times."""
        t_ns = batch["t_ns"]
        columns = (t_ns, batch["op"], batch["offset"], batch["length"])
        maps = (self._touched, self._counts, self._heat)
        self._kernels.place(*columns, self._fine, self._coarse, *maps, self._step_ns, self._row)
        longest, squares = self._kernels.gaps(t_ns, self._last_ns, self._bins)
        self._longest, self._squares = max(self._longest, longest), self._squares + squares
        self._first_ns = int(t_ns[0]) if self._first_ns is None else self._first_ns
        self._last_ns = int(t_ns[-1])
        if (batch["depth"] != UNKNOWN).any() or (batch["latency_ns"] == UNKNOWN).all():
            return batch
        depth: npt.NDArray[Any] = np.full(len(t_ns), UNKNOWN, np.int32)
        self._kernels.in_flight(t_ns, batch["latency_ns"], depth, self._ends)
        self.derived = True
        return {**batch, "depth": depth}

    def gaps(self) -> Tally:
        used = np.flatnonzero(self._bins)
        bins = dict(zip(used.tolist(), self._bins[used].tolist(), strict=True))
        whole_ns = self._last_ns - (self._first_ns or 0)
        return Tally(int(self._bins.sum()), 0, whole_ns, self._squares, self._longest, bins)

    def places(self, moved: tuple[int, int]) -> Places | None:
        """Return the places of a trace that reads and writes so many bytes, or None without any."""
        counts = self._counts.sum(axis=0)
        if not counts.any():
            return None
        both = self._touched[READ] | self._touched[WRITE]
        units = [int(np.bitwise_count(bits).sum()) * self._fine for bits in (*self._touched, both)]
        touched = [min(upper, size) for upper, size in zip(units, (*moved, sum(moved)), strict=True)]
        hottest = np.sort(counts[counts > 0])[::-1]
        sums = np.cumsum(hottest)
        cells = [max(round(share * len(sums)), 1) for share in ZONES]
        zones = [(many / len(sums), float(sums[many - 1] / sums[-1])) for many in cells]
        footprint = (touched[0], touched[1], touched[2])
        return Places(
            self._span, self._fine, self._coarse, footprint, tuple(zones), self._step_ns, self._row, self._heat
        )


def _moved(whole: Iterable[Step]) -> tuple[int, int]:
    """Return the bytes that steps read and write."""
    parts = [part for step in whole for part in step.parts]
    read, write = (sum(part.tally.bytes for part in parts if part.op == op) for op in (READ, WRITE))
    return read, write


def _reach_bytes(trace: Trace) -> int:
    """Return the byte where the last read or write ends."""
    parts = trace.batches(("op", "offset", "length"))
    return max((int(((part["offset"] + part["length"]) * (part["op"] <= WRITE)).max()) for part in parts), default=0)


def _unit(span: int, most: int, least: int) -> int:
    """Return the smallest cell size in bytes, `least` times a power of two, that needs at most `most` cells."""
    unit = least
    while span > unit * most:
        unit *= 2
    return unit


def frequent(parts: Sequence[Part], share: float = 0.8) -> Sequence[Part]:
    """Return the fewest streams that make up at least this share (0-1) of the IOs, of streams sorted by their IOs."""
    sums = np.cumsum([part.tally.ios for part in parts])
    return parts[: int(np.searchsorted(sums, share * sums[-1] * (1 - 1e-12))) + 1]
