"""Set a drive's write cache for the duration of a run, as its profile requires."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from stend import devices
from stend.devices import Device
from stend.devices.drive import DriveDevice
from stend.model.definition import Plan
from stend.planning.plan import purge_wish
from stend.session.settings import WRITE_CACHE, changed, noted


@contextmanager
def kept(device: Device, plan: Plan, folder: Path, report: Callable[[str], None]) -> Iterator[Plan]:
    """Set the drive as the profile requires (`settings.changed`), and yield the plan with notes on it."""
    if not isinstance(device, DriveDevice):
        state = {"enabled": "on", "disabled": "off"}.get(plan.profile.write_cache)
        left = f"the profile asks for it {state}, but a file or virtual drive has no switch for it"
        yield noted(plan, f"the write cache is left as it is: {left}") if state else plan
        return
    wish = purge_wish(plan.profile)
    devices.configure_purge(device, wish.method, wish.command, wish.limit_s, report)
    wanted = plan.profile.write_cache
    if not device.cache() or wanted == "unknown":
        yield noted(
            plan, f"the profile asks for the write cache {wanted}; this drive has none, or does not let it be set"
        )
        return
    with changed(WRITE_CACHE, device, folder, wanted, report) as was:
        note = f"the drive's write cache was {was} and is {wanted} for this run" if was != wanted else ""
        yield noted(plan, note, write_cache=was, write_cache_set=device.cache())
