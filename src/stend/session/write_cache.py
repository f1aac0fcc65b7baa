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
from stend.words import Sentence


@contextmanager
def kept(device: Device, plan: Plan, folder: Path, report: Callable[[str], None]) -> Iterator[Plan]:
    """Set the drive as the profile requires (`settings.changed`), and yield the plan with notes on it."""
    if not isinstance(device, DriveDevice):
        key = {"enabled": "cache_left_on", "disabled": "cache_left_off"}.get(plan.profile.write_cache)
        yield noted(plan, Sentence(key)) if key else plan
        return
    wish = purge_wish(plan.profile)
    devices.configure_purge(device, wish.method, wish.command, wish.limit_s, report)
    wanted = plan.profile.write_cache
    if not device.cache() or wanted == "unknown":
        yield noted(plan, Sentence("cache_none", setting=_state(wanted)))
        return
    with changed(WRITE_CACHE, device, folder, wanted, report) as was:
        note = Sentence("cache_set", was=_state(was), now=_state(wanted)) if was != wanted else None
        yield noted(plan, note, write_cache=was, write_cache_set=device.cache())


def _state(cache: str) -> Sentence | str:
    return Sentence(cache) if cache in ("enabled", "disabled") else cache
