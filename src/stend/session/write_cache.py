"""Set a drive's write cache for the duration of a run, and restore it however the run ends."""

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
"""File in the run folder: the changed setting, and the restored state. It is locked during the run."""

RECORD_BYTES = 2000
Setting = Literal["enabled", "disabled"]


@contextmanager
def kept(device: Device, plan: Plan, folder: Path, report: Callable[[str], None]) -> Iterator[Plan]:
    """Set the drive as the profile requires for the duration of a run, and yield the plan with notes on it.

    The original setting is on disk before anything is changed. After `kill -9`, `stend resume` or `stend doctor`
    restores it.
    """
    if not isinstance(device, DriveDevice):
        state = {"enabled": "on", "disabled": "off"}.get(plan.profile.write_cache)
        left = f"the profile asks for it {state}, but a file or virtual drive has no switch for it"
        yield _with(plan, f"the write cache is left as it is: {left}") if state else plan
        return
    wish = purge_wish(plan.profile)
    devices.configure_purge(device, wish.method, wish.command, wish.limit_s, report)
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
            changed = _with_setting(plan, was, device.cache())
            yield _with(changed, note) if note else changed
        finally:
            if failure := _put_back(record, device, was, folder):
                report(failure)


def _with(plan: Plan, note: str) -> Plan:
    return msgspec.structs.replace(plan, notes=(*plan.notes, note))


def _with_setting(plan: Plan, was: str, now: str) -> Plan:
    """Return the plan with the cache's original setting, and the setting read back after it was changed."""
    facts = plan.device.facts | {"write_cache": was, "write_cache_set": now}
    return msgspec.structs.replace(plan, device=msgspec.structs.replace(plan.device, facts=facts))


@contextmanager
def _record(folder: Path) -> Iterator[IO[str]]:
    """Open and lock the record."""
    try:
        fd = regular.descriptor(folder / RECORD, os.O_RDWR | os.O_CREAT)
    except OSError as error:
        raise StepFailed(f"{folder / RECORD} cannot be written: {error.strerror}") from error
    with open(fd, "r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield file


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """Content of the record: a drive's setting before and during the run, and whether it was restored.

    The `seal` proves that this host wrote the record. No drive is changed because of a record from elsewhere.
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
        """Return the sealed data: everything except whether it was restored."""
        return msgspec.json.encode([self.target, self.serial, self.was, self.during, self.setting])


def sealed(change: Change) -> Change:
    """Return the change with this host's seal."""
    return msgspec.structs.replace(change, seal=seal.seal(change.words))


def _read(file: IO[str]) -> Change | None:
    """Return the recorded change, or None. Raise BadInput if the record is not valid."""
    file.seek(0)
    try:
        text = file.read(RECORD_BYTES * 2).strip()
        return msgspec.json.decode(text, type=Change) if text else None
    except untrusted.BROKEN as error:
        raise BadInput(f"{RECORD} cannot be used: {untrusted.sentence(error)}") from error


def _write(file: IO[str], change: Change) -> None:
    """Write in place and synced, so that a kill leaves either the old or the new record."""
    os.pwrite(file.fileno(), msgspec.json.format(msgspec.json.encode(change), indent=1).ljust(RECORD_BYTES), 0)
    os.fsync(file.fileno())


def _begin(file: IO[str], device: DriveDevice, now: str, wanted: Setting) -> Setting:
    """Record the change, and return the original setting: from before an interruption, else the present one."""
    change, drive = _read(file), device.identity
    present: Setting = "enabled" if now == "enabled" else "disabled"
    was = present if change is None or change.restored else change.was
    _write(file, sealed(Change(target=drive.target, serial=drive.serial, was=was, during=wanted, restored=False)))
    return was


def _put_back(file: IO[str], device: DriveDevice, was: str, folder: Path) -> str:
    """Restore the setting and record that. Return why it failed, or ""; after a failure the record stays open."""
    try:
        if device.cache() != was:
            device.set_cache(was)
    except (StendError, OSError) as error:
        way = f"`stend doctor {folder}` restores it to {was} when the drive is connected again"
        return f"stend: its write cache was not restored ({error}); {way}"
    if change := _read(file):
        _write(file, msgspec.structs.replace(change, restored=True))
    return ""


def put_back(folders: list[Path]) -> list[str]:
    """Restore settings that killed runs left changed, and return a line for each."""
    return [line for folder in folders if os.path.lexists(folder / RECORD) for line in _restore(folder)]


def _restore(folder: Path) -> Iterator[str]:
    try:
        fd = regular.descriptor(folder / RECORD, os.O_RDWR)
    except OSError as error:
        yield f"{folder}: {RECORD} cannot be read: {error.strerror}"
        return
    with open(fd, "r+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return  # its run is still active
        try:
            change = _read(file)
        except BadInput as error:
            yield f"{folder}: {error}"
            return
        if change is None or change.restored:
            return
        if not seal.is_ours(change.words, change.seal):
            yield f"{folder}: {RECORD} was not written on this host by this user; no drive is changed because of it"
            return
        try:
            _set_back(change)
        except (StendError, OSError) as error:
            yield f"{folder}: the write cache of {change.serial} is not {change.was} again: {error}"
            return
        _write(file, msgspec.structs.replace(change, restored=True))
        yield f"{folder}: the write cache of {change.serial} is {change.was} again"


def _set_back(change: Change) -> None:
    """Find the drive by its serial, wherever it is now, and restore its setting."""
    targets = [change.target, *(i.target for i, _ in devices.listing() if i.serial == change.serial)]
    for target in targets:
        if not os.path.exists(target):
            continue
        device = devices.find(target)
        if isinstance(device, DriveDevice) and device.identity.serial == change.serial:
            device.door.open(writes=False, destroy=None)
            try:
                device.set_cache(change.was)
            finally:
                device.door.close()
            return
    raise BadInput(f"no drive here has the serial {change.serial}; connect it and try again")
