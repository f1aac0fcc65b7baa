"""A schedule of requests, read while it is served, and thinned out for a scaled drive."""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from stend.sim.requests import ANY_TIME, Loop, Stream, schedule

Words = npt.NDArray[np.int64]
Batch = tuple[Words, Words, Words]
Schedule = Iterable[Batch]
"""Batches of (offset, size (negative: read), due ns from the start), on the drive at full size."""
BLOCK, FEWEST = 256, 16
"""Neighbouring requests that stay together when a scaled drive gets only a part of them. A short schedule uses smaller
blocks, so that there are at least FEWEST."""
AHEAD = 1 << 16
"""Least number of requests that are read and not served, beyond those that slots may claim."""
PAGE = 4096
FOREVER = 1 << 62


class Feed:
    """Requests of a schedule that are read but not served yet. `over` is True once the whole schedule is read.

    With `ios` 0 the schedule is endless and drawn for the scaled drive, so it is not thinned.
    """

    def __init__(self, requests: Schedule, ios: int, scale: int, began_ns: int, *, timed: bool, seed: int = 0) -> None:
        self._block = max(min(BLOCK, ios // scale // FEWEST), 1)
        self._requests, self._scale, self._timed = iter(requests), scale if ios else 1, timed
        self._left: Batch = (np.zeros(0, np.int64),) * 3
        self._origin, self._speed, self._read = (0.0, float(began_ns)), 1.0, 0
        self.over = False
        self.stream: Stream = schedule([np.zeros(0, np.int64)] * 3, seed)

    def read(self, slots: Loop) -> Stream:
        """Return the requests to serve: all of the schedule, or at least AHEAD more than there are slots."""
        while not self.over and self.unserved < AHEAD + len(slots.claimed):
            self._take(next(self._requests, None), slots)
        return self.stream

    @property
    def unserved(self) -> int:
        """Return the number of requests that are read and that no slot has taken or claimed."""
        return len(self.stream.offset) - self._begun

    @property
    def _begun(self) -> int:
        """Return the place of the first unserved request; `draw` leaves 0 in an exhausted stream."""
        return int(self.stream.at[0]) if self.stream.at[1] else len(self.stream.offset)

    def sent(self, slots: Loop) -> int:
        """Return how many requests were issued to the drive."""
        return self._read - self.unserved - int((slots.claimed > 0).sum())

    def waiting(self, now_ns: int) -> int:
        """Return how many of the read requests are due at `now_ns` and wait for a slot."""
        return int(np.searchsorted(self.stream.due[self._begun :], now_ns, side="right")) if self._timed else 0

    def keep_time(self, now_ns: int, speed: float, slots: Loop) -> bool:
        """Let the schedule run at this speed of the drive's clock. Return True if slots must wake (`unclaim`)."""
        if speed == self._speed or not self._timed:
            return False
        self._unclaim(slots)
        due, (then, at_ns) = self.stream.due, self._origin
        later = due > now_ns
        due[later] = now_ns + ((due[later] - now_ns) * (speed / self._speed)).astype(np.int64)
        self._origin = then + (now_ns - at_ns) / self._speed, float(now_ns)
        self._speed = speed
        return True

    def stand_still(self, now_ns: int, ns: int, inner_ns: int, slots: Loop) -> bool:
        """Let `ns` pass in which the drive answers nothing and its clock stands; `inner_ns` of the schedule pass.

        A request that is due in that time waits for its end. Return True if slots must wake.
        """
        if not self._timed:
            return False
        while not self.over and not (self.stream.due[-1:] > now_ns + inner_ns).any():
            self._take(next(self._requests, None), slots)
        self._unclaim(slots)
        due = self.stream.due
        ahead = due - now_ns
        part = np.clip(ahead / max(inner_ns, 1), 0, 1)
        moved = np.where(ahead > inner_ns, due - inner_ns, np.minimum(due, now_ns) - ((1 - part) * ns).astype(np.int64))
        due[:] = moved
        self._origin = self._origin[0], self._origin[1] - inner_ns
        return True

    def _unclaim(self, slots: Loop) -> None:
        """Take back the requests that slots claimed before their time. They are the last ones before `_begun`."""
        self.stream.at[:2] = self._begun - int((slots.claimed > 0).sum()), len(self.stream.offset)

    def _take(self, batch: Batch | None, slots: Loop) -> None:
        """Append a batch (None at the end) to the requests not served yet. Slots keep the requests they claimed."""
        self.over = batch is None
        offset, size, due = self._thinned(batch)
        then, at_ns = self._origin
        due = (at_ns + (due - then) * self._speed).astype(np.int64) if self._timed else np.full(len(due), ANY_TIME)
        old, begun = self.stream, self._begun
        claimed = slots.claimed[slots.claimed > 0]
        first = min([begun, *(claimed - 1).tolist()])
        was = np.where(old.reads[first:] > 0, -old.size[first:], old.size[first:])
        joined = schedule(
            [np.concatenate(pair) for pair in ((old.offset[first:], offset), (was, size), (old.due[first:], due))]
        )
        joined.at[0], joined.rng[:] = begun - first, old.rng
        slots.claimed[slots.claimed > 0] -= first
        self.stream, self._read = joined, self._read + len(due)

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
