"""Phases that tests share: none is left out unless the drive is in just the state that it would leave."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from stend.base.units import GB, KiB
from stend.model.definition import Capacities, Hold, Identity, Idle, Phase, PlannedTest, Profile, Purge, Seconds, Step
from stend.model.workload import Workload
from stend.planning.sharing import shared
from stend.words import Sentence

DRIVE = Identity(kind="sim", target="sim:small", path="", capacity_bytes=GB)


def load(read_pct: int) -> Hold:
    work = Workload(random_pct=0, read_pct=read_pct, block_bytes=128 * KiB, threads=1, depth=1)
    return Hold(workload=work, amount=Capacities(times=1) if read_pct < 100 else Seconds(seconds=1))


def phase(name: str, *steps: Step) -> Phase:
    return Phase(name=name, round=steps)


PHASES = (phase("purge", Purge()), phase("fill", load(0)), phase("rest", Idle(seconds=60)), phase("reads", load(100)))
CHANGE = PHASES[:3]
"""Cleaning goes on in a rest."""
LAST = replace(PHASES[3], name="last", boundary="test")
"""A phase that cannot be repeated without those before it."""


def planned(number: int, phases: tuple[Phase, ...], share: bool) -> PlannedTest:
    profile = Profile(name="", title="", specification="", device_class="client", write_cache="enabled", share=share)
    return PlannedTest(name=f"t{number}", title="", clause="", phases=phases, profile=profile)


def state(history: list[Phase]) -> list[Phase]:
    """What changed the drive from the last purge on."""
    purges = [i for i, one in enumerate(history) if one == PHASES[0]]
    return [one for one in history[purges[-1] if purges else 0 :] if one in CHANGE]


@given(
    st.lists(st.lists(st.sampled_from([*PHASES, LAST]), min_size=1, max_size=4).map(tuple), min_size=1, max_size=5),
    st.booleans(),
)
def test_phases_are_left_out_if_and_only_if_the_drive_is_in_their_state(
    tests: list[tuple[Phase, ...]], share: bool
) -> None:
    notes: list[Sentence] = []
    kept = shared([planned(n, phases, share) for n, phases in enumerate(tests)], DRIVE, notes)
    history: list[Phase] = []
    for phases, test in zip(tests, kept, strict=True):
        before = state(history)
        rest = phases[len(before) :]
        same = bool(before) and list(phases[: len(before)]) == before and bool(rest) and LAST not in rest
        assert test.phases == (rest if share and same else phases)
        assert bool(test.shared) == (share and same)
        history.extend(test.phases)
    assert len(notes) == sum(bool(test.shared) for test in kept)
