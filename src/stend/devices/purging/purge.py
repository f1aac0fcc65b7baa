"""Doing a purge that the table chose: its commands, its progress, its time limit, and reading back what it left."""

import time
from collections.abc import Callable

from stend.base.errors import Refused, StepFailed
from stend.base.units import MB, duration
from stend.devices.purging import follow, methods
from stend.devices.purging.table import Drive, No, Way, decide
from stend.devices.telling import tools
from stend.gate import Gate

LEAST_LIMIT_S = 900.0
SLOWEST_BYTES_PER_S = 40 * MB
"""A drive that erases more slowly than a disk writes is stuck."""
POLL_S = 1.0

Tell = Callable[[str], None]


def limit_s(capacity_bytes: int) -> float:
    """How long a purge may take: writing every block of an old disk, at least a quarter of an hour."""
    return max(LEAST_LIMIT_S, capacity_bytes / SLOWEST_BYTES_PER_S)


def purge(drive: Drive, gate: Gate, *, tell: Tell, limit: float = 0, poll_s: float = POLL_S) -> str:
    """Purge what has passed the gate; the method in one phrase.

    Refused when the table says no; StepFailed with the drive's words when it fails, hangs, or leaves data.
    """
    gate.check()
    if not gate.writes:
        raise Refused(f"{gate.identity.target} was opened for reading only; open it for writing to purge it")
    way = decide(drive)
    if isinstance(way, No):
        raise Refused(f"{gate.identity.target} is not purged: {way.why}")
    if way.lesser:
        return _lesser(way, gate)
    held = methods.contents(gate)
    tell(f"{way.phrase}: {' '.join(way.commands[0])}")
    patience = limit or limit_s(gate.identity.capacity_bytes)
    _commands(way, gate, patience)
    if way.follow:
        until_over(way.phrase, way.follow, drive, gate, tell, patience, poll_s)
    gate.check()
    return f"{way.phrase}, {_verified(way, gate, held)}"


def _lesser(way: Way, gate: Gate) -> str:
    because = f"; {way.instead}" if way.instead else ""
    if way.name == "discard" and methods.discard(gate) and methods.reads_zero(gate):
        return f"{way.phrase}, a sample read back as zeros{because}"
    methods.zero(gate)
    if not methods.reads_zero(gate):
        raise methods.unpurged(gate)
    after = "; discarded blocks did not read as zeros" if way.name == "discard" else ""
    return f"zeros written over all blocks (not a drive's own purge), a sample read back as zeros{after}{because}"


def _commands(way: Way, gate: Gate, patience_s: float) -> None:
    done = 0
    try:
        for command in way.commands:
            gate.check()
            told = tools.ask(*command, limit_s=patience_s)
            if told.code:
                raise StepFailed(f"{gate.identity.target} was not purged: `{' '.join(command)}` says: {told.words}")
            done += 1
    except StepFailed as error:
        raise StepFailed(f"{error}{_undone(way) if done else ''}") from error


def _undone(way: Way) -> str:
    """Take back what the commands before the failed one did; what to do by hand where that fails too."""
    for command in way.undo:
        told = tools.ask(*command)
        if told.code:
            return f"; undo it by hand: `{' '.join(command)}` says: {told.words}"
    return "; the password that was set for it is cleared again" if way.undo else ""


def until_over(phrase: str, kind: str, drive: Drive, gate: Gate, tell: Tell, patience_s: float, poll_s: float) -> None:
    """Follow what runs in the drive, by its kind of progress; StepFailed when it fails or takes too long."""
    began, told = time.monotonic(), ""
    while not (now := follow.ask(kind, drive.node, drive.controller)).over:
        if now.words != told:
            tell(f"{phrase}: {now.words}")
            told = now.words
        if time.monotonic() - began > patience_s:
            what = f"{gate.identity.target}: {phrase} was not done within {duration(patience_s)}"
            raise StepFailed(f"{what}; it says: {now.words}")
        time.sleep(poll_s)
    if now.failed:
        raise StepFailed(f"{gate.identity.target}: {phrase} failed; it says: {now.words}")


def _verified(way: Way, gate: Gate, held: dict[int, int]) -> str:
    """What a sample reads as now; StepFailed when any of it is what it was."""
    now = methods.contents(gate)
    if not now:
        return "a sample read back as zeros"
    kept = [at for at, told in now.items() if held.get(at) == told]
    if kept:
        what = f"{gate.identity.target} still holds what it held at byte {kept[0]} after {way.phrase}"
        raise StepFailed(f"{what}; it cannot be trusted")
    return "nothing that a sample held before is read any more"
