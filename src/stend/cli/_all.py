"""`stend resume --all`: continue every cut-off run below a folder, as after a reboot."""

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import typer

from stend import catalogue, devices, session, store
from stend.base.errors import BadInput, StendError
from stend.base.text import typed
from stend.cli import _ends, _runs, _terminal
from stend.live.state import way_on
from stend.session import series
from stend.session.stopping import Signals
from stend.session.together import group
from stend.store import reports, writer

SEVERAL = (series.FILE, group.FILE)
"""A folder with one of these files holds a series or a group of runs."""
LEFT = ("unfinished", "stopped", "failed")
"""Outcomes of runs that `stend resume` continues."""


def alone(options: Mapping[str, object]) -> None:
    """Raise BadInput if an option of a single run is given with `--all`."""
    if unused := [name for name, value in options.items() if value]:
        raise BadInput(f"--all continues each run as it was started; leave out {', '.join(unused)}")


def go_on(top: Path) -> int:
    """Resume the runs that were cut off below a folder, one by one, the oldest first. Return the worst exit code.

    The gate opens each drive by the name that the run recorded. Return 0 if no run was cut off.
    """
    worst, stop = 0, Signals()
    for folder in _cut_off(top):
        if stop.requested:
            break
        typer.echo(f"{folder}: resuming")
        try:
            code = _resumed(folder, stop)
        except StendError as error:
            print(f"stend: {folder}: {error}", file=sys.stderr)
            code = error.exit_code
        worst = max(worst, code)
    return worst


def meant(word: Path) -> Path:
    """Return the folder that `stend resume` continues: of a run, or of the series or the group that it belongs to.

    Raise BadInput, which lists runs that were cut off, if the last run is complete and no other was named.
    """
    if any(os.path.exists(word / file) for file in SEVERAL):
        return word
    run = _runs.folder(word)
    whole = run.parent if any(os.path.exists(run.parent / file) for file in SEVERAL) else run
    if word == _runs.LAST and whole == run and _is_complete(run):
        raise BadInput(f"the last run, {run}, is complete; {_others(run.parent)}")
    return run if word.exists() else whole


def _is_complete(folder: Path) -> bool:
    run = store.load(folder)
    return bool(run.ended and run.ended.outcome in series.FINISHED and reports.current(folder, run))


def _others(top: Path) -> str:
    """Return which runs below a folder can be resumed."""
    with catalogue.opened(top) as known:
        left = [str(known.folder(run)) for run in known.runs if run.outcome in LEFT]
    if not left:
        return f"no run below {top} was cut off"
    more = ", ..." if len(left) > 3 else ""
    return f"cut off: {', '.join(left[-3:])}{more}; {way_on(Path(left[-1]))}"


def _cut_off(top: Path) -> Iterator[Path]:
    """Yield unfinished runs that no process writes. Print why each other unfinished run is skipped."""
    with catalogue.opened(top) as known:
        known.warn()
        unfinished = [known.folder(run) for run in known.runs if run.outcome == "unfinished"]
    for folder in unfinished:
        held = writer.holder(folder)
        if held.alive:
            typer.echo(f"{folder}: skipped, process {held.owner.pid} is writing it")
        elif held.alive is None:
            typer.echo(f"{folder}: skipped, it was written by another host, {held.owner.host.name}")
        elif not writer.written_here(folder):
            typer.echo(
                f"{folder}: skipped, no record that this host wrote it; "
                f"use `stend resume {typed(folder)}` and name the drive"
            )
        else:
            yield folder
    if not unfinished:
        typer.echo(f"no run below {top} was cut off")


def _resumed(folder: Path, stop: Signals) -> int:
    drive = store.load(folder).plan.device
    named = None if drive.virtual else devices.name(drive)
    with session.resume(folder, named, _terminal.Terminal(), stop) as running:
        _ends.follow(running)
    return _ends.finish(folder)
