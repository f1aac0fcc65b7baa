"""A schedule of requests, read while it is served, and thinned out for a scaled drive."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from stend.sim.requests import Loop, Stream, schedule

Words = npt.NDArray[np.int64]
Batch = tuple[Words, Words, Words]
Schedule = Iterator[Batch]
"""Batches of (offset, size (negative: read), due ns from the start), on the drive at full size."""
BLOCK, FEWEST = 256, 16
"""Neighbouring requests that stay together when a scaled drive gets only a part of them. A short schedule uses smaller
blocks, so that there are at least FEWEST."""
PAGE = 4096
FOREVER = 1 << 62


class Feed:
    """Requests of a schedule that are read but not served yet; `over` is True once the whole schedule is read."""

    def __init__(self, requests: Schedule, ios: int, scale: int, began_ns: int, *, timed: bool, seed: int = 0) -> None:
        self._block = max(min(BLOCK, ios // scale // FEWEST), 1)
        self._requests, self._scale, self._began, self._timed = requests, scale, began_ns, timed
        self._left: Batch = (np.zeros(0, np.int64),) * 3
        self.over = False
        self.stream: Stream = schedule([np.zeros(0, np.int64)] * 3, seed)

    def read(self, until: int, slots: Loop) -> Stream:
        """Return the requests to serve: read until one is due after `until`, or all of a schedule without times."""
        while not self.over and not (self._timed and len(self.stream.due) and self.stream.due[-1] > until):
            batch = next(self._requests, None)
            self.over = batch is None
            self._take(batch, slots)
        return self.stream

    def _take(self, batch: Batch | None, slots: Loop) -> None:
        """Append a batch (None at the end) to the requests not served yet; slots keep the requests they claimed."""
        offset, size, due = self._thinned(batch)
        due = due + self._began if self._timed else np.full(len(due), -1)
        old = self.stream
        begun = int(old.at[0]) if old.at[1] else len(old.offset)  # `draw` leaves 0 in an exhausted stream
        claimed = slots.claimed[slots.claimed > 0]
        first = min([begun, *(claimed - 1).tolist()])
        was = np.where(old.reads[first:] > 0, -old.size[first:], old.size[first:])
        joined = schedule(
            [np.concatenate(pair) for pair in ((old.offset[first:], offset), (was, size), (old.due[first:], due))]
        )
        joined.at[0], joined.rng[:] = begun - first, old.rng
        slots.claimed[slots.claimed > 0] -= first
        self.stream = joined

    def _thinned(self, batch: Batch | None) -> Batch:
        """Keep the first of every `scale` blocks and stretch it to the time of all: rates and length stay the same.

        A group is held back until the next one starts, which is its end. The last group is thinned by the same share.
        """
        if self._scale == 1:
            return batch or self._left
        offset, size, due = map(np.concatenate, zip(self._left, *([batch] if batch else []), strict=True))
        group = self._block * self._scale
        whole = len(due) if batch is None else max(len(due) - 1, 0) // group * group
        self._left = offset[whole:], size[whole:], due[whole:]
        place = np.arange(whole)
        begin = place // group * group
        many = np.minimum(self._block, -(-np.minimum(whole - begin, group) // self._scale))
        kept = place - begin < many
        played = self._in_its_time(due, place[kept], begin[kept], (begin + many)[kept], (begin + group)[kept])
        return offset[:whole][kept] // self._scale // PAGE * PAGE, size[:whole][kept], played

    def _in_its_time(self, due: Words, place: Words, begin: Words, end: Words, group_end: Words) -> Words:
        """Return the times of the kept requests: those from `begin` to `end` stand for all up to `group_end`."""
        if not len(place):
            return place
        last = len(due) - 1
        lasted = due[np.minimum(end, last)] - due[begin]
        stands_for = due[np.minimum(group_end, last)] - due[begin]
        part = np.divide(due[place] - due[begin], lasted, out=np.zeros(len(place)), where=lasted > 0)
        played: Words = ((due[begin] + part * stands_for) / self._scale).astype(np.int64)
        return played
