"""What a worker does for a fleet, told as data: carry a run to its end, say how runs are, hand them out, stop them.

A run is a process of its own and a folder; what is here begins it, looks on, takes it up again. It can be asked for
the same thing any number of times: whoever asks again finds the run that there is.
"""

import hashlib
import os
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import msgspec

from stend import store
from stend.base.errors import BadInput, StendError
from stend.fleet import beside, locks
from stend.fleet.file import Order, Study
from stend.session import apart, series
from stend.session.together import group, roll
from stend.store import journal, writer

LOOK_S, PIECE_BYTES = 0.5, 8 << 20
HOME: Path = Path(os.devnull)
"""Where this worker keeps its runs; below /dev/null nothing is found or written by other processes."""
DRIVES: dict[str, str] = {}
"""Its drives: serial and target."""


class Outcome(msgspec.Struct, frozen=True):
    """How a run ended, or why it did not begin."""

    cell: str
    outcome: str
    said: str = ""


def carry(told: bytes) -> bytes:
    """Begin a run, or take up the one that there is, and look on until it ended: an `Order`, an `Outcome`, as JSON."""
    order = msgspec.json.decode(told, type=Order)
    try:
        outcome = _carried(order)
    except StendError as error:
        outcome = Outcome(order.cell, "refused", str(error))
    except OSError as error:  # such as a disk that is full
        outcome = Outcome(order.cell, "failed", f"its host cannot begin it: {error.strerror or error}")
    return msgspec.json.encode(outcome)


def halt(fleet: str) -> int:
    """Ask all runs of a fleet to end; how many. Its drives are nobody's then."""
    asked = sum(ask_to_end(fleet, folder.name) for folder in _folders(fleet))
    locks.let_go(HOME, fleet)
    return asked


def ask_to_end(fleet: str, cell: str) -> bool:
    """Ask a run of this host to end; whether there was one."""
    held = writer.holder(_place(fleet, cell))
    if held.alive:
        with suppress(ProcessLookupError):
            os.kill(held.owner.pid, signal.SIGINT)
            return True
    return False


def states(fleet: str) -> dict[str, str]:
    """What each run of a fleet here is."""
    return {folder.name: _state(folder) for folder in _folders(fleet)}


def listing(fleet: str, cell: str) -> dict[str, tuple[int, str]]:
    """The files of a run: bytes and SHA-256; {} where it is not here."""
    folder = _place(fleet, cell)
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())
    return {str(path.relative_to(folder)): (path.stat().st_size, digest(path)) for path in files}


def piece(fleet: str, cell: str, name: str, offset: int) -> bytes:
    """A part of a file of a run. BadInput for anything that is none."""
    folder, path = _place(fleet, cell), _place(fleet, cell) / name
    if not path.resolve().is_relative_to(folder.resolve()) or not path.is_file():
        raise BadInput(f"{name} is no file of that run")
    with path.open("rb") as file:
        file.seek(offset)
        return file.read(PIECE_BYTES)


def otherwise(order: Order) -> str:
    """Why the run that is here is not the one that is ordered: its study was another when it began; else ""."""
    folder = _place(order.fleet, order.cell)
    if not journal.events_of(folder).exists():
        return ""
    before, now = store.manifest(folder), order.request("", folder).manifest
    for name in Study.__struct_fields__:
        if before.get(name) != now.get(name) and (name, now.get(name)) != ("seed", None):
            then, asked = (repr(of[name]) if name in of else "none" for of in (before, now))
            return (
                f"the run that is here was begun with {name} {then}, and the fleet file says {asked} now; "
                "put that back, and new studies at the end, or give the fleet another name"
            )
    return ""


def _carried(order: Order) -> Outcome:
    target = DRIVES.get(order.serial)
    if target is None:
        return Outcome(order.cell, "refused", f"this host has no drive {order.serial}")
    other = locks.claim(HOME, order.serial, locks.Claim(order.fleet, order.cells), _open)
    if other:
        return Outcome(order.cell, "refused", f"the drive {order.serial} belongs to the fleet {other} until that ends")
    folder = _place(order.fleet, order.cell)
    said = beside.ready(
        order, DRIVES, folder.parent.parent, lambda serial: locks.claimed(HOME, serial, order.fleet, _open)
    )
    if said:
        return Outcome(order.cell, "cut off", said)
    while True:
        with locks.drive(order.serial) as fd:
            if fd >= 0:  # nobody runs on the drive now, nor can until this is let go or its process ends
                how = series.ended(folder)
                if why := otherwise(order) if how is not None else "":
                    return Outcome(order.cell, "refused", why)
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
    process = apart.begin(words, apart.log_of(folder), (fd,))
    if (folder.parent / group.FILE).exists():
        roll.enter(folder.parent, folder.name, pid=process.pid)
    return process


def _ended(order: Order, folder: Path, code: int) -> Outcome:
    how = series.ended(folder)
    if how in series.FINISHED:
        return Outcome(order.cell, how or "")
    said = apart.last_words(apart.log_of(folder))
    return Outcome(order.cell, "refused" if code in (2, 3, 4) else how or "cut off", said)


def _state(folder: Path) -> str:
    try:
        if series.ended(folder) in series.FINISHED:
            return "ended"
    except StendError as error:
        return f"cannot be read: {error}"
    return "running" if writer.holder(folder).alive else "cut off"


def _open(fleet: str, cell: str) -> bool:
    return _state(_place(fleet, cell)) != "ended"


def _folders(fleet: str) -> list[Path]:
    return sorted(path for path in (HOME / "runs" / fleet).glob("*/[!.]*") if path.is_dir())


def _place(fleet: str, cell: str) -> Path:
    """BadInput for names that lead elsewhere."""
    for name in (fleet, cell):
        if "/" in name or name.startswith("."):
            raise BadInput(f"{name} is no name of a run")
    return HOME / "runs" / fleet / cell.rpartition("-")[2] / cell


def digest(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
