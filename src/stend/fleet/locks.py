"""Locks and claims on drives: a lock while a process works on a drive, a claim until a fleet's runs on it are done."""

import fcntl
import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from stend.base import atomic, regular, untrusted
from stend.session.together.turns import runtime


class Claim(msgspec.Struct, frozen=True):
    """The fleet that a drive belongs to until these runs are done."""

    fleet: str = ""
    cells: tuple[str, ...] = ()


@contextmanager
def drive(serial: str) -> Iterator[int]:
    """Hold the lock of a drive on this host and yield its descriptor, or -1 if another process has it."""
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
    """Wait for the exclusive lock of a file and yield its descriptor. A process that inherits it keeps the lock."""
    path.parent.mkdir(parents=True, exist_ok=True)
    fd = regular.descriptor(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield fd
    finally:
        os.close(fd)


def claim(home: Path, serial: str, wanted: Claim, open_: Callable[[str, str], bool]) -> str:
    """Claim a drive for a fleet. Return the name of another fleet that has it, or an empty string.

    Another fleet has the drive as long as `open_(fleet, cell)` is true for any of its runs.
    """
    with only(home / "claims" / "lock"):
        other = claimed(home, serial, wanted.fleet, open_)
        if not other:
            atomic.write(_place(home, serial), msgspec.json.encode(wanted))
    return other


def claimed(home: Path, serial: str, fleet: str, open_: Callable[[str, str], bool]) -> str:
    """Return the other fleet that has a drive, or an empty string."""
    had = _read(_place(home, serial))
    return had.fleet if had.fleet not in ("", fleet) and any(open_(had.fleet, cell) for cell in had.cells) else ""


def let_go(home: Path, fleet: str) -> None:
    """Remove all claims of a fleet."""
    for path in (home / "claims").glob("*.json"):
        if _read(path).fleet == fleet:
            path.unlink(missing_ok=True)


def _place(home: Path, serial: str) -> Path:
    return home / "claims" / f"{_hash(serial)}.json"


def _read(path: Path) -> Claim:
    try:
        return msgspec.json.decode(regular.read(path), type=Claim)
    except (OSError, *untrusted.BROKEN):
        return Claim()


def _hash(serial: str) -> str:
    return hashlib.blake2b(serial.encode(), digest_size=8).hexdigest()
