"""Run what the table of preparations decided through the open gate, then find the drive again and verify it."""

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
"""The share by which a drive may round the requested capacity: namespaces have a granularity."""

Report = Callable[[str], None]


class Preparable(Protocol):
    """A drive that can be prepared."""

    identity: Identity
    kernel: Kernel

    @property
    def door(self) -> Guarded:
        """Return its opened door."""

    @property
    def node(self) -> str:
        """Return the kernel's name of the drive, or an empty string if it no longer exists."""

    def abilities(self) -> Drive:
        """Read the capabilities and the state of the drive now."""

    def layout(self) -> Layout:
        """Return the current layout and what of it can be changed."""

    def find_again(self, path: str) -> "Preparable":
        """Return the same drive as it is now, at the path where it reappeared."""


def prepare(
    device: Preparable, wish: Wish, *, report: Report, poll_s: float = purger.POLL_S, patience_s: float = PATIENCE_S
) -> str:
    """Prepare the drive. Return the method and the drive's new layout in one phrase. The gate is closed at the end.

    Raise Refused if the table refuses, StepFailed with the drive's words if a command fails or the result differs.
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
    commands, undo = _translated(way.commands), tuple(map(_translated, way.undo))
    way, node = way._replace(commands=commands, undo=undo), device.node
    try:
        _run_commands(way, device, drive, str(layout.nsid), report, poll_s)
    finally:
        device.door.close()
    rescan.by_kernel(device.kernel, node, drive.interface)
    return f"{way.phrase}; it reports {_read_back(way, device, node, patience_s)}"


def _run_commands(way: Way, device: Preparable, drive: Drive, nsid: str, report: Report, poll_s: float) -> None:
    """Run the commands; undo the finished ones if one fails.

    The gate is held until the first command ends. After that the drive would fail its check as another drive.
    """
    patience, done = purger.limit_s(device.identity.capacity_bytes), 0
    if way.undo:
        report(f"to restore it: {'; '.join(' '.join(command) for command in way.undo[-1])}")
    try:
        for command in way.commands:
            report(f"{way.phrase}: {' '.join(command)}")
            nsid = _run(command, device, nsid, patience)
            if way.follow and not done:
                purger.until_over(way.phrase, way.follow, drive, device.door.opened, report, patience, poll_s)
            device.door.close()
            done += 1
    except nvme_cli.Unnumbered as error:
        raise StepFailed(f"{device.identity.target} was not prepared: {error}") from error
    except (StendError, KeyboardInterrupt) as error:
        raise StepFailed(f"{str(error) or 'stopped'}{_undone(way, done, nsid)}") from error


def _translated(commands: tuple[Command, ...]) -> tuple[Command, ...]:
    """Return the commands as this host's version of nvme-cli names them."""
    return tuple(nvme_cli.words(*command) for command in commands)


def _run(command: Command, device: Preparable, nsid: str, patience_s: float) -> str:
    """Run a command. Return the number of the namespace afterwards, which is a new one if the command made it."""
    words = _with(command, nsid)
    output = tools.run(*words, limit_s=patience_s)
    if output.code:
        raise StepFailed(f"{device.identity.target} was not prepared: `{' '.join(words)}` printed: {output.words}")
    return nvme_cli.created(output) if nvme_cli.creates(words) else nsid


def _with(command: Command, nsid: str) -> tuple[str, ...]:
    return tuple(word.replace("{nsid}", nsid) for word in command)


def _undone(way: Way, done: int, nsid: str) -> str:
    """Undo the finished commands. Return the result, or what to do by hand if that fails or is unknown."""
    if done >= len(way.undo):
        listed = " ".join(nvme_cli.words("nvme", "list-ns"))
        return f"; its namespace {nsid} may not be attached, see `{listed} --all`" if done and way.undo else ""
    for command in way.undo[done]:
        words = _with(command, nsid)
        output = tools.try_run(*words)
        if output.code:
            return f"; its namespace is not there, make it by hand: `{' '.join(words)}` printed: {output.words}"
        if nvme_cli.creates(words):
            try:
                nsid = nvme_cli.created(output)
            except StepFailed as error:
                return f"; {error}"
    return "; it is laid out as it was, its data may be gone" if way.undo[done] else ""


def _read_back(way: Way, device: Preparable, node: str, patience_s: float) -> str:
    """Wait for the drive and return its new layout in words. Raise StepFailed if it is not the requested one."""
    until, words = time.monotonic() + patience_s, ""
    while not words:
        path = rescan.current_path(device.kernel, device.identity, node)
        drive = _current(device, path)
        if drive and drive.logical_bytes == way.lba_bytes and _near(drive.capacity_bytes, way.capacity_bytes):
            words = f"{facts.shown(drive)} in blocks of {drive.logical_bytes} bytes"
            words += f" as {path}" if path != device.identity.path else ""
        elif time.monotonic() > until:
            now = f"is {facts.shown(drive)} in blocks of {drive.logical_bytes} bytes" if drive else "is not there"
            what = f"{device.identity.target} took the commands ({way.phrase}) and {now}"
            raise StepFailed(f"{what}; power it off and on once, and see `stend devices`")
        else:
            time.sleep(min(0.5, patience_s / 4))
    return words


def _current(device: Preparable, path: str) -> Identity | None:
    """Return the drive at that path, or None while it is not ready yet."""
    try:
        return device.find_again(path).identity if path else None
    except (StendError, OSError):
        return None


def _near(capacity_bytes: int, wanted_bytes: int) -> bool:
    return not wanted_bytes or abs(capacity_bytes - wanted_bytes) <= TOLERANCE * wanted_bytes
