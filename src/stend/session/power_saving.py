"""Keep a drive awake for the duration of a run, if the run requires it.

NVMe: no autonomous power state transitions (APST). SATA: no power management of the link. Virtual: no power states.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from stend.devices import Device
from stend.devices.drive import DriveDevice
from stend.devices.virtual import VirtualDevice
from stend.model.definition import Plan
from stend.session.settings import POWER_SAVING, changed, noted
from stend.words import Sentence


@contextmanager
def kept(device: Device, plan: Plan, folder: Path, report: Callable[[str], None]) -> Iterator[Plan]:
    """Turn power saving off if the profile requires it (`settings.changed`), and yield the plan with notes on it."""
    if plan.profile.power_saving != "off":
        yield plan
    elif isinstance(device, VirtualDevice) and device.sim.spec.power.states:
        device.sim.drive.power.saving = False
        yield noted(plan, Sentence("saving_off"), power_saving_set="off")
    elif isinstance(device, DriveDevice) and device.power_saving():
        with changed(POWER_SAVING, device, folder, device.power_off, report) as was:
            yield noted(plan, Sentence("saving_off"), power_saving=was, power_saving_set=device.power_saving())
    else:
        yield noted(plan, Sentence("saving_none"))
