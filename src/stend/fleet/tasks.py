"""The functions that a worker calls for a fleet: carry out a run, return states and files of runs, and stop them.

A run is a separate process and a folder. These functions start it, wait for it and resume it. They may be called any
number of times for the same order: a repeated call finds the existing run.
"""

import os
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import msgspec

from stend import store
from stend.base import regular
from stend.base.errors import BadInput, StendError
from stend.fleet import beside, locks
from stend.fleet.file import Order, Study
from stend.session import apart, series
from stend.session.together import group, roll
from stend.store import journal, writer

LOOK_S, PIECE_BYTES = 0.5, 8 << 20
HOME: Path = Path(os.devnull)
"""Folder for the runs of this worker; below /dev/null, the default, nothing can be read or written."""
DRIVES: dict[str, str] = {}
"""Targets of its drives by serial number."""


class Outcome(msgspec.Struct, frozen=True):
    """How a run ended, or why it did not start."""

    cell: str
    outcome: str
    said: str = ""


def carry(data: bytes) -> bytes:
    """Start or resume the run of an order and wait until it ends: an `Order` in, an `Outcome` out, both as JSON."""
    order = msgspec.json.decode(data, type=Order)
    try:
        outcome = _carry(order)
    except StendError as error:
        outcome = Outcome(order.cell, "refused", str(error))
    except OSError as error:  # such as a disk that is full
        outcome = Outcome(order.cell, "failed", f"its host cannot start it: {error.strerror or error}")
    return msgspec.json.encode(outcome)


def halt(fleet: str) -> int:
    """Ask all runs of a fleet to end and release its drives. Return how many runs."""
    count = sum(ask_to_end(fleet, folder.name) for folder in _folders(fleet))
    locks.let_go(HOME, fleet)
    return count


def ask_to_end(fleet: str, cell: str) -> bool:
    """Send a run of this host a request to end. Return whether it was running."""
    held = writer.holder(_place(fleet, cell))
    if held.alive:
        with suppress(ProcessLookupError):
            os.kill(held.owner.pid, signal.SIGINT)
            return True
    return False


def states(fleet: str) -> dict[str, str]:
    """Return the state of each run of a fleet on this host."""
    return {folder.name: _state(folder) for folder in _folders(fleet)}


def listing(fleet: str, cell: str) -> dict[str, tuple[int, str]]:
    """Return the size in bytes and SHA-256 of each file of a run, or {} if the run is not here."""
    folder = _place(fleet, cell)
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())
    return {str(path.relative_to(folder)): (path.stat().st_size, regular.digest(path)) for path in files}


def piece(fleet: str, cell: str, name: str, offset: int) -> bytes:
    """Return up to PIECE_BYTES of a file of a run from an offset. Raise BadInput for any other file."""
    folder, path = _place(fleet, cell), _place(fleet, cell) / name
    if not path.resolve().is_relative_to(folder.resolve()) or not path.is_file():
        raise BadInput(f"{name} is not a file of that run")
    with path.open("rb") as file:
        file.seek(offset)
        return file.read(PIECE_BYTES)


def otherwise(order: Order) -> str:
    """Return why the existing run does not match the order (its study was different), or an empty string."""
    folder = _place(order.fleet, order.cell)
    if not journal.is_run(folder):
        return ""
    before, now = store.manifest(folder), order.request("", folder).manifest
    for name in Study.__struct_fields__:
        if before.get(name) != now.get(name) and (name, now.get(name)) != ("seed", None):
            then, wanted = (repr(of[name]) if name in of else "none" for of in (before, now))
            return (
                f"the existing run was started with {name} {then}, but the fleet file has {wanted} now; "
                "restore that and add new studies at the end, or give the fleet another name"
            )
    return ""


def _carry(order: Order) -> Outcome:
    if why := order.study.refusal:
        raise BadInput(why)
    target = DRIVES.get(order.serial)
    if target is None:
        return Outcome(order.cell, "refused", f"this host has no drive {order.serial}")
    other = locks.claim(HOME, order.serial, locks.Claim(order.fleet, order.cells), _open)
    if other:
        return Outcome(order.cell, "refused", f"the drive {order.serial} belongs to the fleet {other} until that ends")
    folder = _place(order.fleet, order.cell)
    failure = beside.ready(
        order, DRIVES, folder.parent.parent, lambda serial: locks.claimed(HOME, serial, order.fleet, _open)
    )
    if failure:
        return Outcome(order.cell, "cut off", failure)
    while True:
        with locks.drive(order.serial) as fd:
            if fd >= 0:  # no process uses the drive, and none can until this lock is released
                how = series.ended(folder)
                if why := otherwise(order) if how is not None else "":
                    return Outcome(order.cell, "refused", why)
                if how in series.FINISHED:
                    return Outcome(order.cell, how or "")
                process = _start(order, target, folder, fd, again=how is not None)
        if fd >= 0:
            return _outcome(order, folder, process.wait())
        time.sleep(LOOK_S)


def _start(order: Order, target: str, folder: Path, fd: int, *, again: bool) -> "subprocess.Popen[bytes]":
    """Start or resume the run as a process that inherits the drive's lock."""
    request = order.request(target, folder)
    named = ["--destroy-data", request.destroy] if request.destroy else []
    words = ["resume", str(folder), *named] if again else request.command
    if not again and folder.exists():  # left by a run that never started
        shutil.rmtree(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    process = apart.begin(words, apart.log_of(folder), (fd,))
    if (folder.parent / group.FILE).exists():
        roll.enter(folder.parent, folder.name, pid=process.pid)
    return process


def _outcome(order: Order, folder: Path, code: int) -> Outcome:
    how = series.ended(folder)
    if how in series.FINISHED:
        return Outcome(order.cell, how or "")
    message = f"its process was ended by signal {-code}" if code < 0 else regular.last_line(apart.log_of(folder))
    return Outcome(order.cell, "refused" if code in (2, 3, 4) else how or "cut off", message)


def _state(folder: Path) -> str:
    """Return "ended" for a run that is complete, "running", how it ended otherwise, or "cut off" if it did not end."""
    try:
        how = series.ended(folder)
    except StendError as error:
        return f"cannot be read: {error}"
    if how in series.FINISHED:
        return "ended"
    return "running" if writer.holder(folder).alive else how or "cut off"


def _open(fleet: str, cell: str) -> bool:
    return _state(_place(fleet, cell)) != "ended"


def _folders(fleet: str) -> list[Path]:
    return sorted(path for path in (HOME / "runs" / fleet).glob("*/[!.]*") if path.is_dir())


def _place(fleet: str, cell: str) -> Path:
    """Return the folder of a run. Raise BadInput for names that lead elsewhere."""
    study = cell.rpartition("-")[2]
    for name in (fleet, cell, study):
        if not name or "/" in name or name.startswith("."):
            raise BadInput(f"{name or cell} is not a name of a run")
    return HOME / "runs" / fleet / study / cell
