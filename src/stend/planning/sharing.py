"""Leave out phases that an earlier test of the plan already ran, where the drive is in the state they would leave."""

import msgspec

from stend.model.definition import Hold, Identity, Phase, PlannedTest, Purge, Step
from stend.model.estimate import TYPICAL_ROUNDS, assumed, phase_seconds, sure_bytes
from stend.words import Sentence


def shared(tests: list[PlannedTest], device: Identity, notes: list[Sentence]) -> list[PlannedTest]:
    """Leave out phases that equal all phases that changed the drive since its last purge. Add a note for each test."""
    state: list[tuple[Phase, str]] = []
    kept = []
    for test in tests:
        count = len(state) if test.profile.share and _continues_from([phase for phase, _ in state], test) else 0
        left_out = {phase.name: source for phase, source in state[:count]}
        rest = test.phases[count:]
        kept.append(msgspec.structs.replace(test, phases=rest, shared=left_out))
        if count:
            saved = sum(phase_seconds(p, assumed(device), TYPICAL_ROUNDS) for p in test.phases[:count])
            size = sum(sure_bytes(p) for p in test.phases[:count])
            values = {"other": state[count - 1][1], "phases": list(left_out), "time": saved}
            values |= {"size": size} if size else {}
            notes.append(Sentence("shares_writing" if size else "shares", test=test.name, **values))
        for phase in rest:
            if Purge() in phase.round:
                state = []
            if _changes_state(phase):
                state.append((phase, test.name))
    return kept


def _continues_from(state: list[Phase], test: PlannedTest) -> bool:
    """Return True if a test begins with just these phases and can be restarted without them."""
    count = len(state)
    rest = test.phases[count:]
    return count > 0 and list(test.phases[:count]) == state and bool(rest) and all(p.boundary != "test" for p in rest)


def _changes_state(phase: Phase) -> bool:
    """Return True if a phase changes the drive: writing, purging and resting (it cleans) do, reading does not.

    A read of verified content belongs to its fill, and is shared together with it.
    """
    return bool(phase.choose) or not all(_only_reads(step) for step in phase.round)


def _only_reads(step: Step) -> bool:
    return isinstance(step, Hold) and not step.workload.writes and not step.workload.verify
