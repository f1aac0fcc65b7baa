"""Several drives at once: each run a process of its own, which goes on whatever becomes of this one or of another."""

import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import msgspec
import typer

from stend import catalogue, devices, session, store
from stend.base.errors import STOPPED_EXIT_CODE, BadInput, Refused, StendError
from stend.base.text import plain
from stend.base.units import latency
from stend.cli import _terminal, _view
from stend.live.follow import Follower
from stend.live.state import way_on
from stend.model.definition import Identity
from stend.session import apart, series
from stend.session.stopping import Stop
from stend.session.together import arrange, group, roll, skew

LOOK_S, TELL_S = 0.2, 30.0


def named(targets: Sequence[str], destroy: Sequence[str]) -> dict[str, str]:
    """What is named to be destroyed by target, of words `TARGET=NAME`. BadInput for any other."""
    found = {}
    for word in destroy:
        target = next((one for one in targets if word.startswith(f"{one}=")), None)
        if target is None:
            raise BadInput(f"--destroy-data {word} names no target; of several drives it is written TARGET=NAME")
        found[target] = word.removeprefix(f"{target}=")
    return found


def requests(one: session.Request, targets: Sequence[str], destroy: Sequence[str]) -> list[session.Request]:
    """The same run asked for of each target."""
    if one.create:
        raise BadInput(
            "--create makes one file for one run; for several, make the files first (`fallocate -l 1GiB FILE`) and "
            "name each by --overwrite-file too"
        )
    names = named(targets, destroy)
    return [msgspec.structs.replace(one, target=own, destroy=names.get(own), into=None) for own in targets]


def begin(asked: Sequence[session.Request], into: Path | None, *, barrier: bool, trial_s: float, apart: bool) -> int:
    """Find out who may be measured beside whom, begin all runs, and look on; the worst exit code."""
    folder = into or Path("runs") / f"{datetime.now():%Y%m%d-%H%M%S}-{len(asked)}-drives"
    if folder.exists() and any(folder.iterdir()):
        raise BadInput(f"{folder} is not empty; name a new one with --into")
    able, refused = _able(asked)
    arrange.once(able)
    own, shut = arrange.arranged(able, folder, barrier=barrier, seconds=trial_s, report=typer.echo)
    for target, why in shut.items():
        print(f"stend: {target}: {why}; it is left out", file=sys.stderr)
    if not own.members:
        return Refused.exit_code
    group.create(folder, own)
    worst = go(folder, {one.target: one.destroy or "" for one, _ in able}, asked[0].overwrite, apart=apart)
    return max(worst, refused, Refused.exit_code if shut else 0)


def _able(asked: Sequence[session.Request]) -> tuple[list[arrange.Wanted], int]:
    """Those whose drive is there and can be planned for; of the others it is said why. The first's reason if none."""
    able, errors = [], list[StendError]()
    for request in asked:
        try:
            drive = session.planned(request).device
            able.append(arrange.Wanted(_meant(request, drive), drive))
        except StendError as error:
            errors.append(error)
            print(f"stend: {request.target}: {error}; it is left out", file=sys.stderr)
    if not able:
        raise errors[0]
    return able, max((error.exit_code for error in errors), default=0)


def _meant(request: session.Request, drive: Identity) -> session.Request:
    """With the name of its drive, asked for at a terminal; Refused where nobody names it."""
    name = devices.name(drive)
    if request.destroy or not name:
        return request
    typed = _terminal.Terminal().names(devices.find(request.target))
    if not typed:
        would = f"{devices.loss(drive)}; all of it would be destroyed"
        raise Refused(f"{would}; if you mean that, add --destroy-data {shlex.quote(f'{request.target}={name}')}")
    return msgspec.structs.replace(request, destroy=typed)


def go(folder: Path, destroy: dict[str, str], overwrite: tuple[str, ...] = (), *, apart: bool = False) -> int:
    """Begin, or go on with, what is left of a group."""
    own = group.load(folder)
    roll.enter(folder, roll.BEGINNER)
    left = list(own.left(folder))
    for one in left:
        if one.pid:
            typer.echo(f"{one.member.request.target}: goes on by itself, process {one.pid}")
    runs = [_begun(folder, one, destroy.get(one.member.request.target, ""), overwrite) for one in left if not one.pid]
    if apart:
        typer.echo(f"{len(runs)} runs go on by themselves; `stend serve {shlex.quote(str(folder))}` shows them all")
        return 0
    worst = Watched(runs).until_all_ended()
    _end(folder, own)
    return worst


class Begun(NamedTuple):
    """A run that goes on by itself."""

    member: group.Member
    folder: Path
    process: subprocess.Popen[bytes]


def _begun(folder: Path, left: group.Left, named: str, overwrite: tuple[str, ...]) -> Begun:
    """Its process, which has no terminal and says what it does in a log beside its folder."""
    own = {"into": str(left.folder), "destroy": named or None, "overwrite": overwrite}
    request = msgspec.structs.replace(left.member.request, **own)
    files = [f"--overwrite-file={one}" for one in overwrite]
    again = ["resume", str(left.folder), *(["--destroy-data", named] if named else ()), *files]
    words = again if left.begun else ["run", *request.words]
    process = apart.begin(words, apart.log_of(left.folder))
    roll.enter(folder, left.member.name, pid=process.pid)
    typer.echo(f"{request.target}: {left.folder}, process {process.pid}")
    return Begun(left.member, left.folder, process)


class Watched(Stop):
    """Looks on; Ctrl-C and SIGTERM are handed on to all, a terminal that is closed is nobody's end."""

    def __init__(self, runs: Sequence[Begun]) -> None:
        super().__init__()
        self.runs, self.going, self.told = runs, list(runs), time.monotonic()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._hand_on)

    def _hand_on(self, number: int, frame: object) -> None:
        self.asked = True
        for one in self.going:
            one.process.send_signal(number)

    def until_all_ended(self) -> int:
        """The worst of their exit codes, each told when it is known."""
        while self.going:
            time.sleep(LOOK_S)
            for one in [one for one in self.going if one.process.poll() is not None]:
                self.going.remove(one)
                self._ended(one)
            if self.going and time.monotonic() - self.told > TELL_S:
                self.told = time.monotonic()
                for one in self.going:
                    typer.echo(f"{one.member.request.target}: {_line(one.folder)}")
        codes = [one.process.returncode for one in self.runs]
        return STOPPED_EXIT_CODE if self.asked else max((code if code >= 0 else 5 for code in codes), default=0)

    def _ended(self, one: Begun) -> None:
        code, target = one.process.returncode, one.member.request.target
        if code == 0:
            typer.echo(f"{target}: {series.ended(one.folder)}: {one.folder}")
            return
        how = f"was killed by signal {-code}; {way_on(one.folder)}" if code < 0 else _last_words(one.folder)
        print(f"stend: {target}: {plain(how)}", file=sys.stderr)


def _last_words(folder: Path) -> str:
    """What a run said last, without its own name before it."""
    return apart.last_words(apart.log_of(folder)).removeprefix("stend: ")


def _line(folder: Path) -> str:
    """Where a run is."""
    try:
        one = Follower(folder)
        for _ in one.news():
            pass
    except StendError as error:
        return str(error)
    course, at = one.course, one.course.at
    if not at:
        return "nearly done" if course.started else "waits to begin"
    return f"{at.test}, {at.phase}, round {at.round}; {_view.to_go(course)}"


def _end(folder: Path, own: group.Group) -> None:
    """What is to be said of all of them: how far apart they began, by how much they moved each other."""
    catalogue.learn(folder)
    folders = [folder / one.name for one in own.members]
    runs = [store.load(one) for one in folders if series.ended(one) in series.FINISHED]
    typer.echo(f"{len(runs)} of {len(folders)} runs are complete: {folder}")
    if own.barrier:
        for (test, phase), apart_s in skew.skews(runs).items():
            typer.echo(f"{test}, {phase}: began within {latency(apart_s)} of each other")
    for one in own.members:
        for line in one.told[:1]:
            typer.echo(f"{'! ' if one.disturbed else ''}{one.request.target}: {line}")
    if len(runs) < len(folders):
        typer.echo(way_on(folder))
