"""The seam to what makes the load: real (fio), virtual (simulated) or nothing (null). Time belongs to it."""

from typing import Protocol

from stend.model.counts import Counts
from stend.model.definition import Workload


class Load(Protocol):
    """A workload running on a drive; `began` and `ended` are its first and last IO on the engine's clock.

    A load that plays a trace has a `pace` too: how well its times were kept so far. One with `remarks` has sentences
    about its end that belong in the record.
    """

    began: float
    ended: float

    def next(self) -> Counts | None:
        """Wait for the next interval (about a second) and tell its counts, with bins.

        None once a load with a limit has written all of it. LoadFailed when the load died or hangs.
        """

    def stop(self) -> Counts | None:
        """End the load, let go of the drive, and tell what was done since the last `next`; None if nothing."""


class Engine(Protocol):
    """Makes load on one drive."""

    def start(self, workload: Workload, *, seed: int, from_bytes: int = 0, limit_bytes: int | None = None) -> Load:
        """Start a workload; endless without `limit_bytes`.

        A sequential workload begins `from_bytes` into its range (shared evenly by its threads) and wraps at the end.
        `limit_bytes` is written in all, evenly over the threads: N x the range covers every block exactly N times.
        """

    def prepare(self, workload: Workload, *, seed: int, from_bytes: int = 0, limit_bytes: int | None = None) -> None:
        """Told what `start` will be asked for next, so that the pause before it is short; harmless if it is not."""

    def idle(self, seconds: float) -> None:
        """Let `seconds` pass with nothing sent to the drive."""

    def now(self) -> float:
        """Seconds on the engine's own clock; starts anywhere, never goes back."""

    def slept_s(self) -> float:
        """Seconds that this host was suspended since it booted, which `now` does not count; 0 on a virtual clock."""

    def close(self) -> None:
        """Stop whatever runs or is held ready."""
