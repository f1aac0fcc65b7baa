"""Arrange the drives of one fleet on one host: which may be measured at the same time, decided once before any run.

`python -m stend.fleet.beside` runs the trial in a process that outlives its worker: it reads a `Trial` from standard
input and writes the group.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path

import msgspec

from stend import devices
from stend.base import atomic, regular, untrusted
from stend.base.errors import StendError
from stend.fleet import locks
from stend.fleet.file import Order
from stend.session import apart
from stend.session.request import Request
from stend.session.together import arrange, group, roll

LOOK_S = 0.2
KNOWN = ".arranged.json"
"""File in the fleet's folder with the drives that are arranged already."""


class Trial(msgspec.Struct, frozen=True):
    """The input of the trial: the runs of a group by name, and the descriptors of their drives' locks."""

    folder: str
    wanted: dict[str, Request]
    barrier: bool
    trial_s: float
    fds: tuple[int, ...]


def ready(order: Order, drives: Mapping[str, str], folder: Path, others: Callable[[str], str]) -> str:
    """Make the runs of the order's study a group in the fleet's folder. Return why that failed, or an empty string.

    `drives` are targets by serial number. `others` returns the other fleet that has a drive, or an empty string. A
    single real drive needs no group.
    """
    shared = {serial: cells for serial, cells in order.beside.items() if serial in drives and not others(serial)}
    real = [serial for serial in shared if not drives[serial].startswith("sim:")]
    if len(shared) < 2 or not (len(real) > 1 or order.together):
        return ""
    study, names = folder / order.study_word, {cells[0]: serial for serial, cells in shared.items()}
    with locks.only(folder / ".arranging") as fd:
        if not (folder / group.FILE).exists() or not names.keys() <= _known(folder):
            (folder / group.FILE).unlink(missing_ok=True)
            if failure := _try(order, names, drives, folder, fd):
                return failure
        present = group.load(study).members if (study / group.FILE).exists() else None
        wanted = _of_study(order, names, drives, group.load(folder))
        if present is None or not {member.name for member in wanted.members} <= {member.name for member in present}:
            (study / group.FILE).unlink(missing_ok=True)
            group.create(study, wanted)
        roll.enter(study, roll.BEGINNER)
    return ""


def _try(order: Order, names: dict[str, str], drives: Mapping[str, str], folder: Path, fd: int) -> str:
    """Run the trial of all drives with their locks held. Return why it failed, or an empty string.

    The group has each drive under the name of its first run.
    """
    with ExitStack() as end:
        fds = [fd, *(_lock(serial, end) for serial in names.values())]
        wanted = {
            name: msgspec.structs.replace(order, serial=serial).request(drives[serial], folder)
            for name, serial in names.items()
        }
        trial = Trial(str(folder), wanted, order.together, order.trial_s, tuple(fds))
        log = apart.log_of(folder / "together")
        with regular.appender(log) as output:
            process = subprocess.Popen(
                [sys.executable, "-m", __spec__.name], stdin=subprocess.PIPE, stdout=output, stderr=subprocess.STDOUT,
                start_new_session=True, pass_fds=fds,
            )  # fmt: skip
        process.communicate(msgspec.json.encode(trial))
    return f"the trial of its drives failed: {regular.last_line(log)}" if process.returncode else ""


def _lock(serial: str, end: ExitStack) -> int:
    """Wait for a drive's lock and return its descriptor; `end` releases it."""
    while True:
        with ExitStack() as tried:
            fd = tried.enter_context(locks.drive(serial))
            if fd >= 0:
                end.push(tried.pop_all())
                return fd
        time.sleep(LOOK_S)


def _of_study(order: Order, names: Mapping[str, str], drives: Mapping[str, str], whole: group.Group) -> group.Group:
    """Return the group for the runs of one study, without drives that do not belong to the fleet.

    `names` are the names of the first study.
    """
    number = order.cells.index(order.cell)
    members = []
    for member in (known for known in whole.members if known.name in names):
        serial = names[member.name]
        request = msgspec.structs.replace(order, serial=serial).request(drives[serial], Path())
        name = order.beside[serial][number]
        members.append(msgspec.structs.replace(member, name=name, request=msgspec.structs.replace(request, into=None)))
    return msgspec.structs.replace(whole, members=tuple(members))


def _known(folder: Path) -> set[str]:
    """Return the drives, by the names of their first runs, that the trial included."""
    try:
        return set(msgspec.json.decode(regular.read(folder / KNOWN), type=list[str]))
    except (OSError, *untrusted.BROKEN):
        return set()


def main() -> None:
    """Run the trial (none if its time is 0) and write the group. Leave out drives that cannot be opened."""
    trial = msgspec.json.decode(sys.stdin.buffer.read(), type=Trial)
    wanted, folder = [], Path(trial.folder)
    for request in trial.wanted.values():
        try:
            wanted.append(arrange.Wanted(request, devices.find(request.target).identity))
        except StendError as error:
            _print(f"{request.target}: {error}")
    names = {request.target: name for name, request in trial.wanted.items()}
    arranged, refused = arrange.arranged(
        wanted, folder, barrier=trial.barrier, seconds=trial.trial_s, report=_print, fds=trial.fds
    )
    for target, why in refused.items():
        _print(f"{target}: {why}")
    members = tuple(msgspec.structs.replace(member, name=names[member.request.target]) for member in arranged.members)
    group.create(folder, msgspec.structs.replace(arranged, members=members))
    atomic.write(folder / KNOWN, msgspec.json.encode(sorted(trial.wanted)))


def _print(line: str) -> None:
    sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    main()
