"""Let only one process write a run folder: a kernel lock, and a file that names the owner after the lock ended.

The lock (flock) ends with its process, for whatever reason. The file stays. It distinguishes a restarted host from a
killed run, another host's folder on a share, and a folder that was copied or moved.
"""

import errno
import fcntl
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from stend.base import regular, untrusted
from stend.base.errors import BadInput, StepFailed, unwritable
from stend.base.process import ENDING_S, SOON_S, ticks
from stend.host.who import Host, here
from stend.words import Sentence

OWNER = "writer.json"
OWNER_BYTES = 8192


class Owner(msgspec.Struct, frozen=True, omit_defaults=True):
    """The present or last owner of a folder. `place` is the folder's path then, `inode` that of its events.jsonl.

    `ticks` is the start time of its process, because another process may get the same number later.
    """

    verb: str = ""
    pid: int = 0
    ticks: int = 0
    host: Host = Host()
    place: str = ""
    inode: int = 0
    released: bool = True


class Before(NamedTuple):
    """State found when the folder was locked: a restart of the host during the run, the former path of the folder."""

    restarted: bool = False
    moved_from: str = ""

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """Return the sentences about it that every report must show."""
        restarted = (Sentence("restarted"),) if self.restarted else ()
        return (*restarted, *((Sentence("moved", place=self.moved_from),) if self.moved_from else ()))


@contextmanager
def sole(folder: Path, verb: str) -> Iterator[Before]:
    """Hold a run folder as its only writer. Raise BadInput, which names the owner, if that is not possible."""
    try:
        fd = regular.descriptor(folder / OWNER, os.O_RDWR | os.O_CREAT)
    except OSError as error:
        raise unwritable(folder, error, "fix that, or copy it elsewhere") from error
    try:
        _lock(fd, folder)
        last = _read_owner(fd)
        before = _judged(folder, last)
        pid, place = os.getpid(), _text(folder.resolve())
        events = _events(folder)
        owner = Owner(verb, pid, ticks(pid), here(), place, events.st_ino if events else 0, released=False)
        _write_owner(fd, owner)
        try:
            yield before
        finally:
            now, left = _events(folder), msgspec.structs.replace(owner, released=True)
            if last.pid and now and events and now.st_size == events.st_size:
                left = last  # what was found is still to be recorded by the next owner
            with suppress(OSError):  # an error of the disk was reported already
                _write_owner(fd, left)
    finally:
        os.close(fd)


def last(folder: Path) -> Owner:
    """Return the present or last owner of the folder, or an empty Owner if the file cannot be read."""
    try:
        fd = regular.descriptor(folder / OWNER, os.O_RDONLY)
    except OSError:
        return Owner()
    try:
        return _read_owner(fd)
    finally:
        os.close(fd)


def written_here(folder: Path) -> bool:
    """Return True if the last owner of this folder ran on this machine, as far as the record shows."""
    owner = last(folder)
    return bool(owner.pid) and owner.host.same_machine(here())


class Holder(NamedTuple):
    """Owner of a run folder, and whether its process is alive, or None if only another host could know."""

    owner: Owner
    alive: bool | None


def holder(folder: Path) -> Holder:
    """Return the present or last owner of the folder without touching its lock."""
    owner = last(folder)
    if owner.released or not owner.pid:
        return Holder(owner, False)
    now = here()
    if not owner.host.same_machine(now):
        return Holder(owner, None)
    return Holder(owner, owner.host.boot == now.boot and _is_alive(owner))


def _is_alive(owner: Owner) -> bool:
    """Return True if the owner's process exists, is not exiting, and has the recorded start time."""
    began = ticks(owner.pid)
    return bool(began) and began == (owner.ticks or began)


def _text(place: Path) -> str:
    """Return a path as text in any locale (LC_ALL=C). Bytes that are not UTF-8 are escaped."""
    return os.fsencode(place).decode(errors="backslashreplace")


def _lock(fd: int, folder: Path) -> None:
    """Lock the folder. Wait for a killed process that still holds the lock until its last write is done."""
    until = time.monotonic() + ENDING_S
    while (owner := _try_lock(fd, folder)) is not None:
        if _is_alive(owner) or time.monotonic() > until:
            process = f"`stend {owner.verb}` (process {owner.pid} on {owner.host.name})"
            writer = process if owner.pid else "another stend"
            raise BadInput(f"{folder} is being written by {writer}; wait until it ends, or stop it")
        time.sleep(SOON_S)


def _try_lock(fd: int, folder: Path) -> Owner | None:
    """Try to lock. Return the owner of the lock, or None once this process has locked the folder."""
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            return _read_owner(fd)
        reason = "its file system does not support locks; copy it to one that does"
        raise StepFailed(f"{folder} cannot be locked ({error.strerror}): {reason}") from error
    return None


def _read_owner(fd: int) -> Owner:
    """Return the owner in the file, or an empty Owner if it cannot be read."""
    try:
        return msgspec.json.decode(os.pread(fd, OWNER_BYTES, 0).partition(b"\n")[0] or b"{}", type=Owner)
    except untrusted.BROKEN:
        return Owner()


def _write_owner(fd: int, owner: Owner) -> None:
    """Write the owner in place, because the lock is on this file."""
    os.ftruncate(fd, os.pwrite(fd, msgspec.json.encode(owner) + b"\n", 0))
    os.fsync(fd)


def _judged(folder: Path, last: Owner) -> Before:
    """Return what the last owner means for this process. Raise BadInput if it must not continue the run."""
    if not last.pid:
        return Before()
    now, there = here(), Path(os.fsdecode(last.place.encode()))
    if not last.host.same_machine(now):
        running = "" if last.released else f", where `stend {last.verb}` may be running still"
        advice = f"continue there, or start a new run here; delete {folder / OWNER} if this is the same machine"
        raise BadInput(f"{folder} is a run of another host, {last.host.name}{running}: {advice}")
    if _copy(folder, there):
        raise BadInput(f"{folder} is a copy of {there}, which still exists; continue that one, or delete it")
    events = _events(folder)
    moved = last.place if (events.st_ino if events else 0) != last.inode else ""
    return Before(restarted=not last.released and last.host.boot != now.boot, moved_from=moved)


def _copy(folder: Path, there: Path) -> bool:
    """Return True if the place where the run was written holds the same run in another file."""
    here, other = folder / "events.jsonl", there / "events.jsonl"
    try:
        return not os.path.samefile(here, other) and _head(here) == _head(other)
    except (OSError, ValueError):
        return False


def _head(events: Path) -> Any:
    with regular.reader(events) as file:
        return json.loads(file.readline(OWNER_BYTES) or b"0")


def _events(folder: Path) -> os.stat_result | None:
    try:
        return (folder / "events.jsonl").stat()
    except OSError:
        return None
