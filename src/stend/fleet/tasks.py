"""What a worker does for a fleet, told as data: carry a run to its end, say how runs are, hand them out, stop them.

A run is a process of its own and a folder; what is here begins it, looks on, takes it up again. It can be asked for
the same thing any number of times: whoever asks again finds the run that there is.
"""

import fcntl
import hashlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from stend import whole
from stend.errors import BadInput
from stend.fleet.file import Order
from stend.session import apart, series
from stend.session.together.turns import runtime
from stend.store import writer

LOOK_S, PIECE_BYTES = 0.5, 8 << 20
HOME: Path = Path("fleet")
"""Where this worker keeps its runs; set once, by who starts it."""
DRIVES: dict[str, str] = {}
"""Its drives: serial and target."""


class Outcome(msgspec.Struct, frozen=True):
    """How a run ended, or why it did not begin."""

    cell: str
    outcome: str
    said: str = ""


class Claim(msgspec.Struct, frozen=True):
    """Whose a drive is, until all those runs are done."""

    fleet: str = ""
    cells: tuple[str, ...] = ()


def carry(told: bytes) -> bytes:
    """Begin a run, or take up the one that there is, and look on until it ended: an `Order`, an `Outcome`, as JSON."""
    order = msgspec.json.decode(told, type=Order)
    return msgspec.json.encode(_carried(order))


def halt(fleet: str) -> int:
    """Ask all runs of a fleet to end; how many."""
    asked = 0
    for folder in _folders(fleet):
        held = writer.holder(folder)
        if held.alive:
            with suppress(ProcessLookupError):
                os.kill(held.owner.pid, signal.SIGINT)
                asked += 1
    for claim in (HOME / "claims").glob("*.json"):
        if _claimed(claim).fleet == fleet:
            claim.unlink(missing_ok=True)
    return asked


def states(fleet: str) -> dict[str, str]:
    """What each run of a fleet here is."""
    return {folder.name: _state(folder) for folder in _folders(fleet)}


def listing(fleet: str, cell: str) -> dict[str, tuple[int, str]]:
    """The files of a run: bytes and SHA-256; {} where it is not here."""
    folder = _place(fleet, cell)
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())
    return {str(path.relative_to(folder)): (path.stat().st_size, _hash(path)) for path in files}


def piece(fleet: str, cell: str, name: str, offset: int) -> bytes:
    """A part of a file of a run. BadInput for anything that is none."""
    folder, path = _place(fleet, cell), _place(fleet, cell) / name
    if not path.resolve().is_relative_to(folder.resolve()) or not path.is_file():
        raise BadInput(f"{name} is no file of that run")
    with path.open("rb") as file:
        file.seek(offset)
        return file.read(PIECE_BYTES)


def _carried(order: Order) -> Outcome:
    target = DRIVES.get(order.serial)
    if target is None:
        return Outcome(order.cell, "refused", f"this host has no drive {order.serial}")
    other = _claim(order)
    if other:
        return Outcome(order.cell, "refused", f"the drive {order.serial} belongs to the fleet {other} until that ends")
    folder = _place(order.fleet, order.cell)
    while True:
        with _drive(order.serial) as fd:
            if fd >= 0:  # nobody runs on the drive now, nor can until this is let go or its process ends
                how = series.ended(folder)
                if how in series.FINISHED:
                    return Outcome(order.cell, how or "")
                process = _begun(order, target, folder, fd, again=how is not None)
        if fd >= 0:
            return _ended(order, folder, process.wait())
        time.sleep(LOOK_S)


def _begun(order: Order, target: str, folder: Path, fd: int, *, again: bool) -> "subprocess.Popen[bytes]":
    """The run's own process; the drive's lock is with it as long as it lives."""
    request = order.request(target, folder)
    named = ["--destroy-data", request.destroy] if request.destroy else []
    words = ["resume", str(folder), *named] if again else ["run", *request.words]
    if not again and folder.exists():  # what is left of a run that never started
        shutil.rmtree(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    return apart.begin(words, apart.log_of(folder), (fd,))


def _ended(order: Order, folder: Path, code: int) -> Outcome:
    how = series.ended(folder)
    if how in series.FINISHED:
        return Outcome(order.cell, how or "")
    said = apart.last_words(apart.log_of(folder))
    return Outcome(order.cell, "refused" if code in (2, 3, 4) else how or "cut off", said)


@contextmanager
def _drive(serial: str) -> Iterator[int]:
    """The lock of a drive on this host, for whoever runs on it; -1 where another has it."""
    name = hashlib.blake2b(serial.encode(), digest_size=8).hexdigest()
    fd = os.open(runtime() / f"drive-{name}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield -1
        else:
            yield fd
    finally:
        os.close(fd)


def _claim(order: Order) -> str:
    """Take a drive for a fleet; the name of another one that has it and is not done."""
    name = hashlib.blake2b(order.serial.encode(), digest_size=8).hexdigest()
    path = HOME / "claims" / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    with (path.parent / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        had = _claimed(path)
        if had.fleet and had.fleet != order.fleet and any(_state(_place(had.fleet, c)) != "ended" for c in had.cells):
            return had.fleet
        whole.write(path, msgspec.json.encode(Claim(order.fleet, order.cells)))
    return ""


def _claimed(path: Path) -> Claim:
    try:
        return msgspec.json.decode(path.read_bytes(), type=Claim)
    except (OSError, msgspec.MsgspecError):
        return Claim()


def _state(folder: Path) -> str:
    if series.ended(folder) in series.FINISHED:
        return "ended"
    return "running" if writer.holder(folder).alive else "cut off"


def _folders(fleet: str) -> list[Path]:
    return sorted(path for path in (HOME / "runs" / fleet).glob("*") if path.is_dir())


def _place(fleet: str, cell: str) -> Path:
    """BadInput for names that lead elsewhere."""
    for name in (fleet, cell):
        if "/" in name or name.startswith("."):
            raise BadInput(f"{name} is no name of a run")
    return HOME / "runs" / fleet / cell


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
