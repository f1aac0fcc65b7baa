"""Doing what the table of preparations chose: through the open gate, then the drive found again and read back."""

import time
from collections.abc import Callable
from typing import Protocol

from stend.base.errors import Refused, StendError, StepFailed
from stend.base.sysfs import Kernel
from stend.devices.purging import purge as purger
from stend.devices.purging import rescan
from stend.devices.purging.prepare_table import Layout, Same, Way, Wish, decide
from stend.devices.purging.table import Command, Drive, No
from stend.devices.telling import facts, nvme_cli, tools
from stend.gate import Guarded
from stend.model.definition import Identity

PATIENCE_S = 30.0
TOLERANCE = 0.01
"""By how much of what was asked a drive may round: namespaces come in grains of their own size."""

Tell = Callable[[str], None]


class Preparable(Protocol):
    """What is asked of a drive that is prepared."""

    identity: Identity
    kernel: Kernel

    @property
    def door(self) -> Guarded:
        """Its door, which was opened."""

    @property
    def node(self) -> str:
        """The kernel's name of it; empty when it is gone."""

    def abilities(self) -> Drive:
        """What it can and what state it is in, asked anew."""

    def layout(self) -> Layout:
        """How it is laid out and what of that can be changed, asked anew."""

    def anew(self, path: str) -> "Preparable":
        """The same drive as it is now, at the path where it was found again."""


def prepare(
    device: Preparable, wish: Wish, *, tell: Tell, poll_s: float = purger.POLL_S, patience_s: float = PATIENCE_S
) -> str:
    """Do it; what was done and what the drive tells afterwards, in one phrase. The gate is shut at the end.

    Refused when the table says no; StepFailed with the drive's words when it fails, or is not so afterwards.
    """
    target, gate = device.identity.target, device.door.opened
    gate.check()
    if not gate.writes:
        raise Refused(f"{target} was opened for reading only; open it for writing to prepare it")
    drive = device.abilities()
    layout = device.layout()
    way = decide(drive, layout, wish)
    if isinstance(way, No):
        raise Refused(f"{target} is not prepared: {way.why}")
    if isinstance(way, Same):
        return f"{way.words}; nothing was done"
    way, node = _spelled(way), device.node
    try:
        _commands(way, device, drive, str(layout.nsid), tell, poll_s)
    finally:
        device.door.close()
    rescan.by_kernel(device.kernel, node, drive.interface)
    return f"{way.phrase}; it tells {_read_back(way, device, node, patience_s)}"


def _commands(way: Way, device: Preparable, drive: Drive, nsid: str, tell: Tell, poll_s: float) -> None:
    """The gate is held until the first command is over; what comes after it would be taken for another drive."""
    patience, done = purger.limit_s(device.identity.capacity_bytes), 0
    if way.undo:
        tell(f"what brings it back as it was: {'; '.join(' '.join(command) for command in way.undo[-1])}")
    try:
        for command in way.commands:
            tell(f"{way.phrase}: {' '.join(command)}")
            nsid = _one(command, device, nsid, patience)
            if way.follow and not done:
                purger.until_over(way.phrase, way.follow, drive, device.door.opened, tell, patience, poll_s)
            device.door.close()
            done += 1
    except nvme_cli.Unnumbered as error:
        raise StepFailed(f"{device.identity.target} was not prepared: {error}") from error
    except (StendError, KeyboardInterrupt) as error:
        raise StepFailed(f"{str(error) or 'stopped'}{_undone(way, done, nsid)}") from error


def _spelled(way: Way) -> Way:
    """Return the way in the words of this host's nvme-cli."""
    commands, undo = _each(way.commands), tuple(map(_each, way.undo))
    return way._replace(commands=commands, undo=undo)


def _each(commands: tuple[Command, ...]) -> tuple[Command, ...]:
    return tuple(nvme_cli.words(*command) for command in commands)


def _one(command: Command, device: Preparable, nsid: str, patience_s: float) -> str:
    """Run it; return the number of the namespace from here on, another one where it made one."""
    words = _with(command, nsid)
    told = tools.ask(*words, limit_s=patience_s)
    if told.code:
        raise StepFailed(f"{device.identity.target} was not prepared: `{' '.join(words)}` says: {told.words}")
    return nvme_cli.created(told) if nvme_cli.creates(words) else nsid


def _with(command: Command, nsid: str) -> tuple[str, ...]:
    return tuple(word.replace("{nsid}", nsid) for word in command)


def _undone(way: Way, done: int, nsid: str) -> str:
    """Take back what was done before the failure; what to do by hand where that fails or is not known."""
    if done >= len(way.undo):
        listed = " ".join(nvme_cli.words("nvme", "list-ns"))
        return f"; its namespace {nsid} may not be attached, see `{listed} --all`" if done and way.undo else ""
    for command in way.undo[done]:
        words = _with(command, nsid)
        told = tools.softly(*words)
        if told.code:
            return f"; its namespace is not there, make it by hand: `{' '.join(words)}` says: {told.words}"
        if nvme_cli.creates(words):
            try:
                nsid = nvme_cli.created(told)
            except StepFailed as error:
                return f"; {error}"
    return "; it is laid out as it was, its data may be gone" if way.undo[done] else ""


def _read_back(way: Way, device: Preparable, node: str, patience_s: float) -> str:
    """What the drive tells of itself when it is there again; StepFailed when that is not what was asked."""
    until, found = time.monotonic() + patience_s, ""
    while not found:
        path = rescan.again(device.kernel, device.identity, node)
        drive = _looked(device, path)
        if drive and drive.logical_bytes == way.lba_bytes and _near(drive.capacity_bytes, way.capacity_bytes):
            found = f"{facts.shown(drive)} in blocks of {drive.logical_bytes} bytes"
            found += f" as {path}" if path != device.identity.path else ""
        elif time.monotonic() > until:
            now = f"is {facts.shown(drive)} in blocks of {drive.logical_bytes} bytes" if drive else "is not there"
            what = f"{device.identity.target} took the commands ({way.phrase}) and {now}"
            raise StepFailed(f"{what}; take power from it once, and see `stend devices`")
        else:
            time.sleep(min(0.5, patience_s / 4))
    return found


def _looked(device: Preparable, path: str) -> Identity | None:
    """The drive at that path; None while it is only just coming back."""
    try:
        return device.anew(path).identity if path else None
    except (StendError, OSError):
        return None


def _near(capacity_bytes: int, wanted_bytes: int) -> bool:
    return not wanted_bytes or abs(capacity_bytes - wanted_bytes) <= TOLERANCE * wanted_bytes
