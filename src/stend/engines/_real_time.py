"""What engines in real time have alike: the kernel's clock, rests on it, one load at a time."""

import time
from abc import ABC, abstractmethod
from typing import Generic, TypeVar

from stend.engines import Load

OneLoad = TypeVar("OneLoad", bound=Load)


class RealTime(ABC, Generic[OneLoad]):
    """An engine whose time is that of this host; `load` is what runs on it now."""

    load: OneLoad | None = None

    def idle(self, seconds: float) -> None:
        """Let time pass; a load that still runs is stopped first."""
        until = time.monotonic() + seconds
        self._stop()
        while (left := until - time.monotonic()) > 0:
            time.sleep(left)

    def now(self) -> float:
        """The kernel's monotonic clock."""
        return time.monotonic()

    def slept_s(self) -> float:
        """By how much the clock that goes on in a suspended host is ahead of the one that does not."""
        return time.clock_gettime(time.CLOCK_BOOTTIME) - time.monotonic()

    def close(self) -> None:
        """Stop what runs, drop what is held."""
        try:
            self._stop()
        finally:
            self._drop()

    def _stop(self) -> None:
        load, self.load = self.load, None
        if load is not None:
            load.stop()

    @abstractmethod
    def _drop(self) -> None:
        """Let go of what is held ready."""
