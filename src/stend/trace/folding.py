"""Fold the IOs of a trace, batch by batch in their order, into steps; used by a running capture and by `trace show`.

`fold` is the compiled part: it adds IOs to the sums, bins and depths of a step.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stend.base.jit import bin_of, compiled, inlined, leading_zeros
from stend.model.stats import BIN_BITS, BINS
from stend.model.tally import Tally
from stend.trace.form import COLUMNS, UNKNOWN, Batch
from stend.trace.steps import SECOND_NS, Part, Step

i64, u64 = np.int64, np.uint64
DEEPEST = 1024
START, END, ROWS, BUSY, IDLE, ANSWERED, IOS = range(7)
"""Indices of `State.at`: start and end of the step, streams so far, time when the last IO in flight ends, idle ns,
IOs with a response time, IOs."""
SLOTS, PLACES, COUNTERS = 1 << 16, 1 << 12, 1 << 10
NEAR, NEAR_OF_ALL = 8, 32
"""An IO is sequential if it starts where one of the last 8 IOs of its process and direction ended. Where processes are
unknown, the last 32 IOs of its direction count."""
LARGEST = 2 << 20
"""Bytes. Larger transfer sizes are rounded up to a power of two, which limits the number of streams."""


class State(NamedTuple):
    """Arrays that folding keeps from batch to batch."""

    at: npt.NDArray[np.int64]
    slots: npt.NDArray[np.int32]
    """[SLOTS]: 1 + row of the stream that hashes here, 0 if the slot is empty"""
    keys: npt.NDArray[np.int64]
    """[rows]: bytes << 3 | op << 1 | random"""
    sums: npt.NDArray[np.float64]
    """[rows, 6]: IOs, bytes, sum of ns, sum of ns^2, longest ns, depths added up"""
    bins: npt.NDArray[np.int32]
    """[rows, BINS]"""
    depths: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    """[PLACES, 4]: process, op, byte where an IO ended, its running number within that process and op"""
    numbers: npt.NDArray[np.int64]
    """[COUNTERS]: IOs so far of the processes and ops that hash here"""


@inlined
def mixed(value: Any) -> Any:
    """Return a hash of a 64-bit number (the last step of SplitMix64)."""
    z = u64(value)
    z = (z ^ (z >> u64(30))) * u64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> u64(27))) * u64(0x94D049BB133111EB)
    return z ^ (z >> u64(31))


@inlined
def sequential(s: Any, process: Any, op: Any, offset: Any, length: Any) -> Any:
    """Return True if this IO starts where a recent one ended, and store where this one ends."""
    source = i64(process) << i64(2) | i64(op)
    near = NEAR if process >= 0 else NEAR_OF_ALL
    counter = i64(mixed(source) & u64(COUNTERS - 1))
    number = s.numbers[counter] + 1
    s.numbers[counter] = number
    was = i64(mixed(source * i64(0x9E3779B1) + offset) & u64(PLACES - 1))
    same = s.ends[was, 0] == process and s.ends[was, 1] == op and s.ends[was, 2] == offset
    continues = same and number - s.ends[was, 3] <= near
    end = offset + length
    place = i64(mixed(source * i64(0x9E3779B1) + end) & u64(PLACES - 1))
    s.ends[place, 0], s.ends[place, 1], s.ends[place, 2], s.ends[place, 3] = process, op, end, number
    return continues


@inlined
def row_of(s: Any, key: Any) -> Any:
    """Return the row of a stream, adding one if the stream is new, or -1 if all rows are used."""
    slot = i64(mixed(key) & u64(SLOTS - 1))
    while s.slots[slot] > 0:
        row = i64(s.slots[slot]) - 1
        if s.keys[row] == key:
            return row
        slot = (slot + 1) & (SLOTS - 1)
    row = s.at[ROWS]
    if row >= s.keys.shape[0]:
        return i64(-1)
    s.slots[slot] = row + 1
    s.keys[row] = key
    s.at[ROWS] = row + 1
    return row


@compiled
def fold(
    t_ns: Any, op: Any, offset: Any, length: Any, latency_ns: Any, depth: Any, process: Any, first: Any, s: Any
) -> Any:
    """Add IOs from index `first` on to the step, and return the index of the first IO that was not added.

    Folding stops at an IO that belongs to a later step, or when all rows are used.
    """
    for i in range(first, t_ns.shape[0]):
        at = t_ns[i]
        if at >= s.at[END]:
            return i
        data = op[i] < 2
        size = length[i] if data else i64(0)
        if size > LARGEST:
            size = i64(1) << (i64(64) - i64(leading_zeros(u64(size - 1))))
        if s.at[ROWS] >= s.keys.shape[0]:
            return i
        random = data and not sequential(s, i64(process[i]), i64(op[i]), offset[i], length[i])
        row = row_of(s, size << i64(3) | i64(op[i]) << i64(1) | i64(random))
        s.sums[row, 0] += 1
        s.sums[row, 1] += length[i]
        s.at[IOS] += 1
        free = max(s.at[BUSY], s.at[START])
        if at > free:
            s.at[IDLE] += at - free
        ns = latency_ns[i]
        s.at[BUSY] = max(s.at[BUSY], at + max(ns, 1))
        if ns >= 0:
            s.at[ANSWERED] += 1
            s.sums[row, 2] += ns
            s.sums[row, 3] += float(ns) * float(ns)
            s.sums[row, 4] = max(s.sums[row, 4], float(ns))
            s.bins[row, bin_of(ns, BIN_BITS, BINS)] += 1
        if depth[i] > 0:
            s.depths[min(i64(depth[i]), i64(DEEPEST))] += 1
            s.sums[row, 5] += depth[i]
    return t_ns.shape[0]


FIRST_ROWS = 64
FOLDED = ("t_ns", "op", "offset", "length", "latency_ns", "depth", "process")


class Folding:
    """Folds batches of IOs into steps of `step_ns`. Steps without IOs are yielded too."""

    def __init__(self, step_ns: int = SECOND_NS) -> None:
        self.step_ns = step_ns
        self._state = _empty(FIRST_ROWS)
        self._state.at[END] = step_ns

    def ready(self) -> None:
        """Compile the kernel, or load it from the cache, before the first IO. Compiling takes seconds."""
        nothing = {name: np.zeros(0, kind) for name, kind in COLUMNS.items()}
        self._folded([nothing[name] for name in FOLDED], 0)

    def add(self, batch: Batch) -> Iterator[Step]:
        """Add a batch and yield the steps that it completes. The iterator must be read to its end."""
        rows = len(batch["t_ns"])
        unknown = np.full(rows, UNKNOWN, np.int64)
        columns = [batch.get(name, unknown) for name in FOLDED]
        at = 0
        while at < rows:
            at = self._folded(columns, at)
            if at < rows and int(batch["t_ns"][at]) < self._state.at[END]:
                self._state = _longer(self._state)
            elif at < rows:
                yield self._closed()

    def _folded(self, columns: list[npt.NDArray[Any]], first: int) -> int:
        t_ns, op, offset, length, latency, depth, process = columns
        return int(fold(t_ns, op, offset, length, latency, depth, process, first, self._state))

    def until(self, t_ns: int) -> Iterator[Step]:
        """Yield the steps that end by `t_ns`. No later IO may belong to them."""
        while self._state.at[END] <= t_ns:
            yield self._closed()

    def end(self, t_ns: int = 0) -> Iterator[Step]:
        """Yield the remaining steps. The last one ends at `t_ns` or when its last IO is done, whichever is later."""
        yield from self.until(t_ns)
        s = self._state
        if s.at[IOS] or t_ns > s.at[START]:
            s.at[END] = min(max(t_ns, int(s.at[BUSY])), int(s.at[END]))
            yield self._closed()

    def _closed(self) -> Step:
        """Return the current step and start the next one."""
        s = self._state
        start, end, rows = int(s.at[START]), int(s.at[END]), int(s.at[ROWS])
        idle = int(s.at[IDLE]) + max(end - max(int(s.at[BUSY]), start), 0)
        known = s.at[ANSWERED] or not s.at[IOS]
        used = np.flatnonzero(s.depths)
        parts = sorted((_part(s, row) for row in range(rows)), key=lambda part: -part.tally.ios)
        step = Step(
            start_ns=start,
            length_ns=end - start,
            idle_ns=min(idle, end - start) if known else None,
            depths=dict(zip(used.tolist(), s.depths[used].tolist(), strict=True)),
            parts=tuple(parts),
        )
        for array in (s.slots, s.depths, s.sums[:rows], s.bins[:rows], s.at[IDLE : IOS + 1]):
            array[:] = 0
        s.at[START], s.at[END], s.at[ROWS] = end, end + self.step_ns, 0
        return step


def steps(batches: Iterable[Batch], step_ns: int = SECOND_NS) -> Iterator[Step]:
    """Yield the steps of a whole trace."""
    folding = Folding(step_ns)
    for batch in batches:
        yield from folding.add(batch)
    yield from folding.end()


def _part(s: State, row: int) -> Part:
    key, sums, bins = int(s.keys[row]), s.sums[row].tolist(), s.bins[row]
    used = np.flatnonzero(bins)
    tally = Tally(
        ios=int(sums[0]),
        bytes=int(sums[1]),
        latency_ns=sums[2],
        latency_ns2=sums[3],
        max_ns=sums[4],
        bins=dict(zip(used.tolist(), bins[used].tolist(), strict=True)),
    )
    return Part(key >> 1 & 3, key >> 3, bool(key & 1), tally, int(sums[5]))


def _empty(rows: int) -> State:
    return State(
        at=np.zeros(7, np.int64),
        slots=np.zeros(SLOTS, np.int32),
        keys=np.zeros(rows, np.int64),
        sums=np.zeros((rows, 6)),
        bins=np.zeros((rows, BINS), np.int32),
        depths=np.zeros(DEEPEST + 1, np.int64),
        ends=np.full((PLACES, 4), -1, np.int64),
        numbers=np.zeros(COUNTERS, np.int64),
    )


def _longer(s: State) -> State:
    """Return the state with room for twice as many streams."""
    more = _empty(len(s.keys))
    return s._replace(
        keys=np.concatenate([s.keys, more.keys]),
        sums=np.concatenate([s.sums, more.sums]),
        bins=np.concatenate([s.bins, more.bins]),
    )
