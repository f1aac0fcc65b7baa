"""Predict that steady state will not be reached. Reported once per phase, from its tenth round on; ends nothing."""

from itertools import islice

import numpy as np

from stend.model.definition import Phase
from stend.model.events import Judged
from stend.model.record import Run
from stend.words import Sentence

FROM_ROUND, LOOKED_AT = 10, 5
FAR = 2.0
"""Excess over the rule that each of the last five windows must have for a forecast.

Of 800 random series with noise or drift, 5 % of those with a forecast were steady by round 25 nevertheless.
"""
SHRINKS = 0.02
"""A series whose excess shrinks by more than this per round may still become steady."""


def of_round(run: Run, test: str, phase: Phase) -> Sentence | None:
    """Return the note on a phase after the round just judged, or None if there is none, or it was noted before."""
    backwards = (j for j in reversed(run.judgements.get((test, phase.name), ())) if j.verdicts)
    recent = [*islice(backwards, LOOKED_AT)]
    if len(recent) < LOOKED_AT or not FROM_ROUND <= recent[0].where.round < phase.rounds or recent[0].ended_by:
        return None
    far = [excess(judged) for judged in recent]
    if (
        min(far) < FAR
        or np.polyfit(range(len(far)), np.log(far), 1)[0] > SHRINKS  # per round backwards
        or any(_is_of(note.text, test, phase.name) for note in run.notes)
    ):
        return None
    number = recent[0].where.round
    values = {"n": number, "most": phase.rounds, "far": round(far[0], 1), "left": phase.rounds - number}
    return Sentence("forecast", test=test, phase=phase.name, **values)


def _is_of(note: Sentence, test: str, phase: str) -> bool:
    """Return True for the forecast of a phase. Records without keys have its text."""
    if note.key:
        return note.key == "forecast" and (note.values["test"], note.values["phase"]) == (test, phase)
    return note.startswith(f"steady state of {test}, {phase} is not to be expected")


def excess(judged: Judged) -> float:
    """Return the factor by which the worst tracked series exceeds what its rule allows."""
    pairs = [(v.slope_excursion, v.slope_excursion_allowed) for v in judged.verdicts]
    pairs += [(v.excursion, v.excursion_allowed) for v in judged.verdicts if v.excursion_allowed is not None]
    return max((abs(measured) / allowed for measured, allowed in pairs if allowed), default=0.0)
