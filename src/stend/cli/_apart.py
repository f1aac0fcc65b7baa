"""A verb as a process of its own, which outlives the terminal that began it."""

import shlex
import time
from contextlib import suppress
from pathlib import Path

import typer

from stend import devices
from stend.base import regular
from stend.base.errors import StendError
from stend.cli import _unit
from stend.cli._asked import DETACH, TYPED
from stend.live.state import way_on
from stend.model.events import Started
from stend.session import apart
from stend.store import journal, writer

LOOK_S = 0.1


def words(context: typer.Context) -> list[str]:
    """What was typed after the verb."""
    typed: list[str] = context.meta[TYPED]
    return typed


def begin(arguments: list[str], folder: Path) -> int:
    """The same words without `--detach`; back once its run has begun, or with its exit code and last words if not."""
    log, before = apart.log_of(folder), _size(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    typed = [word for word in arguments if word != DETACH]
    with regular.appender(log) as said:
        said.write(f"$ {shlex.join(apart.command(typed))}\n".encode())
    run = _unit.begin(typed, folder, log)
    while run.over() is None and not _begun(folder, run, before):
        time.sleep(LOOK_S)
    if code := run.over():
        typer.echo(apart.last_words(log), err=True)
        return code
    typer.echo(f"Run folder: {folder}; {run} says what it does in {log}")
    typer.echo(f"`stend watch {shlex.quote(str(folder))}` looks on; if it is cut off, {way_on(folder, _drive(folder))}")
    run.leave()
    return 0


def _begun(folder: Path, run: _unit.Process | _unit.Unit, before: int) -> bool:
    """Whether that process has written an event of its own."""
    grown = _size(folder) > before and any(True for _ in journal.Record(folder))
    return grown and writer.last(folder).pid == run.pid


def _drive(folder: Path) -> str:
    """Return the name by which a run's drive must be named again, as far as there is one."""
    with suppress(StendError, OSError):
        for event in journal.Record(folder):
            if isinstance(event, Started):
                return "" if event.plan.device.virtual else devices.name(event.plan.device)
    return ""


def _size(folder: Path) -> int:
    try:
        return journal.events_of(folder).stat().st_size
    except OSError:
        return 0
