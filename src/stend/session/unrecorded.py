"""Run virtual drives in memory, without an operator or a run folder, for callers that make thousands of runs."""

from contextlib import closing

from stend import devices
from stend.base import extras
from stend.base.errors import BadInput
from stend.devices.virtual import VirtualDevice, claims
from stend.model.definition import Plan, Profile
from stend.model.record import Run
from stend.planning import plan
from stend.runner.loop import run
from stend.session import engine
from stend.words import Sentence


def drawn(target: str, tests: tuple[str, ...], profile: Profile, deviations: tuple[Sentence, ...] = ()) -> Plan:
    """Return the plan of the tests. Raise BadInput if they cannot be run."""
    return plan.draw(tests, profile, _find(target).identity, deviations=deviations)


def folded(
    target: str, tests: tuple[str, ...], profile: Profile, deviations: tuple[Sentence, ...] = (), *, seed: int
) -> Run:
    """Run the whole plan from Unix time 0. A failure is its outcome. Raise BadInput if it cannot begin."""
    device = _find(target)
    whole = plan.draw(tests, profile, device.identity, deviations=deviations)
    with closing(device.door):
        device.door.open(writes=True, destroy=None)
        return Run(run(whole, device, engine.simulated(device, whole), seed=seed, at=0.0))


def _find(target: str) -> VirtualDevice:
    extras.need("running many virtual drives", "numba")
    device = devices.find(target) if claims(target) else None
    if not isinstance(device, VirtualDevice):
        raise BadInput(f"{target} is not a virtual drive; runs of other drives are always recorded")
    return device
