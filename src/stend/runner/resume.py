"""How a run goes on after an interruption: a real one from a safe boundary, a virtual one by running again."""

from collections import Counter
from collections.abc import Generator, Iterable
from contextlib import closing

from stend.base.errors import LoadFailed, StepFailed
from stend.model.events import Ended, Event, Judged, Note, Position, Result, Sample, Started, Telemetry
from stend.model.record import Run

REPEATS = 2
"""How often a run repeats one place by itself when a signal kills its load there; one more death is a failed step."""


class Repeats:
    """Count how often a run repeated each place because its load died there.

    A place is where a killed run may go on (`Phase.boundary`): what was measured from there on is not used, and a
    steady-state window begins anew. So a repetition costs time and changes no figure.
    """

    def __init__(self) -> None:
        self.of: Counter[Position] = Counter()

    def place(self, past: Run, error: LoadFailed) -> Position:
        """Return where to repeat from, and count it. Raise the error if it is not a death, or is one too many."""
        again = resume_point(past) if error.died else None
        if again is None or self.of[again] == REPEATS:
            raise error
        self.of[again] += 1
        return again

    def words(self, again: Position, error: LoadFailed) -> str:
        """Return the note of it."""
        return f"{error}; repeated from {place(again)} on, {self.of[again]} of at most {REPEATS}"


def rerun(events: Generator[Event, None, None], recorded: Iterable[Event]) -> Generator[Event, None, None]:
    """A virtual drive repeats its run: drop what is recorded already, StepFailed if it went another way."""
    with closing(events):
        yield next(events)  # its Started marks the interruption
        for event in filter(_plain, recorded):
            again = next((e for e in events if _plain(e) or isinstance(e, Ended)), None)
            if isinstance(again, Ended) and again.outcome == "stopped":
                yield again
                return
            if _bare(again) != _bare(event) and not isinstance(
                event, Note
            ):  # a newer stend may word a remark otherwise
                raise StepFailed("this virtual drive no longer does what the run recorded; start the run anew")
        yield from events


def announced(events: Generator[Event, None, None], texts: Iterable[str]) -> Generator[Event, None, None]:
    """The events of a run that goes on, with what must be said of the interruption after the first."""
    with closing(events):
        yield next(events)
        yield from (Note(t=0.0, text=text, kind="interruption") for text in texts)
        yield from events


def _plain(event: Event) -> bool:
    """Return whether an event is made again, in its place, by a run that is repeated from its start."""
    match event:
        case Sample() | Result() | Judged() | Telemetry():
            return True
        case Note(kind=kind):
            return kind in ("remark", "repeat")
        case Started(repetition=number):
            return number > 0
    return False


def _bare(event: Event | None) -> Event | tuple[Position | None, int] | None:
    """Return what must be equal in both: of a Started neither its time nor its version."""
    return (event.continues, event.repetition) if isinstance(event, Started) else event


def resume_point(past: Run) -> Position | None:
    """Where an unfinished run may go on: a round, or the start of a phase or test whose data must be of one piece."""
    finished = {(j.where.test, j.where.phase) for j in past.judged if j.ended_by}
    for test, phase in past.phases():
        if (test.name, phase.name) in finished:
            continue
        if phase.boundary == "test":
            return Position(test=test.name, phase=test.phases[0].name, round=1)
        whole = [j.where.round for j in past.judged if (j.where.test, j.where.phase) == (test.name, phase.name)]
        again = max(whole, default=0) + 1 if phase.boundary == "round" else 1
        return Position(test=test.name, phase=phase.name, round=again)
    return None


def place(where: Position) -> str:
    """A round of a phase, in words."""
    return f"{where.test}, {where.phase}, round {where.round}"
