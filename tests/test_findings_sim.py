"""The SLC cache of drawn flash drives, found again from what they wrote: the parameters of `sim` are the truth."""

import random
from itertools import takewhile

import msgspec
import pytest

from stend import findings, plan
from stend.devices.virtual import VirtualDevice
from stend.engines.simulated import SimulatedEngine
from stend.record import Ended, Result, Run
from stend.run import run
from stend.sim import Spec, load
from stend.sim.spec import Flash, Slc

DRAWS = range(32)
WITHIN = 0.05


def drawn(number: int) -> tuple[Spec, Flash, Slc]:
    """A drive like the KC2000 with a cache of another size and cells of other speeds."""
    dice = random.Random(f"slc {number}")
    spec = load("kc2000")
    assert spec.flash
    assert spec.flash.slc
    slc = msgspec.structs.replace(
        spec.flash.slc,
        share_pct=dice.uniform(12, 55),
        program_us=dice.uniform(540, 700),
        fold_pct=dice.choice([0, dice.uniform(5, 18)]),
    )
    flash = msgspec.structs.replace(spec.flash, slc=slc, program_us=dice.uniform(1500, 2400))
    return msgspec.structs.replace(spec, flash=flash, seed=number + 1), flash, slc


def fresh(spec: Spec) -> Run:
    """The events of a study of the SLC cache up to the end of its first fill."""
    device = VirtualDevice(f"sim:{spec.name}", spec)
    names, profile, told = plan.gather(["slc-cache"], "review", {})
    steps = plan.draw(names, profile, device.identity, deviations=told)
    events = run(steps, device, SimulatedEngine(device.drive), seed=1, at=0.0)
    return Run([*takewhile(lambda e: not (isinstance(e, Result) and e.where.phase not in FIRST), events), ENDED])


FIRST = ("purge", "fresh")
ENDED = Ended(t=0.0, outcome="stopped", reason="")


@pytest.mark.parametrize("number", DRAWS)
def test_the_size_of_the_cache_is_what_the_parameters_say(number: int) -> None:
    spec, flash, slc = drawn(number)
    physical = spec.capacity_bytes * (1 + flash.spare_pct / 100)
    truth = slc.share_pct / 100 * physical / slc.levels
    (finding,) = (f for f in findings.find(fresh(spec), {}) if f.name == "slc_cache")
    assert finding.values["size"] == pytest.approx(truth, rel=WITHIN)
