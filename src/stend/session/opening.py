"""Open the drive of a run: for writing if its owner names it, for reading only if no test of the run writes."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec

from stend import devices
from stend.base.errors import Refused
from stend.devices import Device
from stend.model.definition import Identity, Plan
from stend.planning import plan
from stend.session import power_saving, write_cache
from stend.session.operator import Operator


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
    with power_saving.kept(device, drawn, folder, report) as awake:
        if device.door.writes is False:
            yield awake
            return
        with write_cache.kept(device, awake, folder, report) as noted:
            yield noted
