"""The actions of `stend fleet` on a Dask cluster, with their output on the terminal."""

import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import typer
from distributed import Client

from stend.base.errors import BadInput
from stend.base.text import plain, typed
from stend.base.units import decimal
from stend.cli import _home, _options
from stend.fleet import certificates as papers
from stend.fleet import chosen, client, file, tasks
from stend.fleet import worker as hosts
from stend.session.series import FINISHED


def certificates(folder: Path, names: list[str]) -> int:
    """Create a certificate for each host and print the files that the host needs."""
    if not names:
        raise BadInput("name the hosts that need a certificate: `stend fleet certificates DIR HOST...`")
    for path in papers.make(folder, names):
        typer.echo(
            f"{path}, {path.with_suffix('.key').name}, {papers.AUTHORITY}: copy these three files to that host only"
        )
    return 0


def scheduler(address: str, folder: Path, name: str) -> int:
    """Run the scheduler until the process is ended."""
    hosts.schedule(address, folder, name, typer.echo)
    return 0


def worker(address: str, folder: Path, name: str, drives: list[str], into: Path) -> int:
    """Run a worker until the process is ended."""
    hosts.work(address, folder, name, drives, into, typer.echo)
    return 0


def run(path: Path, folder: Path, name: str) -> int:
    """Wait until every run has ended. Return the worst exit code."""
    fleet = file.load(path)
    outcomes = client.run(fleet, folder, name, typer.echo)
    ended = sum(outcome.outcome in FINISHED for outcome in outcomes)
    collects = _command("collect", path, folder, name)
    typer.echo(f"{ended} of {len(outcomes)} runs are complete; {collects} brings them to {fleet.into}")
    return max(map(_home.code, outcomes), default=0)


def status(path: Path, folder: Path, name: str) -> int:
    """Print each host with its drives and each run with its state."""
    with _connected(path, folder, name) as (fleet, dask):
        for address, announced in client.hosts(dask).items():
            drives = ", ".join(
                f"{serial} ({drive.model} {decimal(drive.capacity_bytes)})" for serial, drive in announced.items()
            )
            names = {drive.host: None for drive in announced.values()}
            typer.echo(f"{plain(', '.join(names) or address)}: {plain(drives) or 'no drives'}")
        known = {
            cell: state
            for states in client.each(dask, tasks.states, fleet.name).values()
            for cell, state in states.items()
        }
        settled, there = chosen.kept(fleet), client.announced(dask)
        for order in settled.orders() if settled else ():
            lacking = "not begun" if order.serial in there else "not known: no host announces its drive now"
            typer.echo(f"{order.cell}: {known.get(order.cell, lacking)}")
        if settled is None:
            typer.echo(f"no drives were chosen yet; {_command('drives', path, folder, name)} lists the candidates")
    return 0


def drives(given: str, folder: Path, name: str) -> int:
    """Print the announced drives, or those that a fleet file selects, as lines for the file."""
    fleet = None if given.startswith("tls://") else file.load(Path(given))
    with client.connected(fleet.scheduler if fleet else given, folder, name) as dask:
        for line in chosen.page(fleet, client.announced(dask)):
            typer.echo(line)
    return 0


def stop(path: Path, folder: Path, name: str) -> int:
    """Ask all runs of the fleet to end and release its drives."""
    with _connected(path, folder, name) as (fleet, dask):
        count = sum(client.each(dask, tasks.halt, fleet.name).values())
        way_on = f"{_command('run', path, folder, name)} continues them" if count else "the drives are released"
        typer.echo(f"{count} runs were asked to end; {way_on}")
    return 0


def collect(path: Path, folder: Path, name: str) -> int:
    """Copy finished runs to this host and judge them as a lot."""
    with _connected(path, folder, name) as (fleet, dask):
        folders = client.collect(dask, fleet, typer.echo)
    return _home.judged(fleet, folders)


def _command(action: str, path: Path, folder: Path, name: str) -> str:
    """Return the command of an action, with the certificate of this host as far as it is not the default."""
    more = "" if folder == _options.PAPERS else f" --certificates {typed(folder)}"
    more += "" if name == platform.node() else f" --name {typed(name)}"
    return f"`stend fleet {action} {typed(path)}{more}`"


@contextmanager
def _connected(path: Path, folder: Path, name: str) -> Iterator[tuple[file.Fleet, Client]]:
    fleet = file.load(path)
    with client.connected(fleet.scheduler, folder, name) as dask:
        yield fleet, dask


OF_FILE: dict[str, Callable[[Path, Path, str], int]] = {
    "run": run, "status": status, "stop": stop, "collect": collect,
}  # fmt: skip
