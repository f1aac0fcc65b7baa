"""What happened to a drive while it was measured: everything that watch notes, with the time between two looks.

A drive is asked between rounds only, so that an incident lies somewhere between the last look that did not show it and
the first that does.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from stend.findings.look import Record
from stend.findings.look.because import Because
from stend.findings.look.moments import Moment, began, ended, looks, notes
from stend.findings.look.once import once
from stend.model.record import Run
from stend.runner.telemetry import HEAT_BIT, MINUTE_S, incidents

GOES_ON = ("resync", "critical_warning")
"""Values that tell of a state: as long as they are set, it lasts."""
COUNTED_APART = "mismatch"
"""The kind of note that says that others moved bytes beside the load."""


class Incident(NamedTuple):
    """An incident between two moments, as a reason."""

    begin: Moment
    end: Moment
    why: Because


@once
def every(run: Run) -> tuple[Incident, ...]:
    """Every incident of a run, in the order in which they could have begun."""
    return tuple(sorted((*_of_looks(run), *_of_notes(run)), key=lambda one: one[:2]))


def during(run: Run, records: Sequence[Record]) -> Iterator[Incident]:
    """Yield the incidents that may lie between the beginning of the first of these records and the end of the last."""
    if records:
        first, last = began(run, records[0].result), ended(run, records[-1].result)
        yield from (one for one in every(run) if one.begin < last and one.end > first)


def _of_looks(run: Run) -> Iterator[Incident]:
    """Compare each look with all that earlier ones told: a drive that is silent once hides nothing."""
    known: dict[str, Any] = {}
    before: Moment | None = None
    for moment, look in looks(run):
        minute = {"minute": moment[1] / MINUTE_S}
        happened = list(incidents(known, look.values)) if before else []
        for one in happened:
            yield Incident(before or moment, moment, Because(one.key, one.values | minute))
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
    """Notes that tell what no look does: bytes that others moved, between the two looks that were compared."""
    moments = [moment for moment, _ in looks(run)]
    for moment, note in notes(run):
        if note.kind == COUNTED_APART:
            earlier = [one for one in moments if one <= moment][-2:] or [moment]
            yield Incident(earlier[0], earlier[-1], Because("mismatch", {"minute": moment[1] / MINUTE_S}))
