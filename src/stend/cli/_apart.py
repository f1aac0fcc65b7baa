"""`--detach`: run a verb in a separate process that outlives the terminal."""

import shlex
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import typer

from stend import store
from stend.base import regular
from stend.base.errors import StendError
from stend.cli import _unit
from stend.cli._options import DETACH, TYPED
from stend.live.state import destroyed, way_on
from stend.model.events import Started
from stend.session import apart
from stend.store import journal, writer

LOOK_S = 0.1


def begin(context: typer.Context, folder: Path, *, named: bool = True) -> int:
    """Start the same command without `--detach` and wait until its run has begun.

    Unless the command `named` the folder, it is added, because its name has the time in it. Return 0 once the run has
    begun. If the process ends before that, print the last line of its log and return its exit code.
    """
    log, before = apart.log_of(folder), _size(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    arguments = [word for word in context.meta[TYPED] if word != DETACH]
    typed = [str(context.info_name), *arguments, *(() if named else ("--into", str(folder)))]
    with regular.appender(log) as file:
        file.write(f"$ {shlex.join(apart.command(typed))}\n".encode())
    run = _unit.begin(typed, folder, log)
    while run.over() is None and not _begun(folder, run, before):
        time.sleep(LOOK_S)
    if code := run.over():
        typer.echo(regular.last_line(log), err=True)
        return code
    typer.echo(f"Run folder: {folder}; the log of {run} is {log}")
    view = "watch" if journal.is_run(folder) else "serve"  # a series has several runs
    typer.echo(
        f"`stend {view} {shlex.quote(str(folder))}` shows it; if it is cut off, {way_on(folder, _drive(folder))}"
    )
    run.leave()
    return 0


def _begun(folder: Path, run: _unit.Process | _unit.Unit, before: int) -> bool:
    """Return whether that process has written an event to the record, for a series to a record of one of its runs."""
    grown = _size(folder) > before and any(True for place in _records(folder) for _ in journal.Record(place))
    return grown and writer.last(folder).pid == run.pid


def _drive(folder: Path) -> str:
    """Return the name that `--destroy-data` needs to resume a run, or an empty string if it needs none."""
    with suppress(StendError, OSError, StopIteration):
        for event in journal.Record(next(_records(folder))):
            if isinstance(event, Started):
                return destroyed(event.plan.device)
    return ""


def _records(folder: Path) -> Iterator[Path]:
    """Yield the folders with a record: this one, or those of the runs in it, the oldest first."""
    yield from [folder] if journal.is_run(folder) else store.find(folder)


def _size(folder: Path) -> int:
    try:
        return sum(journal.events_of(place).stat().st_size for place in _records(folder))
    except OSError:
        return 0
