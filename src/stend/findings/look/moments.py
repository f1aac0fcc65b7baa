"""Moments of a run in order, across interruptions: a resumed run starts a new clock.

A moment is the number of the clock and the seconds on it, so that moments of different clocks compare in order.
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import TypeVar

from stend.findings.look import Record
from stend.findings.look.once import once
from stend.model.events import Note, Position, Result, Telemetry
from stend.model.record import Run
from stend.runner.telemetry import MINUTE_S

Moment = tuple[int, float]
Event = TypeVar("Event", Note, Telemetry)


@once
def looks(run: Run) -> tuple[tuple[Moment, Telemetry], ...]:
    """Return every telemetry event of a run by its moment, ordered by time."""
    begins = [looks for _, looks, _ in run.stretches]
    return tuple(sorted(_placed(begins, run.telemetry), key=lambda placed: placed[0]))


@once
def notes(run: Run) -> tuple[tuple[Moment, Note], ...]:
    """Return every note of a run by its moment, ordered by time."""
    begins = [notes for _, _, notes in run.stretches]
    return tuple(sorted(_placed(begins, run.notes), key=lambda placed: placed[0]))


def minute(run: Run, moment: Moment) -> float:
    """Return the minute of the whole run, without interruptions, as notes state it."""
    clock, s = moment
    return (run.before_s[clock] + s) / MINUTE_S


def _placed(begins: Sequence[int], events: Sequence[Event]) -> list[tuple[Moment, Event]]:
    return [((bisect_right(begins, place) - 1, event.t), event) for place, event in enumerate(events)]


@once
def _clocks(run: Run) -> dict[tuple[Position, int], int]:
    """Return the clock of each result, by its place in the plan."""
    begins = [results for results, _, _ in run.stretches]
    return {(r.where, r.index): bisect_right(begins, place) - 1 for place, r in enumerate(run.results)}


def ended(run: Run, result: Result) -> Moment:
    """Return when a result was done."""
    return _clocks(run)[result.where, result.index], result.t


def began(run: Run, result: Result) -> Moment:
    """Return when a result's load started."""
    return _clocks(run)[result.where, result.index], result.t - result.counts.seconds


def on_clock(run: Run, records: Sequence[Record], moment: Moment) -> float:
    """Return a moment on the clock of a phase's records; between two records, it is the end of the first."""
    at = records[0].start_s
    for record in records:
        begin = began(run, record.result)
        if moment <= begin:
            return at
        at = record.end_s
        if moment <= ended(run, record.result):
            return record.start_s + moment[1] - begin[1]
    return at
