"""Run the purge that the table decided: its commands, progress and time limit, and read a sample back."""

import time
from collections.abc import Callable

from stend.base.errors import Refused, StepFailed
from stend.base.units import MB
from stend.devices.purging import follow, methods
from stend.devices.purging.table import Drive, No, Way, decide, lesser
from stend.devices.telling import tools
from stend.gate import Gate
from stend.words import Sentence, text

LEAST_LIMIT_S = 900.0
SLOWEST_BYTES_PER_S = 40 * MB
"""A drive that erases more slowly than a disk writes is stuck."""
POLL_S = 1.0
MOST_LOST = 8
"""Unreadable parts of a sample before a purge, which may repair them. A read that fails can take minutes."""

Report = Callable[[str], None]


def limit_s(capacity_bytes: int) -> float:
    """Return the time limit of a purge in seconds: the time to write every block at 40 MB/s, at least 15 minutes."""
    return max(LEAST_LIMIT_S, capacity_bytes / SLOWEST_BYTES_PER_S)


def purge(drive: Drive, gate: Gate, *, report: Report, limit: float = 0, poll_s: float = POLL_S) -> Sentence:
    """Purge a drive through its opened gate. Return the method in one sentence.

    `limit` is in seconds. 0 takes `limit_s`. Raise Refused if the table refuses, StepFailed with the drive's words if
    the purge fails, takes too long, or leaves data.
    """
    gate.check()
    if not gate.writes:
        raise Refused(f"{gate.identity.target} was opened for reading only; open it for writing to purge it")
    way = decide(drive)
    if isinstance(way, No):
        raise Refused(f"{gate.identity.target} is not purged: {way.why}")
    if way.lesser:
        return _lesser(way, gate)
    held = methods.contents(gate, lost=MOST_LOST)
    report(f"{way.phrase}: {' '.join(way.commands[0])}")
    patience = limit or limit_s(gate.identity.capacity_bytes)
    _run_commands(way, gate, report, patience)
    if way.follow:
        until_over(way.phrase, way.follow, drive, gate, report, patience, poll_s)
    gate.check()
    return purged(way.phrase, _verified(way, gate, held))


def purged(way: Sentence, *results: Sentence) -> Sentence:
    """Return the method of a purge: the way, and what a check of it found."""
    return Sentence("purged", way=way, check=Sentence("parts", parts=list(results)))


def _lesser(way: Way, gate: Gate) -> Sentence:
    """Discard or zero all blocks. Return the method in one sentence."""
    zeros = Sentence("purge_zeros")
    if way.name == "discard" and methods.discard(gate) and methods.reads_zero(gate):
        return purged(way.phrase, zeros, *way.instead)
    methods.zero(gate)
    if not methods.reads_zero(gate):
        raise methods.unpurged(gate)
    after = [Sentence("purge_undiscarded")] if way.name == "discard" else []
    return purged(lesser("purge_zeroed"), zeros, *after, *way.instead)


def _run_commands(way: Way, gate: Gate, report: Report, patience_s: float) -> None:
    """Run the commands. Undo the finished ones if one fails or the operator stops it, because they set a password."""
    done = 0
    try:
        for command in way.commands:
            gate.check()
            output = tools.run(*command, limit_s=patience_s)
            if output.code:
                words = {"target": gate.identity.target, "command": " ".join(command), "words": text(output.words)}
                raise StepFailed(Sentence("purge_printed", **words))
            done += 1
    except StepFailed as error:
        after = [_undone(way)] if done and way.undo else []
        raise StepFailed(Sentence("parts", parts=[text(str(error)), *after])) from error
    except KeyboardInterrupt:
        if done and way.undo:
            report(_undone(way))
        raise


def _undone(way: Way) -> Sentence:
    """Undo the commands before the failed one. Return the result, or what to do by hand if that fails too."""
    for command in way.undo:
        output = tools.try_run(*command)
        if output.code:
            return Sentence("purge_undo", command=" ".join(command), words=text(output.words))
    return Sentence("purge_undone")


def until_over(
    phrase: str, kind: str, drive: Drive, gate: Gate, report: Report, patience_s: float, poll_s: float
) -> None:
    """Wait until the command in the drive ends and report its progress. Raise StepFailed if it fails or times out."""
    try:
        now = _ended(phrase, kind, drive, gate, report, patience_s, poll_s)
    except KeyboardInterrupt:
        report(f"{phrase}: it is still running in the drive, which ends it alone; leave the drive powered")
        raise
    if now.failed:
        raise StepFailed(Sentence("purge_failed", target=gate.identity.target, way=phrase, words=now.words))


def _ended(
    phrase: str, kind: str, drive: Drive, gate: Gate, report: Report, patience_s: float, poll_s: float
) -> follow.Progress:
    """Return the last progress of the command in the drive. Raise StepFailed if it times out."""
    began, last = time.monotonic(), ""
    while not (now := follow.progress(kind, drive.node, drive.controller)).over:
        if now.words != last:
            report(f"{phrase}: {now.words}")
            last = now.words
        if time.monotonic() - began > patience_s:
            took = {"target": gate.identity.target, "way": phrase, "s": patience_s, "words": now.words}
            raise StepFailed(Sentence("purge_late", **took))
        time.sleep(poll_s)
    return now


def _verified(way: Way, gate: Gate, held: dict[int, int]) -> Sentence:
    """Return what a sample reads as after the purge. Raise StepFailed if a part of it is unchanged.

    A part that was erased before, such as one outside the active range, reads as FF again.
    """
    now = methods.contents(gate)
    if not now:
        return Sentence("purge_zeros")
    if methods.reads_ones(now):
        return Sentence("purge_ones")
    kept = [at for at, content in now.items() if held.get(at) == content]
    if kept:
        raise StepFailed(Sentence("purge_kept", target=gate.identity.target, at=kept[0], way=way.phrase))
    return Sentence("purge_changed")
