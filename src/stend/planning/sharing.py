"""What a test need not do again: the phases that left the drive in the very state it begins with."""

import msgspec

from stend.base.units import binary, duration
from stend.model.definition import Hold, Identity, Phase, PlannedTest, Purge
from stend.model.estimate import TYPICAL_ROUNDS, assumed, phase_seconds, sure_bytes


def shared(tests: list[PlannedTest], device: Identity, notes: list[str]) -> list[PlannedTest]:
    """Leave out what the drive's state holds already: phases equal to all that changed it since its last purge."""
    state: list[tuple[Phase, str]] = []
    kept = []
    for test in tests:
        count = len(state) if test.profile.share and _goes_on_from([phase for phase, _ in state], test) else 0
        left_out = {phase.name: source for phase, source in state[:count]}
        rest = test.phases[count:]
        kept.append(msgspec.structs.replace(test, phases=rest, shared=left_out))
        if count:
            saved = sum(phase_seconds(p, assumed(device), TYPICAL_ROUNDS) for p in test.phases[:count])
            size = sum(sure_bytes(p) for p in test.phases[:count])
            notes.append(
                f"{test.name} goes on from the state that {state[count - 1][1]} leaves: {', '.join(left_out)} shared, "
                f"about {duration(saved)} saved" + (f" and {binary(size)} of writing" if size else "")
            )
        for phase in rest:
            if Purge() in phase.round:
                state = []
            if _changes_state(phase):
                state.append((phase, test.name))
    return kept


def _goes_on_from(state: list[Phase], test: PlannedTest) -> bool:
    """Whether a test begins with just these phases and can be restarted without them."""
    count = len(state)
    rest = test.phases[count:]
    return count > 0 and list(test.phases[:count]) == state and bool(rest) and all(p.boundary != "test" for p in rest)


def _changes_state(phase: Phase) -> bool:
    """Reading leaves a drive as it was; writing, purging and resting (it cleans) do not."""
    return bool(phase.choose) or not all(isinstance(s, Hold) and s.workload.read_pct == 100 for s in phase.round)
