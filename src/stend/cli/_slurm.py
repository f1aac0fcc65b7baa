"""The actions of `stend fleet --slurm`, and the command that its jobs run on their hosts."""

import sys
from pathlib import Path

import typer

from stend.base.text import plain, typed
from stend.cli import _home
from stend.fleet import file, local, slurm


def run(path: Path) -> int:
    """Submit a job for each run that is neither complete nor in the queue."""
    fleet = file.load(path)
    count = slurm.run(fleet, typer.echo)
    typer.echo(f"{count} jobs were submitted; `stend fleet status --slurm {typed(path)}` shows their states")
    return 0


def status(path: Path) -> int:
    """Print the state of each run."""
    for cell, state in slurm.states(file.load(path)).items():
        typer.echo(plain(f"{cell}: {state}"))
    return 0


def stop(path: Path) -> int:
    """Ask all jobs of the fleet to end and release its drives."""
    count = slurm.stop(file.load(path))
    typer.echo(f"{count} jobs were asked to end; `stend fleet run --slurm {typed(path)}` continues them")
    return 0


def collect(path: Path) -> int:
    """Copy finished runs to this host and judge them as a batch."""
    fleet = file.load(path)
    return _home.judged(fleet, slurm.collect(fleet, typer.echo))


def drives(host: str, targets: list[str]) -> int:
    """Print this host's drives as lines for Slurm's configuration files."""
    for line in slurm.resources(host, list(local.drives(targets)), "drive"):
        typer.echo(line)
    return 0


def carry(folder: Path, targets: list[str]) -> int:
    """Carry out the order that a job gets on standard input. Return the exit code of its run."""
    outcome = slurm.carry(folder, targets, sys.stdin.buffer.read())
    typer.echo(plain(f"{outcome.cell}: {outcome.outcome}{': ' + outcome.said if outcome.said else ''}"))
    return _home.code(outcome)


OF_FILE = {"run": run, "status": status, "stop": stop, "collect": collect}
