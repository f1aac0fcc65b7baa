"""Endless schedules of an open loop: requests drawn from a Pattern, each due at a time that does not depend on answers.

The drive's kernels and the sender of `engines.replay` play the same schedule.
"""

from collections.abc import Iterator
from typing import NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from stend.sim.draws import drawn
from stend.sim.requests import Pattern, Stream, stream

NS = 1e9
BATCH = 1 << 14
"""Requests that one step of the iterator returns, rounded up to whole batches of the stream."""


class Due(NamedTuple):
    """Requests of a schedule: byte offset, bytes (negative: a read), and ns since the start when each is due."""

    offset: npt.NDArray[np.int64]
    size: npt.NDArray[np.int64]
    due: npt.NDArray[np.int64]


class Arrivals:
    """An iterator of Due at `rate_iops` per second: a Poisson process, or `even` gaps. Equal seeds give equal requests.

    `scale` divides offsets as in `requests.stream`. It does not change the rate: a scaled drive plays the same rate
    for a shorter time. The iteration ends only after a request that fails (`requests.FAILED` in `source.at`).
    """

    def __init__(self, pattern: Pattern, rate_iops: float, *, even: bool, scale: int = 1) -> None:
        self.source: Stream = stream(msgspec.structs.replace(pattern, rate_iops=0), scale)
        self.gap_ns, self.even = NS / rate_iops, even
        self.dice = np.random.default_rng([pattern.seed, 1])
        self.done, self.last_ns = 0, 0.0

    def __iter__(self) -> Iterator[Due]:
        while True:
            offset, size = self._requests()
            if not len(offset):
                return
            yield Due(offset, size, self._times(len(offset)))

    def _requests(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        s, offsets, sizes = self.source, list[npt.NDArray[np.int64]](), list[npt.NDArray[np.int64]]()
        while sum(map(len, offsets)) < BATCH and (count := int(drawn(s))):
            offsets.append(s.offset[:count].copy())
            sizes.append(np.where(s.reads[:count] > 0, -s.size[:count], s.size[:count]))
        none = np.zeros(0, np.int64)
        return np.concatenate([none, *offsets]), np.concatenate([none, *sizes])

    def _times(self, count: int) -> npt.NDArray[np.int64]:
        """Return the times of the next requests. Even ones are multiples of the gap, without a growing error."""
        if self.even:
            times = (self.done + np.arange(1, count + 1)) * self.gap_ns
        else:
            times = self.last_ns + np.cumsum(self.dice.exponential(self.gap_ns, count))
        self.done, self.last_ns = self.done + count, float(times[-1])
        return times.astype(np.int64)
