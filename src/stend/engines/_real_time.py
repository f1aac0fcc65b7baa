"""Base class of engines in real time: the kernel's clock, rests, and one load at a time."""

import time
from typing import Generic, TypeVar

from stend.engines import Load
from stend.model.definition import Workload

OneLoad = TypeVar("OneLoad", bound=Load)
SILENCE_S = 30.0
"""Seconds that a drive may take to answer any IO in flight, or fio to answer: longer than its time-out and reset."""
POLL_S = 0.002


class RealTime(Generic[OneLoad]):
    """An engine on the clock of this host. `load` is the running load."""

    load: OneLoad | None = None

    def prepare(self, workload: Workload, *, seed: int, from_bytes: int = 0, limit_bytes: int | None = None) -> None:
        """Do nothing, because loads of this engine start within a second."""

    def idle(self, seconds: float) -> None:
        """Stop the running load and wait until `seconds` have passed since the call."""
        until = time.monotonic() + seconds
        self._stop()
        while (left := until - time.monotonic()) > 0:
            time.sleep(left)

    def now(self) -> float:
        """Return the kernel's monotonic clock in seconds."""
        return time.monotonic()

    def slept_s(self) -> float:
        """Return the seconds by which the clock that runs in a suspended host is ahead of the monotonic one."""
        return time.clock_gettime(time.CLOCK_BOOTTIME) - time.monotonic()

    def close(self) -> None:
        """Stop the running load and drop the prepared one."""
        try:
            self._stop()
        finally:
            self._drop()

    def _stop(self) -> None:
        load, self.load = self.load, None
        if load is not None:
            load.stop()

    def _drop(self) -> None:
        """Drop the prepared load, if this engine prepares loads."""
