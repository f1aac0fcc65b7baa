"""Change a setting of a drive for the duration of a run, and restore it however the run ends.

The original value is on disk before anything is changed. After `kill -9`, `stend resume` or `stend doctor` restores it.
"""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, NamedTuple

import msgspec

from stend import devices
from stend.base import limits, regular, untrusted
from stend.base.errors import BadInput, StendError, StepFailed
from stend.base.text import typed
from stend.devices.drive import DriveDevice
from stend.host import seal
from stend.model.definition import Plan
from stend.words import Sentence

RECORD_BYTES = 2000


class Setting(NamedTuple):
    """A setting of a drive: its name, and the file in the run folder with the change and the value to restore.

    The file is locked during the run.
    """

    name: str
    record: str
    read: Callable[[DriveDevice], str]
    change: Callable[[DriveDevice, str], None]


WRITE_CACHE = Setting("write cache", "settings.json", lambda d: d.cache(), lambda d, to: d.set_cache(to))
POWER_SAVING = Setting(
    "power saving", "power_saving.json", lambda d: d.power_saving(), lambda d, to: d.set_power_saving(to)
)
SETTINGS = (WRITE_CACHE, POWER_SAVING)


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """Content of the record: a drive's setting before and during the run, and whether it was restored.

    The `seal` proves that this host wrote the record. No drive is changed because of a record from elsewhere.
    """

    target: limits.Name
    serial: str
    was: limits.Name
    during: limits.Name
    restored: bool
    setting: str = WRITE_CACHE.name
    seal: str = ""

    @property
    def words(self) -> bytes:
        """Return the sealed data: everything except whether it was restored."""
        return msgspec.json.encode([self.target, self.serial, self.was, self.during, self.setting])


def sealed(change: Change) -> Change:
    """Return the change with this host's seal."""
    return msgspec.structs.replace(change, seal=seal.seal(change.words))


@contextmanager
def changed(
    setting: Setting, device: DriveDevice, folder: Path, wanted: str, report: Callable[[str], None]
) -> Iterator[str]:
    """Change a setting that the drive has, and restore it at the end. Yield the original value.

    That is the value from before an interruption, otherwise the present one.
    """
    now = setting.read(device)
    with recorded(folder / setting.record) as file:
        was = _begin(file, setting, device, now, wanted)
        try:
            if now != wanted:
                setting.change(device, wanted)
            yield was
        finally:
            if failure := _put_back(file, setting, device, was, folder):
                report(failure)


@contextmanager
def recorded(path: Path) -> Iterator[IO[str]]:
    """Open and lock a record."""
    try:
        fd = regular.descriptor(path, os.O_RDWR | os.O_CREAT)
    except OSError as error:
        raise StepFailed(f"{path} cannot be written: {error.strerror}") from error
    with open(fd, "r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield file


def _read(file: IO[str], setting: Setting) -> Change | None:
    """Return the recorded change, or None. Raise BadInput if the record is not valid."""
    file.seek(0)
    try:
        text = file.read(RECORD_BYTES * 2).strip()
        change = msgspec.json.decode(text, type=Change) if text else None
    except untrusted.BROKEN as error:
        raise BadInput(f"{setting.record} cannot be used: {untrusted.sentence(error)}") from error
    if change and change.setting != setting.name:
        raise BadInput(f"{setting.record} cannot be used: it is about the {change.setting}")
    return change


def _write(file: IO[str], change: Change) -> None:
    """Write in place and synced, so that a kill leaves either the old or the new record."""
    os.pwrite(file.fileno(), msgspec.json.format(msgspec.json.encode(change), indent=1).ljust(RECORD_BYTES), 0)
    os.fsync(file.fileno())


def _begin(file: IO[str], setting: Setting, device: DriveDevice, now: str, wanted: str) -> str:
    """Record the change, and return the original value."""
    change, drive = _read(file, setting), device.identity
    was = now if change is None or change.restored else change.was
    made = Change(
        target=drive.target, serial=drive.serial, was=was, during=wanted, restored=False, setting=setting.name
    )
    _write(file, sealed(made))
    return was


def _put_back(file: IO[str], setting: Setting, device: DriveDevice, was: str, folder: Path) -> str:
    """Restore the setting and record that. Return why it failed, or "". After a failure the record stays open."""
    try:
        if setting.read(device) != was:
            setting.change(device, was)
    except (StendError, OSError) as error:
        way = f"`stend doctor {typed(folder)}` restores it to {was} when the drive is connected again"
        return f"stend: its {setting.name} was not restored ({error}); {way}"
    if change := _read(file, setting):
        _write(file, msgspec.structs.replace(change, restored=True))
    return ""


def put_back(folders: list[Path]) -> list[str]:
    """Restore settings that killed runs left changed, and return a line for each."""
    return [
        line
        for folder in folders
        for setting in SETTINGS
        if os.path.lexists(folder / setting.record)
        for line in _restore(folder, setting)
    ]


def _restore(folder: Path, setting: Setting) -> Iterator[str]:
    try:
        fd = regular.descriptor(folder / setting.record, os.O_RDWR)
    except OSError as error:
        yield f"{folder}: {setting.record} cannot be read: {error.strerror}"
        return
    with open(fd, "r+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return  # its run is still active
        try:
            change = _read(file, setting)
        except BadInput as error:
            yield f"{folder}: {error}"
            return
        if change is None or change.restored:
            return
        if not seal.is_ours(change.words, change.seal):
            yield (
                f"{folder}: {setting.record} was not written on this host by this user; "
                "no drive is changed because of it"
            )
            return
        try:
            _set_back(change, setting)
        except (StendError, OSError) as error:
            yield f"{folder}: the {setting.name} of {change.serial} is not {change.was} again: {error}"
            return
        _write(file, msgspec.structs.replace(change, restored=True))
        yield f"{folder}: the {setting.name} of {change.serial} is {change.was} again"


def _set_back(change: Change, setting: Setting) -> None:
    """Find the drive by its serial, wherever it is now, and restore its setting."""
    for target in devices.moved(change.target, change.serial):
        if not os.path.exists(target):
            continue
        device = devices.find(target)
        if isinstance(device, DriveDevice) and device.identity.serial == change.serial:
            device.door.open(writes=False, destroy=None)
            try:
                setting.change(device, change.was)
            finally:
                device.door.close()
            return
    raise BadInput(f"no drive here has the serial {change.serial}; connect it and try again")


def noted(plan: Plan, note: Sentence | None = None, **facts: str) -> Plan:
    """Return the plan with a note and facts about its drive."""
    device = msgspec.structs.replace(plan.device, facts=plan.device.facts | facts)
    return msgspec.structs.replace(plan, device=device, notes=(*plan.notes, *((note,) if note else ())))
