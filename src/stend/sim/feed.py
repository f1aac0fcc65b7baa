"""A schedule of requests that is read on while it is served, thinned for a drive that is scaled down."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from stend.sim.requests import Loop, Stream, schedule

Words = npt.NDArray[np.int64]
Schedule = Iterator[tuple[Words, Words, Words]]
"""Batches of (offset, size (negative: read), due ns from the beginning), on the drive as it is sold."""
BLOCK, FEWEST = 256, 16
"""Neighbouring requests that stay together where a scaled drive is asked a part of them; fewer of a short schedule, so
that there are so many blocks."""
PAGE = 4096
FOREVER = 1 << 62


class Feed:
    """What is read of a schedule and not served yet; `over` once all of it is read."""

    def __init__(self, requests: Schedule, ios: int, scale: int, began_ns: int, *, timed: bool) -> None:
        self._block = max(min(BLOCK, ios // scale // FEWEST), 1)
        self._requests, self._scale, self._began, self._timed = requests, scale, began_ns, timed
        self._number, self._saved_ns, self._last_ns = 0, 0, 0
        self.over = False
        self.stream: Stream = schedule([np.zeros(0, np.int64)] * 3)

    def read(self, until: int, slots: Loop) -> Stream:
        """What is to be served: read on until there are requests of times behind `until`; all, where times are none."""
        while not self.over and not (self._timed and len(self.stream.due) and self.stream.due[-1] > until):
            batch = next(self._requests, None)
            self.over = batch is None
            if batch is not None:
                self._take(batch, slots)
        return self.stream

    def _take(self, batch: tuple[Words, Words, Words], slots: Loop) -> None:
        """Put a batch behind what is not served yet; slots go on waiting for the requests they claimed."""
        offset, size, due = self._thinned(*batch)
        due = due + self._began if self._timed else np.full(len(due), -1)
        at = self.stream.at
        claimed = slots.claimed[slots.claimed > 0]
        first = min([int(at[0]), *(claimed - 1).tolist()])
        old = self.stream
        was = np.where(old.reads[first:] > 0, -old.size[first:], old.size[first:])
        joined = schedule(
            [np.concatenate(pair) for pair in ((old.offset[first:], offset), (was, size), (old.due[first:], due))]
        )
        joined.at[0] = int(at[0]) - first
        slots.claimed[slots.claimed > 0] -= first
        self.stream = joined

    def _thinned(self, offset: Words, size: Words, due: Words) -> tuple[Words, Words, Words]:
        """One block of `scale`, at its time less that of the blocks left out."""
        if self._scale == 1:
            return offset, size, due
        number = self._number + np.arange(len(due))
        kept = number // self._block % self._scale == 0
        self._number += len(due)
        gaps = np.diff(due, prepend=self._last_ns)
        self._last_ns = int(due[-1]) if len(due) else self._last_ns
        played = np.cumsum(np.where(kept, gaps, 0)) + self._saved_ns
        self._saved_ns = int(played[-1]) if len(played) else self._saved_ns
        return offset[kept] // self._scale // PAGE * PAGE, size[kept], played[kept]
