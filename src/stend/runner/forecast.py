"""Whether steady state is still to be expected: said once a phase, from its tenth round on; nothing is ended by it."""

from itertools import islice

import numpy as np

from stend.model.definition import Phase
from stend.model.events import Judged
from stend.model.record import Run

FROM_ROUND, LOOKED_AT = 10, 5
FAR = 2.0
"""So many times what the rule allows in each of the last five windows: of 800 drawn series that noise or drift moves,
5 % of those told of were steady by round 25 all the same."""
SHRINKS = 0.02
"""A series whose excursions get smaller by more than this from round to round may still come in."""


def of_round(run: Run, test: str, phase: Phase) -> str:
    """What is to be said of a phase after the round just judged; empty where nothing is, or it was said already."""
    backwards = (j for j in reversed(run.judgements.get((test, phase.name), ())) if j.verdicts)
    own = [*islice(backwards, LOOKED_AT)][::-1]
    if len(own) < LOOKED_AT or not FROM_ROUND <= own[-1].where.round < phase.rounds or own[-1].ended_by:
        return ""
    place = f"steady state of {test}, {phase.name} is not to be expected"
    far = [excess(judged) for judged in own]
    if min(far) < FAR or _slope(far) < -SHRINKS or any(note.text.startswith(place) for note in run.notes):
        return ""
    number = own[-1].where.round
    return (
        f"{place}: after round {number} of at most {phase.rounds} its figures move {far[-1]:.1f} times as far as the "
        f"rule allows, no less than in the rounds before; whoever stops now has them, unmet, {phase.rounds - number} "
        "rounds sooner"
    )


def excess(judged: Judged) -> float:
    """By how many times the worst of the tracked series exceeds what its rule allows."""
    pairs = [(v.slope_excursion, v.slope_excursion_allowed) for v in judged.verdicts]
    pairs += [(v.excursion, v.excursion_allowed) for v in judged.verdicts if v.excursion_allowed is not None]
    return max((abs(seen) / allowed for seen, allowed in pairs if allowed), default=0.0)


def _slope(far: list[float]) -> float:
    return float(np.polyfit(range(len(far)), np.log(far), 1)[0])
