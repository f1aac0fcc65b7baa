"""Fold the IOs of a trace, batch by batch in their order, into steps; used by a running capture and by `trace show`."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from stend.model.stats import BINS
from stend.model.tally import Tally
from stend.trace._fold import (
    ANSWERED,
    BUSY,
    COUNTERS,
    DEEPEST,
    END,
    IDLE,
    IOS,
    PLACES,
    ROWS,
    SLOTS,
    START,
    State,
    fold,
)
from stend.trace.form import COLUMNS, UNKNOWN, Batch
from stend.trace.steps import SECOND_NS, Part, Step

FIRST_ROWS = 64
FOLDED = ("t_ns", "op", "offset", "length", "latency_ns", "depth", "process")


class Folding:
    """Folds batches of IOs into steps of `step_ns`; steps without IOs are yielded too."""

    def __init__(self, step_ns: int = SECOND_NS) -> None:
        self.step_ns = step_ns
        self._state = _empty(FIRST_ROWS)
        self._state.at[END] = step_ns

    def ready(self) -> None:
        """Compile the kernel, or load it from the cache, before the first IO; compiling takes seconds."""
        nothing = {name: np.zeros(0, kind) for name, kind in COLUMNS.items()}
        self._folded([nothing[name] for name in FOLDED], 0)

    def add(self, batch: Batch) -> Iterator[Step]:
        """Add a batch and yield the steps that it completes; the iterator must be read to its end."""
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
        """Yield the steps that end by `t_ns`; no later IO may belong to them."""
        while self._state.at[END] <= t_ns:
            yield self._closed()

    def end(self, t_ns: int = 0) -> Iterator[Step]:
        """Yield the remaining steps; the last one ends at `t_ns` or when its last IO is done, whichever is later."""
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
