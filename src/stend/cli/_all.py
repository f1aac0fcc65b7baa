"""Every run below a folder that was cut off, gone on with: what a host does when it is back."""

import sys
from collections.abc import Iterator
from pathlib import Path

import typer

from stend import catalogue, devices, session, store
from stend.base.errors import StendError
from stend.cli import _ends, _terminal
from stend.session.stopping import Signals
from stend.store import writer


def go_on(top: Path) -> int:
    """One after the other, the oldest first, each drive through the gate by the name that its run has of it.

    The worst exit code; 0 where nothing was left to do.
    """
    worst, stop = 0, Signals()
    for folder in _cut_off(top):
        if stop.requested:
            break
        typer.echo(f"{folder}: goes on")
        try:
            code = _one(folder, stop)
        except StendError as error:
            print(f"stend: {folder}: {error}", file=sys.stderr)
            code = error.exit_code
        worst = max(worst, code)
    return worst


def _cut_off(top: Path) -> Iterator[Path]:
    """Runs without an end that nobody writes; of others it is said why they are left."""
    with catalogue.opened(top) as known:
        known.warn()
        unfinished = [known.folder(one) for one in known.runs if one.outcome == "unfinished"]
    for folder in unfinished:
        held = writer.holder(folder)
        if held.alive:
            typer.echo(f"{folder}: is being written by process {held.owner.pid}")
        elif held.alive is None:
            typer.echo(f"{folder}: is of another host, {held.owner.host.name}")
        elif not writer.written_here(folder):
            typer.echo(f"{folder}: nothing tells that this host wrote it; `stend resume` of it alone names the drive")
        else:
            yield folder
    if not unfinished:
        typer.echo(f"no run below {top} was cut off")


def _one(folder: Path, stop: Signals) -> int:
    drive = store.load(folder).plan.device
    named = None if drive.virtual else devices.name(drive)
    with session.resume(folder, named, _terminal.Terminal(), stop) as running:
        _ends.follow(running)
    return _ends.finish(folder)
