"""Let the sequential fills of a test carry content that can be verified, and read it back after each (`--verify`)."""

from collections.abc import Iterator

import msgspec

from stend.base.errors import BadInput
from stend.base.units import MiB
from stend.model.definition import Bytes, Hold, Phase, PlannedTest, Step
from stend.model.workload import Verify, Workload
from stend.words import Sentence

BLOCK_BYTES, DEPTH = MiB, 8
"""Block and queue depth of verified fills and reads, as in the test `media`. A choice of stend."""
CHART = "media_map"
FILL, PHASE = "precondition", "verify"
"""Names with which the phases of a fill and of its read begin."""


def verified(
    tests: list[PlannedTest], deviations: tuple[Sentence, ...]
) -> tuple[list[PlannedTest], tuple[Sentence, ...]]:
    """Return the tests with verified fills, and the deviations with the one that this is.

    Raise BadInput if no test has a sequential fill.
    """
    done = [_one(test) for test in tests]
    if done == tests:
        raise BadInput(Sentence("verified_none"))
    return done, (*deviations, Sentence("verified"))


def numbered(tests: list[PlannedTest]) -> list[PlannedTest]:
    """Return the tests with a number of its own for each verified fill, so that older content is not taken for newer.

    Reads, and further writes of a test without a fill, have the number of the write before them.
    """
    number, kept = 0, []
    for test in tests:
        phases, begun = [], False
        for phase in test.phases:
            if any(hold.workload.verify for hold in phase.holds) and (not begun or phase.name.startswith(FILL)):
                number, begun = number + 1, True
            phases.append(msgspec.structs.replace(phase, round=tuple(_with(step, number) for step in phase.round)))
        kept.append(msgspec.structs.replace(test, phases=tuple(phases)))
    return kept


def _with(step: Step, number: int) -> Step:
    if not isinstance(step, Hold) or step.workload.verify is None:
        return step
    verify = msgspec.structs.replace(step.workload.verify, number=number)
    return Hold(workload=msgspec.structs.replace(step.workload, verify=verify), amount=step.amount)


def _one(test: PlannedTest) -> PlannedTest:
    phases = tuple(part for phase in test.phases for part in _parts(phase))
    if phases == test.phases:
        return test
    return msgspec.structs.replace(test, phases=phases, charts=(*test.charts, CHART))


def _parts(phase: Phase) -> Iterator[Phase]:
    """Yield a phase, or in its place a fill with verified content and the read of it."""
    match phase:
        case Phase(name=name, round=(Hold(workload=load, amount=Bytes() as amount),), rounds=1) if _fills(name, load):
            fill = msgspec.structs.replace(load, block_bytes=BLOCK_BYTES, threads=1, depth=DEPTH, verify=Verify())
            read = msgspec.structs.replace(fill, read_pct=100)
            yield msgspec.structs.replace(phase, round=(Hold(workload=fill, amount=amount),))
            once = Hold(workload=read, amount=Bytes(bytes=min(amount.bytes, read.range_bytes)))
            yield Phase(name=name.replace(FILL, PHASE, 1), round=(once,), boundary="phase")
        case _:
            yield phase


def _fills(name: str, load: Workload) -> bool:
    """Return True for the sequential writes of a preconditioning, of any size but at least one block."""
    plain = not load.random_pct and not load.read_pct and not load.mixed and not load.verify and load.entropy_pct == 100
    return name.startswith(FILL) and plain and load.range_bytes >= BLOCK_BYTES
