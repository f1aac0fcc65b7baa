"""Runs of virtual drives in memory: nobody is asked and nothing is written, for who makes thousands of them."""

from contextlib import closing

from stend import devices
from stend.base.errors import BadInput
from stend.devices.virtual import VirtualDevice, claims
from stend.model.definition import Plan, Profile
from stend.model.record import Run
from stend.planning import plan
from stend.runner.loop import run
from stend.session import engine


def drawn(target: str, tests: tuple[str, ...], profile: Profile, deviations: tuple[str, ...] = ()) -> Plan:
    """What would be run; BadInput where that cannot be."""
    return plan.draw(tests, profile, _found(target).identity, deviations=deviations)


def folded(
    target: str, tests: tuple[str, ...], profile: Profile, deviations: tuple[str, ...] = (), *, seed: int
) -> Run:
    """The whole run, begun at Unix time 0; what fails in it is its outcome. BadInput where it cannot begin."""
    device = _found(target)
    whole = plan.draw(tests, profile, device.identity, deviations=deviations)
    told = Run()
    with closing(device.door):
        device.door.open(writes=True, destroy=None)
        load = engine.simulated(device, whole)
        for event in run(whole, device, load, seed=seed, at=0.0):
            told.add(event)
    return told


def _found(target: str) -> VirtualDevice:
    engine.can_load(target)
    device = devices.find(target) if claims(target) else None
    if not isinstance(device, VirtualDevice):
        raise BadInput(f"{target} is no virtual drive; runs of others are always recorded")
    return device
