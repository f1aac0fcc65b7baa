"""What `stend fleet` does, at a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import typer
from distributed import Client

from stend.base.errors import BadInput
from stend.base.units import decimal
from stend.cli import _home
from stend.fleet import certificates as papers
from stend.fleet import chosen, client, file, tasks
from stend.fleet import worker as hosts
from stend.session.series import FINISHED


def certificates(folder: Path, names: list[str]) -> int:
    """Make them; the authority's key is for nobody else."""
    if not names:
        raise BadInput("name the hosts that are to have a certificate: `stend fleet certificates DIR HOST...`")
    for path in papers.make(folder, names):
        typer.echo(f"{path}, {path.with_suffix('.key').name}, {papers.AUTHORITY}: these three are for that host alone")
    return 0


def scheduler(address: str, folder: Path, name: str) -> int:
    """Until it is ended."""
    hosts.schedule(address, folder, name, typer.echo)
    return 0


def worker(address: str, folder: Path, name: str, drives: list[str], into: Path) -> int:
    """Until it is ended."""
    hosts.work(address, folder, name, drives, into, typer.echo)
    return 0


def run(path: Path, folder: Path, name: str) -> int:
    """Every run to its end; the worst of their exit codes."""
    fleet = file.load(path)
    outcomes = client.run(fleet, folder, name, typer.echo)
    ended = sum(one.outcome in FINISHED for one in outcomes)
    typer.echo(
        f"{ended} of {len(outcomes)} runs are complete; `stend fleet collect {path}` brings them to {fleet.into}"
    )
    return max(map(_home.code, outcomes), default=0)


def status(path: Path, folder: Path, name: str) -> int:
    """Each host with its drives, each run with what it is."""
    with _asked(path, folder, name) as (fleet, desk):
        for address, own in client.hosts(desk).items():
            drives = ", ".join(f"{serial} ({one.model} {decimal(one.capacity_bytes)})" for serial, one in own.items())
            typer.echo(f"{address}: {drives}")
        known = {
            cell: state for own in client.each(desk, tasks.states, fleet.name).values() for cell, state in own.items()
        }
        own_drives, there = chosen.kept(fleet), client.announced(desk)
        for order in own_drives.orders() if own_drives else ():
            lacking = "not begun" if order.serial in there else "not known, for no host announces its drive now"
            typer.echo(f"{order.cell}: {known.get(order.cell, lacking)}")
        if own_drives is None:
            typer.echo(f"no drives were chosen yet; `stend fleet drives {path}` tells those that could be")
    return 0


def drives(given: str, folder: Path, name: str) -> int:
    """What hosts announce, or what a file selects of it, as lines for the file."""
    fleet = None if given.startswith("tls://") else file.load(Path(given))
    with client.desk(fleet.scheduler if fleet else given, folder, name) as desk:
        for line in chosen.page(fleet, client.announced(desk)):
            typer.echo(line)
    return 0


def stop(path: Path, folder: Path, name: str) -> int:
    """Ask all its runs to end; its drives are nobody's then."""
    with _asked(path, folder, name) as (fleet, desk):
        asked = sum(client.each(desk, tasks.halt, fleet.name).values())
        typer.echo(f"{asked} runs were asked to end; `stend fleet run {path}` goes on with them")
    return 0


def collect(path: Path, folder: Path, name: str) -> int:
    """Bring home what is finished, and judge it."""
    with _asked(path, folder, name) as (fleet, desk):
        folders = client.collect(desk, fleet, typer.echo)
    return _home.judged(fleet, folders)


@contextmanager
def _asked(path: Path, folder: Path, name: str) -> Iterator[tuple[file.Fleet, Client]]:
    fleet = file.load(path)
    with client.desk(fleet.scheduler, folder, name) as desk:
        yield fleet, desk


AT_THE_DESK: dict[str, Callable[[Path, Path, str], int]] = {
    "run": run, "status": status, "stop": stop, "collect": collect,
}  # fmt: skip
