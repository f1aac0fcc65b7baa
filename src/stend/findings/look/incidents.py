"""Incidents of a drive during measurement: everything that telemetry reports, with the time between two readings.

Telemetry is read between rounds only. An incident is somewhere between the last reading that did not show it and the
first one that did.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from stend.findings.look import Record
from stend.findings.look.because import Because
from stend.findings.look.moments import Moment, began, ended, looks, minute, notes
from stend.findings.look.once import once
from stend.model.record import Run
from stend.runner.telemetry import HEAT_BIT, incidents

GOES_ON = ("resync", "critical_warning")
"""Values that report a state: the state lasts as long as they are set."""
COUNTED_APART = "mismatch"
"""The kind of note that reports bytes moved by others next to the load."""


class Incident(NamedTuple):
    """An incident between two moments, as a reason."""

    begin: Moment
    end: Moment
    why: Because


@once
def every(run: Run) -> tuple[Incident, ...]:
    """Return every incident of a run, ordered by its earliest possible start."""
    return tuple(sorted((*_of_looks(run), *_of_notes(run)), key=lambda incident: incident[:2]))


def during(run: Run, records: Sequence[Record]) -> Iterator[Incident]:
    """Yield the incidents that may overlap the time from the start of the first record to the end of the last."""
    if records:
        first, last = began(run, records[0].result), ended(run, records[-1].result)
        yield from (incident for incident in every(run) if incident.begin < last and incident.end > first)


def _of_looks(run: Run) -> Iterator[Incident]:
    """Yield the changes from earlier readings, each compared with the last known value of every name."""
    known: dict[str, Any] = {}
    before: Moment | None = None
    for moment, look in looks(run):
        when = {"minute": minute(run, moment)}
        happened = list(incidents(known, look.values)) if before else []
        for incident in happened:
            yield Incident(before or moment, moment, Because(incident.key, incident.values | when))
        for name in GOES_ON if not happened else ():
            if value := look.values.get(name) or (before and known.get(name)):
                yield Incident(before or moment, moment, _lasting(name, value))
        known |= {name: value for name, value in look.values.items() if value is not None}
        before = moment


def _lasting(name: str, value: Any) -> Because:
    if name == "resync":
        return Because("resyncing", {"what": str(value)})
    heat = int(value) & HEAT_BIT
    return Because("heat_warned" if heat else "critical_warned", {"bits": f"{int(value):#x}"})


def _of_notes(run: Run) -> Iterator[Incident]:
    """Yield incidents that only notes report: bytes moved by others between the two readings that were compared."""
    moments = [moment for moment, _ in looks(run)]
    for moment, note in notes(run):
        if note.kind == COUNTED_APART:
            earlier = [known for known in moments if known <= moment][-2:] or [moment]
            yield Incident(earlier[0], earlier[-1], Because("mismatch", {"minute": minute(run, moment)}))
