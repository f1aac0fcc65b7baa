"""The engine of surveys on real drives: it reads one block at a time, records the place of each, and writes nothing."""

import subprocess
import time

import msgspec

from stend.base.errors import LoadFailed, StepFailed
from stend.engines._child import Child
from stend.engines._real_time import RealTime
from stend.engines.survey.task import STOP, Line, Task
from stend.model.counts import Counts
from stend.model.surveyed import Surveyed
from stend.model.workload import Workload

SILENCE_S = 300.0
"""Seconds without an answer after which the drive counts as dead. The kernel repeats a failed read for minutes."""
START_S, STOP_S = 30.0, 3.0


class SurveyLoad:
    """A survey running on a drive. `taken` returns its places since the last call."""

    def __init__(self, task: Task) -> None:
        self.reader = Child("stend.engines.survey.reader", msgspec.json.encode(task), errors=subprocess.PIPE)
        self.interval_s, self.rest, self.places = task.interval_s, b"", Surveyed()
        self.began = self.ended = self.heard = time.monotonic()
        self.ahead_s, self.first, self.over = 0.0, True, False

    def next(self) -> Counts | None:
        """Return the counts of the next interval, empty while a read takes longer, or None after the last read."""
        if self.over:
            return None
        patience_s = START_S if self.first else self.interval_s * 1.5
        line = self._line(patience_s)
        if line is not None:
            return self._counted(line)
        if not self.reader.alive:
            raise LoadFailed(self._words(), died=(self.reader.child.poll() or 0) < 0)
        now = time.monotonic()
        if now - self.heard > SILENCE_S:
            raise LoadFailed(f"the drive has not answered a read for {SILENCE_S:.0f} s")
        waited = now - self.ended
        self.ahead_s, self.ended = self.ahead_s + waited, now
        return Counts(seconds=waited)

    def stop(self) -> Counts | None:
        """Request the end and return the last counts. Kill the reader if its read does not return soon."""
        if self.over:
            return None
        self.reader.send(STOP)
        total, until = Counts(), time.monotonic() + STOP_S
        while not self.over and (line := self._line(until - time.monotonic())) is not None:
            total += self._counted(line, stopping=True)
        self._end()
        return total

    def taken(self) -> Surveyed:
        """Return the places since the last call."""
        places, self.places = self.places, Surveyed()
        return places

    def _counted(self, line: Line, *, stopping: bool = False) -> Counts:
        now = time.monotonic()
        if self.first:
            self.first, self.began = False, now - line.seconds
        self.heard = self.ended = now
        self.places += line.places
        seconds, self.ahead_s = max(line.seconds - self.ahead_s, 0.0), 0.0
        if line.over:
            self._end()
        if line.fault and not stopping:
            raise StepFailed(f"the survey cannot continue: {line.fault}")
        return Counts(seconds=seconds, read=line.read)

    def _line(self, seconds: float) -> Line | None:
        """Return the next line of the reader, or None if none comes in time, or after its end."""
        until = time.monotonic() + seconds
        while b"\n" not in self.rest:
            if not (data := self.reader.listen(until - time.monotonic())):
                return None
            self.rest += data
        first, _, self.rest = self.rest.partition(b"\n")
        return msgspec.json.decode(first, type=Line)

    def _words(self) -> str:
        child = self.reader.child
        err = child.stderr.read() if child.stderr else b""
        lines = err.decode(errors="replace").strip().splitlines()
        return f"the survey ended: {lines[-1] if lines else f'exit code {child.poll()}'}"

    def _end(self) -> None:
        self.over = True
        self.reader.wait(STOP_S / 3)
        self.reader.end()


class SurveyEngine(RealTime[SurveyLoad]):
    """An engine that starts a reader for each survey of the drive at `path`."""

    def __init__(self, path: str, *, unit_bytes: int, rotational: bool = False, interval_s: float = 1.0) -> None:
        self.path, self.unit_bytes, self.rotational, self.interval_s = path, unit_bytes, rotational, interval_s

    def start(
        self, workload: Workload, *, seed: int, from_bytes: int = 0, limit_bytes: int | None = None
    ) -> SurveyLoad:
        """Start a survey. See `Engine.start`. Its own order limits it: every block once, or a sample without end."""
        self._stop()
        task = Task(
            path=self.path,
            workload=workload,
            seed=seed,
            interval_s=self.interval_s,
            unit_bytes=self.unit_bytes,
            from_bytes=from_bytes,
            rotational=self.rotational,
        )
        self.load = SurveyLoad(task)
        return self.load
