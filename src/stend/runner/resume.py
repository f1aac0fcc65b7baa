"""Continue a run after an interruption: on a real drive from a safe boundary, on a virtual drive by running again."""

from collections import Counter
from collections.abc import Generator, Iterable
from contextlib import closing
from typing import Any

from stend.base.errors import LoadFailed, StepFailed
from stend.model.definition import Phase, PlannedTest
from stend.model.events import Ended, Event, Judged, Note, Position, Reading, Result, Sample, Started, Telemetry
from stend.model.record import Run
from stend.model.stats import WINDOWS
from stend.words import Sentence, text

FILL = "precondition"
REPEATS = 2
"""How often a run repeats a place whose load was killed by a signal. One more death is a failed step."""


class Repeats:
    """Count how often a run repeated each place because its load died there.

    A place is where a killed run may continue (`Phase.boundary`). Measurements after it are not used, and a
    steady-state window begins again. A repetition thus costs time and changes no figure.
    """

    def __init__(self) -> None:
        self.of: Counter[Position] = Counter()

    def place(self, past: Run, error: LoadFailed) -> Position:
        """Return the place to repeat from, and count it. Raise the error if it is not a death, or is one too many."""
        again = resume_point(past) if error.died else None
        if again is None or self.of[again] == REPEATS:
            raise error
        self.of[again] += 1
        return again

    def words(self, again: Position, error: LoadFailed) -> Sentence:
        """Return the note on a repetition."""
        return place("repeated", again, why=text(str(error)), n=self.of[again], most=REPEATS)


def rerun(events: Generator[Event, None, None], recorded: Iterable[Event]) -> Generator[Event, None, None]:
    """Drop the events of a repeated virtual run that are recorded already. Raise StepFailed if they differ."""
    with closing(events):
        yield next(events)  # this Started marks the interruption
        for event in filter(_plain, recorded):
            again = next((e for e in events if _plain(e) or isinstance(e, Ended)), None)
            if isinstance(again, Ended) and again.outcome == "stopped":
                yield again
                return
            if _bare(again) != _bare(event) and not isinstance(
                event, Note
            ):  # another version of stend may word a remark differently
                raise StepFailed("this virtual drive no longer does what the run recorded; start a new run")
        yield from events


def announced(events: Generator[Event, None, None], notes: Iterable[Sentence]) -> Generator[Event, None, None]:
    """Yield the events of a resumed run, with notes on the interruption after the first event."""
    with closing(events):
        yield next(events)
        yield from (Note(t=0.0, text=note, kind="interruption") for note in notes)
        yield from events


def _plain(event: Event) -> bool:
    """Return True for an event that a repeated run produces again in the same place."""
    match event:
        case Sample() | Reading() | Result() | Judged() | Telemetry():
            return True
        case Note(kind=kind):
            return kind in ("remark", "repeat")
        case Started(repetition=number):
            return number > 0
    return False


def _bare(event: Event | None) -> Event | tuple[Position | None, int] | None:
    """Return the parts of an event that must be equal in both runs: of a Started neither its time nor its version."""
    return (event.continues, event.repetition) if isinstance(event, Started) else event


def resume_point(past: Run) -> Position | None:
    """Return where an unfinished run may continue: a round, or the start of a phase or test measured without a gap.

    A phase that trims continues from the fill before it.
    """
    finished = {(j.where.test, j.where.phase) for j in past.judged if j.ended_by}
    for test, phase in past.phases():
        if (test.name, phase.name) in finished:
            continue
        if phase.boundary == "test":
            return Position(test=test.name, phase=test.phases[0].name, round=1)
        if fill := _refill(test, phase):
            return Position(test=test.name, phase=fill, round=1)
        whole = [j.where.round for j in past.judged if (j.where.test, j.where.phase) == (test.name, phase.name)]
        kept = max(whole, default=0) if phase.boundary == "round" else 0
        if phase.steady and phase.rounds - kept < WINDOWS[phase.steady.rule]:
            kept = 0  # the rounds that remain are fewer than a window, which begins after the interruption
        return Position(test=test.name, phase=phase.name, round=kept + 1)
    return None


def _refill(test: PlannedTest, phase: Phase) -> str:
    """Return the fill directly before a phase that trims, or "": a repetition must not meet trimmed blocks."""
    if not any(hold.workload.trims for hold in phase.holds):
        return ""
    before = reversed(test.phases[: test.phases.index(phase)])
    last = next((earlier.name for earlier in before if not earlier.name.startswith("verify")), "")
    return last if last.startswith(FILL) else ""


def place(key: str, where: Position, **values: Any) -> Sentence:
    """Return a sentence on a round of a phase."""
    return Sentence(key, test=where.test, phase=where.phase, round=where.round, **values)
