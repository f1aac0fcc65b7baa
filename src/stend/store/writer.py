"""A run folder has one writer: a kernel lock for as long as it lives, and a word of who it is for those who come after.

The lock (flock) ends with its process, however that ends. The word stays: it tells a restarted host from a killed run,
another host's folder on a share, and a folder that was copied or moved.
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

from stend.base import regular
from stend.base.errors import BadInput, StepFailed
from stend.base.process import ENDING_S, SOON_S, ticks
from stend.host.who import Host, here

OWNER = "writer.json"
OWNER_BYTES = 8192


class Owner(msgspec.Struct, frozen=True, omit_defaults=True):
    """Who has the folder, or had it last: `place` is where it lay, `inode` that of its events.jsonl.

    `ticks` is when its process began: another of the same number began at another time.
    """

    verb: str = ""
    pid: int = 0
    ticks: int = 0
    host: Host = Host()
    place: str = ""
    inode: int = 0
    released: bool = True


class Before(NamedTuple):
    """What taking the folder showed: the host was restarted amid the run; where the folder lay until it was moved."""

    restarted: bool = False
    moved_from: str = ""

    @property
    def said(self) -> tuple[str, ...]:
        """What every report must say of it."""
        restarted = ("the host was restarted amid the run",) if self.restarted else ()
        return (*restarted, *((f"the run folder was moved from {self.moved_from}",) if self.moved_from else ()))


@contextmanager
def sole(folder: Path, verb: str) -> Iterator[Before]:
    """Be the only one who writes a run folder. BadInput, with who has it, where that cannot be."""
    try:
        fd = regular.descriptor(folder / OWNER, os.O_RDWR | os.O_CREAT)
    except OSError as error:
        raise StepFailed(f"{folder} cannot be written: {error.strerror}; mend that, or copy it elsewhere") from error
    try:
        _lock(fd, folder)
        last = _told(fd)
        before = _judged(folder, last)
        pid, place = os.getpid(), _text(folder.resolve())
        own = Owner(verb, pid, ticks(pid), here(), place, _inode(folder), released=False)
        _tell(fd, own)
        try:
            yield before
        finally:
            with suppress(OSError):  # what went wrong with the disk was said already
                _tell(fd, msgspec.structs.replace(own, released=True))
    finally:
        os.close(fd)


def last(folder: Path) -> Owner:
    """Who has the folder, or had it last; nobody where nothing tells."""
    try:
        fd = regular.descriptor(folder / OWNER, os.O_RDONLY)
    except OSError:
        return Owner()
    try:
        return _told(fd)
    finally:
        os.close(fd)


def written_here(folder: Path) -> bool:
    """Whether the run in this folder was last written by this very machine, as far as it tells."""
    owner = last(folder)
    return bool(owner.pid) and owner.host.same_machine(here())


class Holder(NamedTuple):
    """Who writes a run folder: alive or not as this host sees it; None where only another host could know."""

    owner: Owner
    alive: bool | None


def holder(folder: Path) -> Holder:
    """Who has the folder, or had it last, without touching its lock; nobody where nobody told."""
    owner = last(folder)
    if owner.released or not owner.pid:
        return Holder(owner, False)
    now = here()
    if not owner.host.same_machine(now):
        return Holder(owner, None)
    return Holder(owner, owner.host.boot == now.boot and _there(owner))


def _there(owner: Owner) -> bool:
    """Whether its process is: not gone, not on its way out, no other of its number."""
    began = ticks(owner.pid)
    return 0 < began == (owner.ticks or began)


def _text(place: Path) -> str:
    """A path as text whatever this process takes file names for (LC_ALL=C); bytes that are none are written out."""
    return os.fsencode(place).decode(errors="backslashreplace")


def _lock(fd: int, folder: Path) -> None:
    """Waits for who has been killed and has the lock still, until the last it had under way is written."""
    until = time.monotonic() + ENDING_S
    while (owner := _before_me(fd, folder)) is not None:
        if _there(owner) or time.monotonic() > until:
            who = f"`stend {owner.verb}` (process {owner.pid} on {owner.host.name})" if owner.pid else "another stend"
            raise BadInput(f"{folder} is being written by {who}; wait until it ends, or stop it")
        time.sleep(SOON_S)


def _before_me(fd: int, folder: Path) -> Owner | None:
    """Who has the lock; nobody once it is ours."""
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            return _told(fd)
        way = "its file system knows no locks; copy it to one that does"
        raise StepFailed(f"{folder} cannot be locked ({error.strerror}): {way}") from error
    return None


def _told(fd: int) -> Owner:
    """The owner's word; nobody where there is none, or none that can be read."""
    try:
        return msgspec.json.decode(os.pread(fd, OWNER_BYTES, 0).partition(b"\n")[0] or b"{}", type=Owner)
    except (msgspec.DecodeError, ValueError):
        return Owner()


def _tell(fd: int, owner: Owner) -> None:
    """In place, since the lock is on this very file; what was longer before is left behind the line's end."""
    os.pwrite(fd, msgspec.json.encode(owner) + b"\n", 0)
    os.fsync(fd)


def _judged(folder: Path, last: Owner) -> Before:
    """What the last owner's word means for who comes now. BadInput where it forbids to go on."""
    if not last.pid:
        return Before()
    now, there = here(), Path(os.fsdecode(last.place.encode()))
    if not last.host.same_machine(now):
        lives = "" if last.released else f", where `stend {last.verb}` may be running still"
        way = f"go on there, or run anew here; delete {folder / OWNER} if they are one and the same"
        raise BadInput(f"{folder} is a run of another host, {last.host.name}{lives}: {way}")
    if _copy(folder, there):
        raise BadInput(f"{folder} is a copy of {there}, which is there still; go on with that one, or delete it")
    moved = last.place if _inode(folder) != last.inode else ""
    return Before(restarted=not last.released and last.host.boot != now.boot, moved_from=moved)


def _copy(folder: Path, there: Path) -> bool:
    """Whether the place where the run was written holds the same run, in another file."""
    one, other = folder / "events.jsonl", there / "events.jsonl"
    try:
        return not os.path.samefile(one, other) and _head(one) == _head(other)
    except (OSError, ValueError):
        return False


def _head(events: Path) -> Any:
    with regular.reader(events) as file:
        return json.loads(file.readline(OWNER_BYTES) or b"0")


def _inode(folder: Path) -> int:
    try:
        return (folder / "events.jsonl").stat().st_ino
    except OSError:
        return 0
