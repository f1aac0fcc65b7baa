"""A drive's write cache, set for the length of a run and put back whatever the end is."""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Literal

import msgspec

from stend import devices
from stend.base import limits, regular, untrusted
from stend.base.errors import BadInput, StendError, StepFailed
from stend.devices import Device
from stend.devices.drive import DriveDevice
from stend.host import seal
from stend.model.definition import Plan
from stend.planning.plan import purge_wish

RECORD = "settings.json"
"""In the run folder: what was changed on the drive and whether it was put back; locked while the run lives."""

RECORD_BYTES = 2000
Setting = Literal["enabled", "disabled"]


@contextmanager
def kept(device: Device, plan: Plan, folder: Path, hear: Callable[[str], None]) -> Iterator[Plan]:
    """The drive set as the profile asks for the length of a run, and the plan with what is to be said of it.

    The original is on disk before anything is changed: `kill -9` leaves it to `stend resume` or `stend doctor`.
    """
    if not isinstance(device, DriveDevice):
        yield _with(plan, f"the profile asks for the write cache {plan.profile.write_cache}; here it cannot be set")
        return
    wish = purge_wish(plan.profile)
    devices.configure_purge(device, wish.method, wish.command, wish.limit_s, hear)
    wanted, now = plan.profile.write_cache, device.cache()
    if not now or wanted == "unknown":
        note = f"the profile asks for the write cache {wanted}; this drive has none, or does not let it be set"
        yield _with(plan, note)
        return
    with _record(folder) as record:
        was = _begin(record, device, now, wanted)
        note = f"the drive's write cache was {was} and is {wanted} for this run" if was != wanted else ""
        try:
            if now != wanted:
                device.set_cache(wanted)
            told = _found(plan, was, device.cache())
            yield _with(told, note) if note else told
        finally:
            if lost := _put_back(record, device, was, folder):
                hear(lost)


def _with(plan: Plan, note: str) -> Plan:
    return msgspec.structs.replace(plan, notes=(*plan.notes, note))


def _found(plan: Plan, was: str, now: str) -> Plan:
    """The plan, its drive told with the cache as it was found and as it was read back once it was set."""
    facts = plan.device.facts | {"write_cache": was, "write_cache_set": now}
    return msgspec.structs.replace(plan, device=msgspec.structs.replace(plan.device, facts=facts))


@contextmanager
def _record(folder: Path) -> Iterator[IO[str]]:
    """The record, opened and locked."""
    try:
        fd = regular.descriptor(folder / RECORD, os.O_RDWR | os.O_CREAT)
    except OSError as error:
        raise StepFailed(f"{folder / RECORD} cannot be written: {error.strerror}") from error
    with open(fd, "r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield file


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """What the record holds: a drive's setting before and during the run, and whether it is as before again.

    By its `seal` this host knows that it wrote the record itself; no drive is changed by the word of another.
    """

    target: limits.Name
    serial: str
    was: Setting
    during: Setting
    restored: bool
    setting: Literal["write cache"] = "write cache"
    seal: str = ""

    @property
    def words(self) -> bytes:
        """What is sealed: everything but whether it is over."""
        return msgspec.json.encode([self.target, self.serial, self.was, self.during, self.setting])


def sealed(change: Change) -> Change:
    """The same with this host's seal."""
    return msgspec.structs.replace(change, seal=seal.seal(change.words))


def _read(file: IO[str]) -> Change | None:
    """The change on record, None where there is none yet; BadInput where somebody else wrote there."""
    file.seek(0)
    try:
        said = file.read(RECORD_BYTES * 2).strip()
        return msgspec.json.decode(said, type=Change) if said else None
    except untrusted.BROKEN as error:
        raise BadInput(f"{RECORD} cannot be used: {untrusted.sentence(error)}") from error


def _write(file: IO[str], told: Change) -> None:
    """In place and at once, so that a kill in between leaves the old words or the new ones."""
    os.pwrite(file.fileno(), msgspec.json.format(msgspec.json.encode(told), indent=1).ljust(RECORD_BYTES), 0)
    os.fsync(file.fileno())


def _begin(file: IO[str], device: DriveDevice, now: str, wanted: Setting) -> Setting:
    """The original setting: the one recorded before an interruption, else the present one."""
    told, drive = _read(file), device.identity
    present: Setting = "enabled" if now == "enabled" else "disabled"
    was = present if told is None or told.restored else told.was
    _write(file, sealed(Change(target=drive.target, serial=drive.serial, was=was, during=wanted, restored=False)))
    return was


def _put_back(file: IO[str], device: DriveDevice, was: str, folder: Path) -> str:
    """Restore, and say so in the record; where the drive is gone the record stays open, and why is told."""
    try:
        if device.cache() != was:
            device.set_cache(was)
    except (StendError, OSError) as error:
        way = f"`stend doctor {folder}` puts it back to {was} when the drive is there again"
        return f"stend: its write cache was not restored ({error}); {way}"
    if told := _read(file):
        _write(file, msgspec.structs.replace(told, restored=True))
    return ""


def put_back(folders: list[Path]) -> list[str]:
    """Restore what killed runs left changed; a line for each."""
    return [line for folder in folders if os.path.lexists(folder / RECORD) for line in _mended(folder)]


def _mended(folder: Path) -> Iterator[str]:
    try:
        fd = regular.descriptor(folder / RECORD, os.O_RDWR)
    except OSError as error:
        yield f"{folder}: {RECORD} cannot be read: {error.strerror}"
        return
    with open(fd, "r+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return  # its run is going on
        try:
            told = _read(file)
        except BadInput as error:
            yield f"{folder}: {error}"
            return
        if told is None or told.restored:
            return
        if not seal.is_ours(told.words, told.seal):
            yield f"{folder}: {RECORD} was not written on this host by this user; no drive is changed by its word"
            return
        try:
            _again(told)
        except (StendError, OSError) as error:
            yield f"{folder}: the write cache of {told.serial} is not {told.was} again: {error}"
            return
        _write(file, msgspec.structs.replace(told, restored=True))
        yield f"{folder}: the write cache of {told.serial} is {told.was} again"


def _again(told: Change) -> None:
    """Find the drive by its serial, wherever it is now, and set it."""
    targets = [told.target, *(i.target for i, _ in devices.listing() if i.serial == told.serial)]
    for target in targets:
        if not os.path.exists(target):
            continue
        device = devices.find(target)
        if isinstance(device, DriveDevice) and device.identity.serial == told.serial:
            device.door.open(writes=False, destroy=None)
            try:
                device.set_cache(told.was)
            finally:
                device.door.close()
            return
    raise BadInput(f"no drive here tells the serial {told.serial}; connect it and ask again")
