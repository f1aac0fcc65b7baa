"""How a run goes on after an interruption: a real one from a safe boundary, a virtual one by running again."""

from collections.abc import Generator, Iterable
from contextlib import closing

from stend.errors import StepFailed
from stend.record import Ended, Event, Judged, Note, Position, Result, Run, Sample, Telemetry


def rerun(events: Generator[Event, None, None], recorded: Iterable[Event]) -> Generator[Event, None, None]:
    """A virtual drive repeats its run: drop what is recorded already, StepFailed if it went another way."""
    with closing(events):
        yield next(events)  # its Started marks the interruption
        for event in filter(_plain, recorded):
            again = next((e for e in events if _plain(e) or isinstance(e, Ended)), None)
            if isinstance(again, Ended) and again.outcome == "stopped":
                yield again
                return
            if again != event and not isinstance(event, Note):  # a newer stend may word a remark otherwise
                raise StepFailed("this virtual drive no longer does what the run recorded; start the run anew")
        yield from events


def announced(events: Generator[Event, None, None], texts: Iterable[str]) -> Generator[Event, None, None]:
    """The events of a run that goes on, with what must be said of the interruption after the first."""
    with closing(events):
        yield next(events)
        yield from (Note(t=0.0, text=text, kind="interruption") for text in texts)
        yield from events


def _plain(event: Event) -> bool:
    return isinstance(event, Sample | Result | Judged | Telemetry) or (
        isinstance(event, Note) and event.kind == "remark"
    )


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
