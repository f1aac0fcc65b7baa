"""Runs on several drives at once: each is a separate process that continues if this one or another ends."""

import shlex
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import msgspec
import typer

from stend import catalogue, devices, session, store
from stend.base import regular
from stend.base.errors import GATE_FAILED_EXIT_CODE, STOPPED_EXIT_CODE, BadInput, Refused, StendError
from stend.base.text import plain
from stend.base.units import latency
from stend.cli import _ends, _options, _terminal
from stend.live import clock
from stend.live.follow import Follower
from stend.live.state import way_on
from stend.model.definition import Identity
from stend.planning import plan
from stend.session import apart, series
from stend.session.stopping import Stop
from stend.session.together import arrange, group, roll, skew

LOOK_S, SHOW_S = 0.2, 30.0


def named(targets: Sequence[str], destroy: Sequence[str]) -> dict[str, str]:
    """Return the names given as `--destroy-data TARGET=NAME`, by target. Raise BadInput for any other form."""
    names, others = _options.by_target(targets, destroy)
    if others:
        raise BadInput(f"--destroy-data {others[0]} names no target; for several drives write TARGET=NAME")
    return names


def requests(template: session.Request, targets: Sequence[str], destroy: Sequence[str]) -> list[session.Request]:
    """Return one request per target, all else as in `template`. Raise BadInput for `--create`."""
    if template.create:
        raise BadInput(
            "--create makes one file for one run; for several runs, create the files first (`fallocate -l 1GiB FILE`) "
            "and name each by --overwrite-file as well as by --destroy-data"
        )
    names = named(targets, destroy)
    return [msgspec.structs.replace(template, target=t, destroy=names.get(t), into=None) for t in targets]


def folder_of(into: Path | None, drives: int) -> Path:
    """Return the folder of a group of runs: the one given, or a new one by the time of day."""
    return into or Path("runs") / f"{datetime.now():%Y%m%d-%H%M%S}-{drives}-drives"


def begin(
    wanted: Sequence[session.Request], into: Path | None, *, barrier: bool, trial_s: float | None, apart: bool
) -> int:
    """Arrange which drives run at the same time, start all runs and follow them. Return the worst exit code.

    With `trial_s` None all run at the same time without a trial.
    """
    folder = folder_of(into, len(wanted))
    if folder.exists() and any(folder.iterdir()):
        raise BadInput(f"{folder} is not empty; name a new one with --into")
    able, refused = _able(wanted)
    arrange.once(able)
    arranged, shut = arrange.arranged(able, folder, barrier=barrier, seconds=trial_s, report=typer.echo)
    for target, why in shut.items():
        print(f"stend: {target}: {why}; it is left out", file=sys.stderr)
    if not arranged.members:
        return Refused.exit_code
    group.create(folder, arranged)
    worst = go(folder, {request.target: request.destroy or "" for request, _ in able}, wanted[0].overwrite, apart=apart)
    return max(worst, refused, Refused.exit_code if shut else 0)


def _able(wanted: Sequence[session.Request]) -> tuple[list[arrange.Wanted], int]:
    """Return the targets that can be planned, and the worst exit code of the others, whose reasons are printed.

    Raise the first error if no target can be planned.
    """
    able, errors = [], list[StendError]()
    for request in wanted:
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
    """Return a request with the name of its drive, typed at the terminal if needed. Raise Refused without a name."""
    name = devices.name(drive)
    if request.destroy or not name or plan.reads_only(request.tests):
        return request
    typed = _terminal.Terminal().names(devices.find(request.target))
    if not typed:
        loss = f"{devices.loss(drive)}; all of it would be destroyed"
        raise Refused(f"{loss}; to allow that, add --destroy-data {shlex.quote(f'{request.target}={name}')}")
    return msgspec.structs.replace(request, destroy=typed)


def go(folder: Path, destroy: dict[str, str], overwrite: tuple[str, ...] = (), *, apart: bool = False) -> int:
    """Start or resume the remaining runs of a group and follow them. Return the worst exit code."""
    whole = group.load(folder)
    roll.enter(folder, roll.BEGINNER)
    left = list(whole.left(folder))
    for run in left:
        if run.pid:
            typer.echo(f"{run.member.request.target}: still running, process {run.pid}")
    runs = [_begun(folder, run, destroy.get(run.member.request.target, ""), overwrite) for run in left if not run.pid]
    if apart:
        typer.echo(
            f"{len(runs)} runs continue in the background; `stend serve {shlex.quote(str(folder))}` shows them all"
        )
        return 0
    return max(Watched(runs).until_all_ended(), _end(folder, whole))


class Begun(NamedTuple):
    """A run of the group and its process."""

    member: group.Member
    folder: Path
    process: subprocess.Popen[bytes]


def _begun(folder: Path, left: group.Left, named: str, overwrite: tuple[str, ...]) -> Begun:
    """Start or resume a run as a process without a terminal, with its log beside its folder."""
    changes = {"into": str(left.folder), "destroy": named or None, "overwrite": overwrite}
    request = msgspec.structs.replace(left.member.request, **changes)
    files = [f"--overwrite-file={path}" for path in overwrite]
    again = ["resume", str(left.folder), *(["--destroy-data", named] if named else ()), *files]
    words = again if left.begun else request.command
    process = apart.begin(words, apart.log_of(left.folder))
    roll.enter(folder, left.member.name, pid=process.pid)
    typer.echo(f"{request.target}: {left.folder}, process {process.pid}")
    return Begun(left.member, left.folder, process)


class Watched(Stop):
    """Runs that are followed. Ctrl-C and SIGTERM go to all of them, and closing the terminal ends none."""

    def __init__(self, runs: Sequence[Begun]) -> None:
        super().__init__()
        self.runs, self.going, self.shown = runs, list(runs), time.monotonic()
        self.followers: dict[Path, Follower] = {}
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._forward)

    def _forward(self, number: int, frame: object) -> None:
        self.requested = True
        for run in self.going:
            run.process.send_signal(number)

    def until_all_ended(self) -> int:
        """Wait for all runs, print how each ended, and return the worst exit code."""
        while self.going:
            time.sleep(LOOK_S)
            for run in [run for run in self.going if run.process.poll() is not None]:
                self.going.remove(run)
                self._ended(run)
            if self.going and time.monotonic() - self.shown > SHOW_S:
                self.shown = time.monotonic()
                for run in self.going:
                    typer.echo(f"{run.member.request.target}: {_line(run.folder, self.followers)}")
        codes = [run.process.returncode for run in self.runs]
        return STOPPED_EXIT_CODE if self.requested else max((code if code >= 0 else 5 for code in codes), default=0)

    def _ended(self, run: Begun) -> None:
        code, target = run.process.returncode, run.member.request.target
        if code in (0, GATE_FAILED_EXIT_CODE):  # it ended, whatever it found
            typer.echo(f"{target}: {series.ended(run.folder)}: {run.folder}")
            return
        how = f"was killed by signal {-code}; {way_on(run.folder)}" if code < 0 else _reason(run.folder)
        print(f"stend: {target}: {plain(how)}", file=sys.stderr)


def _reason(folder: Path) -> str:
    """Return the last line of a run's log, without the name of the program."""
    return regular.last_line(apart.log_of(folder)).removeprefix("stend: ")


def _line(folder: Path, followers: dict[Path, Follower]) -> str:
    """Return where a run is: test, phase, round and remaining time. Each call reads only what is new."""
    try:
        follower = followers.get(folder) or followers.setdefault(folder, Follower(folder))
        deque(follower.news(), maxlen=0)
    except StendError as error:
        followers.pop(folder, None)
        return str(error)
    course, at = follower.course, follower.course.at
    if not at:
        return "nearly done" if course.started else "waiting to start"
    return f"{at.test}, {at.phase}, round {at.round}; {clock.remaining(clock.times(course).left)}"


def _end(folder: Path, whole: group.Group) -> int:
    """Print how many runs are complete, how far apart they began, and how much they disturbed each other.

    Return the code of a failed rule if a drive did not pass, otherwise 0.
    """
    catalogue.learn(folder)
    folders = [folder / member.name for member in whole.members]
    runs = [store.load(path) for path in folders if series.ended(path) in series.FINISHED]
    typer.echo(f"{len(runs)} of {len(folders)} runs are complete: {folder}")
    if whole.barrier:
        for (test, phase), apart_s in skew.skews(runs).items():
            typer.echo(f"{test}, {phase}: began within {latency(apart_s)} of each other")
    for member in whole.members:
        for line in member.notes[:1]:
            typer.echo(f"{'! ' if member.disturbed else ''}{member.request.target}: {line}")
    if len(runs) < len(folders):
        typer.echo(way_on(folder))
    return _ends.rejection(runs)
