"""Open the drive of a run: for writing if its owner names it, for reading only if no test of the run writes.

For the duration of the run its power saving and its write cache are set as the profile requires.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from stend import devices
from stend.base.errors import BadInput, Refused
from stend.devices import Device
from stend.devices.drive import DriveDevice
from stend.devices.virtual import VirtualDevice
from stend.model.definition import Identity, Plan
from stend.model.record import Run
from stend.planning import plan
from stend.planning.plan import purge_wish
from stend.session.operator import Operator
from stend.session.settings import POWER_SAVING, WRITE_CACHE, changed, noted
from stend.words import Sentence


class Permission(NamedTuple):
    """The permission of a run: the drive whose data it may destroy, the files it may overwrite, and `in_use`.

    `in_use` permits reading a drive that is mounted or otherwise used.
    """

    destroy: str | None = None
    overwrite: tuple[str, ...] = ()
    in_use: bool = False


def opened(
    device: Device, drawn: Plan, permission: Permission, operator: Operator, folder: Path
) -> tuple[str, dict[str, str]]:
    """Open the drive. Return the path for its load, and the fingerprint of the drive and its content.

    Raise Refused if a drive that is to be written is not named, or one that is only read is in use without permission.
    """
    if drawn.reads_only:
        if (used := devices.use(device.identity)) and not permission.in_use:
            what = used.partition("; ")[0]  # the way to end the use is not needed to read
            raise Refused(f"{device.identity.target} {what}; to read it while it is in use, add --in-use")
        path = device.door.open(writes=False, destroy=None)
    else:
        name = permission.destroy or operator.names(device)
        keep_off = (os.path.abspath(folder),)
        path = device.door.open(writes=True, destroy=name, keep_off=keep_off, overwrite=permission.overwrite)
    return path, device.door.fingerprint()


def inspected(device: Device, tests: list[str]) -> Identity:
    """Return the identity for a plan; with the drive's logs and its present use if no test writes."""
    drive = device.identity
    if not plan.reads_only(tests):
        return drive
    used = devices.use(drive)
    facts = drive.facts | {"passport": devices.passport(device)} | ({"in_use": used} if used else {})
    return msgspec.structs.replace(drive, facts=facts)


@contextmanager
def kept(device: Device, drawn: Plan, folder: Path, report: Callable[[str], None]) -> Iterator[Plan]:
    """Set the drive's power saving for the run, and its write cache, unless it was opened for reading only."""
    with keep_awake(device, drawn, folder, report) as awake:
        if device.door.writes is False:
            yield awake
            return
        with set_cache(device, awake, folder, report) as noted:
            yield noted


@contextmanager
def keep_awake(device: Device, plan: Plan, folder: Path, report: Callable[[str], None]) -> Iterator[Plan]:
    """Turn power saving off if the profile requires it (`settings.changed`), and yield the plan with notes on it.

    NVMe: no autonomous power state transitions (APST). SATA: no power management of the link. Virtual: no power states.
    """
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


@contextmanager
def set_cache(device: Device, plan: Plan, folder: Path, report: Callable[[str], None]) -> Iterator[Plan]:
    """Set the write cache as the profile requires (`settings.changed`), and yield the plan with notes on it."""
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


IDENTIFYING = ("kind", "serial", "wwn", "model", "capacity_bytes", "logical_bytes")
WORDS = {"wwn": "WWN", "logical_bytes": "logical block in bytes"}
"""Fields whose name in the record is not that of the field's language."""


def check_drive(then: Identity, now: Identity) -> None:
    """Raise Refused unless this is the drive that the run began on."""
    for field in IDENTIFYING:
        was, is_now = getattr(then, field), getattr(now, field)
        if was != is_now and field == "capacity_bytes":
            raise Refused(
                f"{now.target} changed its size from {was} to {is_now} bytes since the run began; find out why"
            )
        if was != is_now:
            name = WORDS.get(field, field)
            raise Refused(f"{now.target} is another drive: its {name} is {is_now!r}, the run began on {was!r}")


def present(then: Identity) -> Device:
    """Return the drive that a run began on: at its path of then, or the only one with its serial or WWN that equals it.

    Raise BadInput or Refused for the path of then if there is none, or several.
    """
    places = devices.moved(then.target, then.serial, then.wwn)
    try:
        return _same(then, next(places))
    except (BadInput, Refused):
        found = list[Device]()
        for target in places:
            with suppress(BadInput, Refused):
                found.append(_same(then, target))
        if len(found) != 1:
            raise
        return found[0]


def _same(then: Identity, target: str) -> Device:
    device = devices.find(target)
    check_drive(then, device.identity)
    return device


def check_content(past: Run, device: Device, now: dict[str, str]) -> None:
    """Raise Refused if the drive differs from the run's by the fingerprint `now`, or holds data that is new."""
    # A record from before fingerprints existed counts as a drive without signatures: the drive must hold none now.
    then = past.started[0].fingerprint or {key: value for key, value in now.items() if key != "signatures"}
    if reason := device.door.changed(then, now):
        raise Refused(f"{device.identity.target} {reason}")
