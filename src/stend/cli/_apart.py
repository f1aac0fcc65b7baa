"""A verb as a process of its own, which outlives the terminal that began it."""

import shlex
import subprocess
import sys
import time
from pathlib import Path

import typer

from stend.cli._asked import DETACH, TYPED
from stend.live.state import way_on
from stend.store import journal, writer

LOOK_S = 0.1


def words(context: typer.Context) -> list[str]:
    """What was typed after the verb."""
    typed: list[str] = context.meta[TYPED]
    return typed


def begin(arguments: list[str], folder: Path) -> int:
    """The same words without `--detach`; back once its run has begun, or with its exit code and last words if not."""
    log, before = Path(f"{folder}.log"), _size(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "stend", *(word for word in arguments if word != DETACH)]
    with log.open("ab") as said:
        said.write(f"$ {shlex.join(command)}\n".encode())
        said.flush()
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT, start_new_session=True
        )
    while process.poll() is None and not _begun(folder, process.pid, before):
        time.sleep(LOOK_S)
    if process.poll() not in (None, 0):
        typer.echo(log.read_text(errors="replace").strip().rpartition("\n")[2], err=True)
        return process.returncode
    typer.echo(f"Run folder: {folder}; process {process.pid} says what it does in {log}")
    typer.echo(f"`stend watch {shlex.quote(str(folder))}` looks on; if it is cut off, {way_on(folder)}")
    process.returncode = 0  # it is not waited for
    return 0


def _begun(folder: Path, pid: int, before: int) -> bool:
    """Whether that process has written an event of its own."""
    return writer.last(folder).pid == pid and _size(folder) > before and any(True for _ in journal.Record(folder))


def _size(folder: Path) -> int:
    try:
        return journal.events_of(folder).stat().st_size
    except OSError:
        return 0
