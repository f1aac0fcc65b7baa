"""The interface of engines, which make the load: fio, replay, verify, simulated. The engine also provides the clock."""

from typing import Protocol

from stend.model.counts import Counts
from stend.model.definition import Workload


class Load(Protocol):
    """A workload running on a drive. `began` and `ended` are its first and last IO on the engine's clock, in seconds.

    A load whose workload is `paced` also has a `pace`: how well its times were kept, its flushes and trims. One with
    loads beside it has their `beside`. Both cover the same time as the counts that were returned last. A load with
    `remarks` has sentences about its end for the record. One with a `weight` observes only one IO of so many.
    """

    began: float
    ended: float

    def next(self) -> Counts | None:
        """Wait for the next interval (about a second) and return its counts, with bins.

        Return None once a load with a limit has written all of it. Raise LoadFailed if the load died or hangs.
        """

    def stop(self) -> Counts | None:
        """End the load, close the drive, and return the counts since the last `next`, or None if there are none."""


class Engine(Protocol):
    """A source of load on one drive."""

    def start(self, workload: Workload, *, seed: int, from_bytes: int = 0, limit_bytes: int | None = None) -> Load:
        """Start a workload. It is endless without `limit_bytes`.

        A sequential workload begins `from_bytes` into its range (shared evenly by its threads) and wraps at the end.
        `limit_bytes` is the total of all threads, shared evenly: N x the range covers every block exactly N times.
        """

    def prepare(self, workload: Workload, *, seed: int, from_bytes: int = 0, limit_bytes: int | None = None) -> None:
        """Prepare the next `start` with these arguments, so that the pause before it is short. It may differ."""

    def idle(self, seconds: float) -> None:
        """Let `seconds` pass with nothing sent to the drive."""

    def now(self) -> float:
        """Return seconds on the engine's monotonic clock, which starts anywhere."""

    def slept_s(self) -> float:
        """Return the seconds that this host was suspended since boot, which `now` omits, or 0 on a virtual clock."""

    def close(self) -> None:
        """Stop every running or prepared load."""
