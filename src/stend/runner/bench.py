"""Run holds, rests and pauses on an engine. Two consecutive holds of the same workload run without interruption."""

import operator
import os
from collections.abc import Callable, Generator
from typing import NamedTuple

from stend.engines import Engine, Load
from stend.model.beside import Beside
from stend.model.counts import Counts
from stend.model.definition import Bytes, Hold, Idle, Seconds, Step, Workload
from stend.model.pace import Pace, paces
from stend.model.surveyed import Surveyed
from stend.model.verified import Verified
from stend.words import Sentence

REST_SLICE_S = 0.5
"""Seconds between two checks during a rest whether the operator wants the run to end."""
AHEAD_S = 0.3
"""A rest returns this many seconds before its end, so that recording it and reading the drive fall within it."""
BESIDE_S = 10.0
"""During a step at least this long the next load is prepared, which takes 0.15 s of a processor (fio 3.33).

During a shorter step that would be visible in its figures, unless a whole processor is idle. Without an idle processor
the next load is prepared after the step, and the pause is longer (0.3 s for fio).
"""
CPUS = os.cpu_count() or 1
"""All processors whose time the kernel counts, as `Counts.cpu_s` does."""


class Stopped(Exception):
    """The operator requested the end of the run."""


class Done(NamedTuple):
    """Result of a step: its counts, the time without load before it, and the seed its load was started with.

    `pace` is how a load kept its schedule, with its flushes, `verified` the blocks whose content was written or
    compared, `places` the results of a survey since its load started or the last step. `weight` is that of a `Result`.
    """

    counts: Counts = Counts()
    gap_s: float = 0.0
    seed: int = 0
    pace: Pace | None = None
    verified: Verified | None = None
    places: Surveyed | None = None
    beside: tuple[Beside, ...] = ()
    weight: int = 0

    def plus(self, counts: Counts, load: Load) -> "Done":
        """Return this result with counts that the load has just returned, its pace and the loads beside it."""
        more = tuple(getattr(load, "beside", ()))
        beside = tuple(map(operator.add, self.beside, more)) or self.beside or more
        pace = paces(self.pace, getattr(load, "pace", None))
        return self._replace(counts=self.counts + counts, pace=pace, beside=beside)


class Ahead(NamedTuple):
    """A later step and its seed."""

    step: Step
    seed: int


class Bench:
    """State of the drive under test: the running load, the end of the last one, and positions of sequential streams."""

    def __init__(self, engine: Engine, stopping: Callable[[], bool]) -> None:
        self.engine, self.stopping = engine, stopping
        self.load: Load | None = None
        self.workload: Workload | None = None
        self.seed = 0
        self.ended: float | None = None
        self.rested: float | None = None
        self.streams: dict[Workload, int] = {}
        self.remarks: list[Sentence] = []
        self.known: set[str] = set()

    def rest(self, seconds: float, *, until_hold: bool = False) -> Done:
        """Send nothing to the drive until `seconds` after its last IO.

        With `until_hold` the next hold waits for the last part of the rest.
        """
        self.stop()
        self.rested = (self.engine.now() if self.ended is None else self.ended) + seconds
        self._wait(min(AHEAD_S, seconds) if until_hold else 0.0)
        return Done()

    def _wait(self, ahead_s: float = 0.0) -> None:
        while self.rested is not None and (left := self.rested - ahead_s - self.engine.now()) > 0:
            self._check_stop()
            self.engine.idle(min(left, REST_SLICE_S))

    def hold(self, hold: Hold, seed: int, ahead: list[Ahead]) -> Generator[Counts, None, Done]:
        """Run a workload for an amount, and yield the counts of each interval. `ahead` are the steps that follow."""
        limit = hold.amount.bytes if isinstance(hold.amount, Bytes) else None
        load, began = self._running(hold.workload, seed, limit)
        ended, ready, done = self.ended, _prepares_during(hold, ahead), Done()
        if ready:
            self._prepare(hold, ahead)
        while (counts := load.next()) is not None:
            done = done.plus(counts, load)
            if not ready and counts.cpu_s <= (CPUS - 1) * counts.seconds:
                self._prepare(hold, ahead)
                ready = True
            yield counts
            self._check_stop()
            if isinstance(hold.amount, Seconds) and done.counts.seconds + counts.seconds / 2 >= hold.amount.seconds:
                break
        if limit is not None or not (ahead and _same(hold, ahead[0].step)):
            done = done.plus(self.stop(), load)
        self.advance(hold.workload, done.counts, done.pace)
        if not ready:
            self._prepare(hold, ahead)
        gap_s = max(load.began - ended, 0.0) if began and ended is not None else 0.0
        verified = getattr(load, "verified", None)
        places: Surveyed | None = load.taken() if hasattr(load, "taken") else None
        weight = getattr(load, "weight", 0)
        return done._replace(gap_s=gap_s, seed=self.seed, verified=verified, places=places, weight=weight)

    def stop(self) -> Counts:
        """Stop the running load and close the drive. Return its counts since the last interval."""
        if self.load is None:
            return Counts()
        load, self.load, self.workload = self.load, None, None
        tail = load.stop()
        fresh = [text for text in getattr(load, "remarks", ()) if text not in self.known]
        self.remarks, self.known = [*self.remarks, *fresh], self.known | set(fresh)
        self.ended = load.ended
        return tail or Counts()

    def _running(self, workload: Workload, seed: int, limit: int | None) -> tuple[Load, bool]:
        """Return the load of this hold, and True if it was just started."""
        if self.load is not None and self.workload == workload and limit is None:
            return self.load, False
        self.stop()
        self._wait()
        start, limit = self._place(workload, limit)
        self.load = self.engine.start(workload, seed=seed, from_bytes=start, limit_bytes=limit)
        self.workload, self.seed = workload, seed
        return self.load, True

    def _prepare(self, hold: Hold, ahead: list[Ahead]) -> None:
        """Prepare the next load if it differs from the running one. A rest in between is skipped."""
        coming = next((a for a in ahead if not isinstance(a.step, Idle)), None)
        if coming is None or not isinstance(coming.step, Hold) or _same(hold, ahead[0].step):
            return
        workload, amount = coming.step.workload, coming.step.amount
        limit = amount.bytes if isinstance(amount, Bytes) else None
        if workload.random_pct == 100 or limit is not None or workload != hold.workload:
            start, limit = self._place(workload, limit)
            self.engine.prepare(workload, seed=coming.seed, from_bytes=start, limit_bytes=limit)

    def _place(self, workload: Workload, limit: int | None) -> tuple[int, int | None]:
        """Return where in its range a workload begins, and its limit in bytes.

        With a limit it begins at the start. Verified content continues, and its last part ends at the range's end.
        """
        start = self.streams.get(workload, 0)
        if workload.verify and limit is not None and limit <= workload.range_bytes:
            return start, min(limit, workload.verify_bytes(start))
        return (start, None) if limit is None else (0, limit)

    def advance(self, workload: Workload, counts: Counts, pace: Pace | None = None) -> None:
        """Record the position of a sequential stream, from which its next hold continues."""
        if workload.random_pct == 0:
            trimmed = pace.discard.bytes if pace and workload.trim_pct == 100 else 0
            covered = workload.covered_bytes(counts.read.bytes + counts.write.bytes)
            moved = self.streams.get(workload, 0) + covered + trimmed
            self.streams[workload] = moved % workload.range_bytes

    def _check_stop(self) -> None:
        if self.stopping():
            raise Stopped


def _prepares_during(hold: Hold, ahead: list[Ahead]) -> bool:
    """Return True if the next load is prepared during this step: a long one, or one before a rest, which is exact."""
    short = isinstance(hold.amount, Seconds) and hold.amount.seconds < BESIDE_S
    return not short or not ahead or isinstance(ahead[0].step, Idle)


def _same(hold: Hold, step: Step) -> bool:
    return isinstance(step, Hold) and step.workload == hold.workload and isinstance(step.amount, Seconds)
