"""Drives of one fleet on one host take turns: who is measured beside whom is found out once, before the first begins.

`python -m stend.fleet.beside` finds it out, in a process that outlives its worker: told `Asked`, it writes the group.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path

import msgspec

from stend import devices
from stend.base import atomic, regular
from stend.base.errors import StendError
from stend.fleet import locks
from stend.fleet.file import Order
from stend.session import apart
from stend.session.request import Request
from stend.session.together import arrange, group, roll

LOOK_S = 0.2
KNOWN = ".arranged.json"
"""For which drives of a fleet it was found out, below the fleet's folder."""


class Asked(msgspec.Struct, frozen=True):
    """The runs of a group by name, and the descriptors of their drives' locks."""

    folder: str
    wanted: dict[str, Request]
    barrier: bool
    trial_s: float
    fds: tuple[int, ...]


def ready(order: Order, drives: Mapping[str, str], folder: Path, others: Callable[[str], str]) -> str:
    """See that the runs of the order's study are a group, below the fleet's folder; why that cannot be, or "".

    `drives` are targets by serial; `others` tells whether a drive is another fleet's. One real drive waits for nobody.
    """
    own = {serial: cells for serial, cells in order.beside.items() if serial in drives and not others(serial)}
    real = [serial for serial in own if not drives[serial].startswith("sim:")]
    if len(own) < 2 or not (len(real) > 1 or order.together):
        return ""
    study, names = folder / order.study_word, {cells[0]: serial for serial, cells in own.items()}
    with locks.only(folder / ".arranging") as fd:
        if not (folder / group.FILE).exists() or not names.keys() <= _known(folder):
            (folder / group.FILE).unlink(missing_ok=True)
            if said := _found_out(order, names, drives, folder, fd):
                return said
        known = group.load(study).members if (study / group.FILE).exists() else None
        all_ = _of_study(order, names, drives, group.load(folder))
        if known is None or not {one.name for one in all_.members} <= {one.name for one in known}:
            (study / group.FILE).unlink(missing_ok=True)
            group.create(study, all_)
        roll.enter(study, roll.BEGINNER)
    return ""


def _found_out(order: Order, names: dict[str, str], drives: Mapping[str, str], folder: Path, mine: int) -> str:
    """The group of all drives, each under the name of its first run, while nobody else works on them."""
    with ExitStack() as end:
        fds = [mine, *(_waited(serial, end) for serial in names.values())]
        wanted = {
            name: msgspec.structs.replace(order, serial=serial).request(drives[serial], folder)
            for name, serial in names.items()
        }
        asked = Asked(str(folder), wanted, order.together, order.trial_s, tuple(fds))
        log = apart.log_of(folder / "together")
        with regular.appender(log) as said:
            process = subprocess.Popen(
                [sys.executable, "-m", __spec__.name], stdin=subprocess.PIPE, stdout=said, stderr=subprocess.STDOUT,
                start_new_session=True, pass_fds=fds,
            )  # fmt: skip
        process.communicate(msgspec.json.encode(asked))
    return f"the trial of its drives ended amid it: {apart.last_words(log)}" if process.returncode else ""


def _waited(serial: str, end: ExitStack) -> int:
    while True:
        with ExitStack() as tried:
            fd = tried.enter_context(locks.drive(serial))
            if fd >= 0:
                end.push(tried.pop_all())
                return fd
        time.sleep(LOOK_S)


def _of_study(order: Order, names: Mapping[str, str], drives: Mapping[str, str], all_: group.Group) -> group.Group:
    """The same group for the runs of one study, without drives that are not, or no more, the fleet's; `names` are of
    the first study."""
    number = order.cells.index(order.cell)
    members = []
    for member in (one for one in all_.members if one.name in names):
        serial = names[member.name]
        request = msgspec.structs.replace(order, serial=serial).request(drives[serial], Path())
        name = order.beside[serial][number]
        members.append(msgspec.structs.replace(member, name=name, request=msgspec.structs.replace(request, into=None)))
    return msgspec.structs.replace(all_, members=tuple(members))


def _known(folder: Path) -> set[str]:
    """The drives, by the names of their first runs, that the group of all was found out for."""
    try:
        return set(msgspec.json.decode(regular.read(folder / KNOWN), type=list[str]))
    except (OSError, msgspec.MsgspecError):
        return set()


def main() -> None:
    """Measure, unless no time is given for it, and write the group; drives that cannot be looked at are left out."""
    asked = msgspec.json.decode(sys.stdin.buffer.read(), type=Asked)
    wanted, folder = [], Path(asked.folder)
    for request in asked.wanted.values():
        try:
            wanted.append(arrange.Wanted(request, devices.find(request.target).identity))
        except StendError as error:
            _tell(f"{request.target}: {error}")
    names = {request.target: name for name, request in asked.wanted.items()}
    own, refused = arrange.arranged(
        wanted, folder, barrier=asked.barrier, seconds=asked.trial_s, report=_tell, fds=asked.fds
    )
    for target, why in refused.items():
        _tell(f"{target}: {why}")
    members = tuple(msgspec.structs.replace(one, name=names[one.request.target]) for one in own.members)
    group.create(folder, msgspec.structs.replace(own, members=members))
    atomic.write(folder / KNOWN, msgspec.json.encode(sorted(asked.wanted)))


def _tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    main()
