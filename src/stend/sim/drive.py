"""A virtual drive as its user sees it: requests go in, counts come out, and time passes only while it is told to."""

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stend.errors import StepFailed
from stend.sim.requests import Loop, Pattern, Stream, loop, stream
from stend.sim.spec import Spec

NS = 1_000_000_000
BINS = 29 << 6


class Done(NamedTuple):
    """What an interval did, unscaled to the drive as it is sold; row 0 reads, row 1 writes."""

    seconds: float
    tallies: npt.NDArray[np.float64]
    """[2, 5]: IOs, bytes, sum of ns, sum of ns^2, longest ns"""
    bins: npt.NDArray[np.int64]
    """[2, BINS]: IOs by fio's latency bins"""
    more: bool
    """False once a limited pattern is through"""


class Drive(ABC):
    """Common to all kinds: clocks, scaling, the running pattern, health, accidents."""

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.now_s = 0.0
        self.inner_ns = 0
        self.host_write_bytes = 0
        self.host_read_bytes = 0
        self._loop: Loop | None = None
        self._stream: Stream | None = None

    def start(self, pattern: Pattern) -> None:
        """Begin a pattern; what ran before is let go."""
        self._alive()
        self._stream = stream(pattern, self.spec.scale)
        self._loop = loop(pattern.threads * pattern.depth, self.inner_ns)

    def advance(self, seconds: float) -> Done:
        """Let the running pattern run on; ends early when it is through."""
        assert self._stream is not None
        assert self._loop is not None
        self._alive(seconds)
        scale = self.spec.scale
        began = self.inner_ns
        until = round((self.now_s + seconds) * NS / scale)
        tallies, bins = np.zeros((2, 5)), np.zeros((2, BINS), np.int64)
        more = self._serve(self._stream, self._loop, tallies, bins, until)
        self.inner_ns = until if more else max(int(self._loop.at[2]), began)
        passed = seconds if more else (self.inner_ns - began) * scale / NS
        self.now_s += passed
        tallies[:, :4] *= scale
        bins *= scale
        self.host_read_bytes += int(tallies[0, 1])
        self.host_write_bytes += int(tallies[1, 1])
        return Done(passed, tallies, bins, more)

    def stop(self) -> None:
        """Let the running pattern go; what is still outstanding is not counted."""
        self._stream = self._loop = None

    def idle(self, seconds: float) -> None:
        """Time without requests."""
        self._alive(seconds)
        self.now_s += seconds
        self.inner_ns = max(self.inner_ns, round(self.now_s * NS / self.spec.scale))
        self._rest(round(seconds * NS / self.spec.scale))

    def format(self) -> None:
        """As if never written."""
        self._alive()
        self.idle(self.spec.format_s)
        self._fresh()

    def health(self) -> dict[str, float]:
        """What the drive tells of itself."""
        return {
            "temperature_c": 35.0,
            "host_read_bytes": self.host_read_bytes,
            "host_write_bytes": self.host_write_bytes,
            "nand_write_bytes": self._nand_write_bytes(),
        }

    def check(self) -> None:
        """StepFailed when the drive no longer answers."""
        self._alive()

    def _alive(self, ahead_s: float = 0) -> None:
        died = self.spec.dies_at_s
        if died and self.now_s + ahead_s > died:
            raise StepFailed(f"{self.spec.model} does not answer any more (it was told to die at {died:g} s)")

    @abstractmethod
    def _serve(
        self,
        requests: Stream,
        slots: Loop,
        tallies: npt.NDArray[np.float64],
        bins: npt.NDArray[np.int64],
        until: int,
    ) -> bool:
        """Run the closed loop until a time in inner ns; False when the stream is exhausted."""

    @abstractmethod
    def _fresh(self) -> None:
        """Forget all data."""

    def _rest(self, ns: int) -> None:
        """What the drive does with idle time."""

    def _nand_write_bytes(self) -> int:
        return self.host_write_bytes
