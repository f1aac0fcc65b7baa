"""A test run on a virtual drive, kept in no folder, and what is found of it."""

from collections.abc import Iterator
from typing import Any

import msgspec

from stend import findings
from stend.devices.virtual import VirtualDevice
from stend.engines.simulated import SimulatedEngine
from stend.findings import Finding
from stend.model.events import Event
from stend.model.record import Run
from stend.planning import plan
from stend.runner.loop import run


def rehearsed(
    device: VirtualDevice, asked: str, profile: str = "review", *, interval_s: float = 1.0, **changes: Any
) -> Iterator[Event]:
    """What happens, as it happens; `changes` are the operator's."""
    device.door.open(writes=True, destroy=None)
    names, chosen, told = plan.gather([asked], profile, changes)
    steps = plan.draw(names, chosen, device.identity, deviations=told)
    yield from run(steps, device, SimulatedEngine(device.sim.drive, interval_s=interval_s), seed=1, at=0.0)


def said(run: Run, name: str) -> Finding:
    """The one finding of that name; all that is found can be written to report.json."""
    told = list(findings.find(run, {}))
    msgspec.json.encode([finding.values for finding in told])
    (found,) = (finding for finding in told if finding.name == name)
    return found
