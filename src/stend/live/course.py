"""The state of a run from its events, in constant memory: place, load, steady-state window, remaining time."""

from collections import deque
from collections.abc import Iterable

import msgspec

from stend.live.buckets import Buckets
from stend.model.definition import Hold, Idle, Phase, PlannedTest, Purge
from stend.model.events import (
    Ended,
    Event,
    Judged,
    Note,
    Position,
    Reading,
    Result,
    Sample,
    Started,
    Telemetry,
    Verdict,
)
from stend.runner.progress import Progress, ToGo

LAST = 60
"""Latest samples and notes that are kept individually."""


class Passed(msgspec.Struct, frozen=True):
    """A completed phase, its time in seconds of the run, its rounds, and the rule that ended it.

    `steady` is None without a steady-state search.
    """

    test: str
    phase: str
    began_s: float
    ended_s: float
    rounds: int
    ended_by: str
    steady: bool | None = None


class Course:
    """The state of a run, updated by every event. Its only clock is that of the events."""

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self.started: Started | None = None
        self.ended: Ended | None = None
        self.progress, self.buckets = Progress(), Buckets()
        self.recent: deque[Sample] = deque(maxlen=LAST)
        self.loaded = ""
        self.notes: deque[Note] = deque(maxlen=LAST)
        self.noted: dict[str, int] = {}
        self.passed: list[Passed] = []
        self.verdicts: tuple[Verdict, ...] = ()
        self.telemetry: Telemetry | None = None
        self.power_w: float | None = None
        self.last: Result | None = None
        self.base_s = self.t = self.began_s = 0.0
        for event in events:
            self.add(event)

    def add(self, event: Event) -> None:
        """Update the state by one event."""
        self.progress.add(event)
        if not isinstance(event, Started):
            self._clock(event.t)
        match event:
            case Started():
                self._begin(event)
            case Sample():
                self.recent.append(event)
                self.loaded = self.doing
                self.buckets.add(event, self.t, self.progress.at, self.progress.present.rounds + 1)
            case Reading(quantity="watts"):
                self.power_w = event.value
            case Result():
                self.last = event
            case Judged():
                self._judge(event)
            case Telemetry():
                self.telemetry = event
            case Note():
                self.notes.append(event)
                self.noted[event.kind] = self.noted.get(event.kind, 0) + 1
            case Ended():
                self.ended = event

    def _clock(self, t: float) -> None:
        """Advance the time. It never goes back: a stopped load may end later than the record continues."""
        self.t = max(self.t, t + self.base_s)

    def _begin(self, event: Started) -> None:
        self.started = self.started or event
        self.ended = None
        if event.continues:
            self.base_s = self.t  # its clock starts again; that of a virtual drive goes on, without a place
            names = [(phase.test, phase.phase) for phase in self.passed]
            here = (event.continues.test, event.continues.phase)
            if here in names:
                again = names.index(here)
                self.began_s, self.passed = self.passed[again].began_s, self.passed[:again]

    def _judge(self, event: Judged) -> None:
        self.verdicts = () if event.ended_by else event.verdicts
        if event.ended_by:
            here = (event.where.test, event.where.phase)
            judged = next(phase for name, phase in self.progress.places if (name, phase.name) == here)
            steady = event.steady if judged.steady else None
            self.passed.append(Passed(*here, self.began_s, self.t, event.where.round, event.ended_by, steady))
            self.began_s = self.t

    @property
    def place(self) -> tuple[PlannedTest, Phase] | None:
        """Return the current test and phase, or None before the first and after the last."""
        places = self.progress.places
        if not self.started or self.ended or self.progress.at >= len(places):
            return None
        name, phase = places[self.progress.at]
        return self.started.plan.test(name), phase

    @property
    def at(self) -> Position | None:
        """Return the current test, phase and round, or None outside of any phase."""
        if not self.place:
            return None
        test, phase = self.place
        return Position(test=test.name, phase=phase.name, round=self.progress.present.rounds + 1)

    @property
    def steps(self) -> tuple[int, int]:
        """Return the number of completed steps of this round and its total."""
        done = self.progress.present.steps
        return (done, len(self.place[1].round)) if self.place else (0, 0)

    @property
    def doing(self) -> str:
        """Return the current step in the specification's short form, or an empty string.

        A rate that was chosen from results is not in the record before the step is done: the plan has an example.
        """
        done, every = self.steps
        if not self.place or done >= every:
            return ""
        match self.place[1].round[done]:
            case Hold(workload=workload):
                chosen = self.place[1].choose and workload.rate_iops
                return "a rate chosen from the results" if chosen else workload.label
            case Idle(seconds=seconds):
                return f"rest of {seconds:g} s"
            case Purge():
                return "purge"

    @property
    def rests(self) -> bool:
        """Return True if the current step is a rest or a purge."""
        steps = self.place[1].round if self.place else ()
        done, _ = self.steps
        return done < len(steps) and not isinstance(steps[done], Hold)

    @property
    def ahead(self) -> list[tuple[str, str]]:
        """Return (test, phase) of all later phases."""
        return [(name, phase.name) for name, phase in self.progress.places[self.progress.at + 1 :]]

    @property
    def temperature_c(self) -> float | None:
        """Return the last temperature that the drive reported, in deg C, or None."""
        value = self.telemetry.values.get("temperature_c") if self.telemetry else None
        return float(value) if isinstance(value, int | float) else None

    @property
    def remaining(self) -> ToGo:
        """Return the remaining seconds: low, likely, high. They are 0 after the end."""
        return self.progress.to_go() if not self.ended else ToGo(0, 0, 0)
