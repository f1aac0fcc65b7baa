"""What a fleet holds on a host: a drive's lock while a process works on it, and a claim until its runs are done."""

import fcntl
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from stend.base import atomic, regular
from stend.session.together.turns import runtime


class Claim(msgspec.Struct, frozen=True):
    """Whose a drive is, until all those runs are done."""

    fleet: str = ""
    cells: tuple[str, ...] = ()


@contextmanager
def drive(serial: str) -> Iterator[int]:
    """The lock of a drive on this host, for whoever works on it; -1 where another has it."""
    fd = regular.descriptor(runtime() / f"drive-{_hash(serial)}", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield -1
        else:
            yield fd
    finally:
        os.close(fd)


@contextmanager
def only(path: Path) -> Iterator[int]:
    """Nobody else is here meanwhile, nor as long as a process has this descriptor."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fd = regular.descriptor(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield fd
    finally:
        os.close(fd)


def claim(home: Path, serial: str, own: Claim, open_: Callable[[str, str], bool]) -> str:
    """Take a drive for a fleet; the name of another one that has it, of whose runs one is `open_` (fleet, cell)."""
    with only(home / "claims" / "lock"):
        other = claimed(home, serial, own.fleet, open_)
        if not other:
            atomic.write(_place(home, serial), msgspec.json.encode(own))
    return other


def claimed(home: Path, serial: str, fleet: str, open_: Callable[[str, str], bool]) -> str:
    """Which other fleet has a drive."""
    had = _told(_place(home, serial))
    return had.fleet if had.fleet not in ("", fleet) and any(open_(had.fleet, cell) for cell in had.cells) else ""


def let_go(home: Path, fleet: str) -> None:
    """The drives of a fleet are nobody's from now on."""
    for path in (home / "claims").glob("*.json"):
        if _told(path).fleet == fleet:
            path.unlink(missing_ok=True)


def _place(home: Path, serial: str) -> Path:
    return home / "claims" / f"{_hash(serial)}.json"


def _told(path: Path) -> Claim:
    try:
        return msgspec.json.decode(regular.read(path), type=Claim)
    except (OSError, msgspec.MsgspecError):
        return Claim()


def _hash(serial: str) -> str:
    return hashlib.blake2b(serial.encode(), digest_size=8).hexdigest()
