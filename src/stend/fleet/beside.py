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
from stend.errors import StendError
from stend.fleet import locks
from stend.fleet.file import Order
from stend.session import apart
from stend.session.request import Request
from stend.session.together import arrange, group, turns

LOOK_S = 0.2


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
    study = folder / order.study_word
    with locks.only(folder / ".arranging") as fd:
        if not (folder / group.WORD).exists():
            said = _found_out(order, {own[serial][0]: serial for serial in own}, drives, folder, fd)
            if said:
                return said
        if not (study / group.WORD).exists():
            group.create(study, _of_study(order, own, drives, group.load(folder)))
        turns.say(study, turns.BEGINNER)
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
        with log.open("ab") as said:
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


def _of_study(
    order: Order, own: Mapping[str, tuple[str, ...]], drives: Mapping[str, str], all_: group.Group
) -> group.Group:
    """The same group for the runs of one study."""
    number = order.cells.index(order.cell)
    serials = {drives[serial]: serial for serial in own}
    members = []
    for member in all_.members:
        serial = serials[member.request.target]
        request = msgspec.structs.replace(order, serial=serial).request(member.request.target, Path())
        name = own[serial][number]
        members.append(msgspec.structs.replace(member, name=name, request=msgspec.structs.replace(request, into=None)))
    return msgspec.structs.replace(all_, members=tuple(members))


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
        wanted, folder, barrier=asked.barrier, seconds=asked.trial_s, tell=_tell, fds=asked.fds
    )
    for target, why in refused.items():
        _tell(f"{target}: {why}")
    members = tuple(msgspec.structs.replace(one, name=names[one.request.target]) for one in own.members)
    group.create(folder, msgspec.structs.replace(own, members=members))


def _tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")


if __name__ == "__main__":
    main()
