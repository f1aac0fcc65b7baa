"""Predict that steady state will not be reached. Reported once per phase, from its tenth round on; ends nothing."""

from itertools import islice

import numpy as np

from stend.model.definition import Phase
from stend.model.events import Judged
from stend.model.record import Run

FROM_ROUND, LOOKED_AT = 10, 5
FAR = 2.0
"""Excess over the rule that each of the last five windows must have for a forecast.

Of 800 random series with noise or drift, 5 % of those with a forecast were steady by round 25 nevertheless.
"""
SHRINKS = 0.02
"""A series whose excess shrinks by more than this per round may still become steady."""


def of_round(run: Run, test: str, phase: Phase) -> str:
    """Return the note on a phase after the round just judged; "" if nothing is to be noted, or it was noted before."""
    backwards = (j for j in reversed(run.judgements.get((test, phase.name), ())) if j.verdicts)
    recent = [*islice(backwards, LOOKED_AT)][::-1]
    if len(recent) < LOOKED_AT or not FROM_ROUND <= recent[-1].where.round < phase.rounds or recent[-1].ended_by:
        return ""
    place = f"steady state of {test}, {phase.name} is not to be expected"
    far = [excess(judged) for judged in recent]
    if min(far) < FAR or _slope(far) < -SHRINKS or any(note.text.startswith(place) for note in run.notes):
        return ""
    number = recent[-1].where.round
    return (
        f"{place}: after round {number} of at most {phase.rounds} its figures move {far[-1]:.1f} times as far as the "
        f"rule allows, no less than in the rounds before; whoever stops now has them, unmet, {phase.rounds - number} "
        "rounds sooner"
    )


def excess(judged: Judged) -> float:
    """Return the factor by which the worst tracked series exceeds what its rule allows."""
    pairs = [(v.slope_excursion, v.slope_excursion_allowed) for v in judged.verdicts]
    pairs += [(v.excursion, v.excursion_allowed) for v in judged.verdicts if v.excursion_allowed is not None]
    return max((abs(measured) / allowed for measured, allowed in pairs if allowed), default=0.0)


def _slope(far: list[float]) -> float:
    return float(np.polyfit(range(len(far)), np.log(far), 1)[0])
