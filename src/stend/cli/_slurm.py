"""What `stend fleet --slurm` does, at a terminal, and what its jobs do on their hosts."""

import sys
from pathlib import Path

import typer

from stend.base.text import plain
from stend.cli import _home
from stend.fleet import file, own, slurm


def run(path: Path) -> int:
    """Submit what is not complete and not in the queue."""
    fleet = file.load(path)
    count = slurm.run(fleet, typer.echo)
    typer.echo(f"{count} jobs were submitted; `stend fleet status --slurm {path}` tells how they are")
    return 0


def status(path: Path) -> int:
    """Each run with what it is."""
    for cell, state in slurm.states(file.load(path)).items():
        typer.echo(plain(f"{cell}: {state}"))
    return 0


def stop(path: Path) -> int:
    """Ask all its jobs to end; its drives are nobody's then."""
    asked = slurm.stop(file.load(path))
    typer.echo(f"{asked} jobs were asked to end; `stend fleet run --slurm {path}` goes on with them")
    return 0


def collect(path: Path) -> int:
    """Bring home what is finished, and judge it."""
    fleet = file.load(path)
    return _home.judged(fleet, slurm.collect(fleet, typer.echo))


def drives(host: str, targets: list[str]) -> int:
    """This host's drives as lines of Slurm's own files."""
    for line in slurm.resources(host, list(own.drives(targets)), "drive"):
        typer.echo(line)
    return 0


def carry(folder: Path, targets: list[str]) -> int:
    """A job's own part: its order is the standard input."""
    outcome = slurm.carry(folder, targets, sys.stdin.buffer.read())
    typer.echo(plain(f"{outcome.cell}: {outcome.outcome}{': ' + outcome.said if outcome.said else ''}"))
    return _home.code(outcome)


AT_THE_DESK = {"run": run, "status": status, "stop": stop, "collect": collect}
