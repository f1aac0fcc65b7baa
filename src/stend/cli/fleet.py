"""`stend fleet`: plan, run and collect tests on the drives of many hosts."""

import platform
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from stend.base.errors import BadInput


class Do(StrEnum):
    """An action of `stend fleet`."""

    certificates = "certificates"
    scheduler = "scheduler"
    worker = "worker"
    drives = "drives"
    run = "run"
    status = "status"
    stop = "stop"
    collect = "collect"
    carry = "carry"


def command(
    do: Annotated[Do, typer.Argument(help="What to do.")],
    given: Annotated[
        list[str],
        typer.Argument(metavar="WORD...", help="A folder and host names; tls://HOST:PORT; or a fleet file."),
    ],
    certificates: Annotated[
        Path, typer.Option("--certificates", metavar="DIR", help="Folder with the certificate of this host.")
    ] = Path("certificates"),
    name: Annotated[
        str | None, typer.Option("--name", metavar="HOST", help="Name in the certificate; default: the host name.")
    ] = None,
    drive: Annotated[
        list[str] | None,
        typer.Option(
            "--drive", metavar="T", help="A drive of the worker, may be repeated; default: all that can be tested."
        ),
    ] = None,
    slurm: Annotated[
        bool, typer.Option("--slurm", help="Run as Slurm jobs; `drives HOST` prints Slurm's configuration for it.")
    ] = False,
    into: Annotated[Path, typer.Option("--into", metavar="DIR", help="Folder for the runs of a worker.")] = Path(
        "fleet"
    ),
) -> int:
    """Run tests on the drives of many hosts. Each run continues if the scheduler or another host fails.

    certificates DIR HOST...; scheduler tls://HOST:PORT; worker tls://HOST:PORT; drives tls://HOST:PORT (all announced
    drives) or FLEET.toml (those it selects); run, status, stop, collect FLEET.toml; carry DIR: run by Slurm jobs.
    A serial number in the fleet file permits stend to destroy all data on that drive; the gate of its host still
    checks every drive (docs/how-to/many-drives.md).

    Example: stend fleet run fleet.toml
    """
    if slurm or do is Do.carry:
        return _of_slurm(do, given, drive or [])
    from stend.base.extras import needing

    with needing("`stend fleet`"):
        from stend.cli import _fleet

    host = name or platform.node()
    if do is Do.certificates:
        return _fleet.certificates(Path(given[0]), given[1:])
    if len(given) != 1:
        raise BadInput(f"`stend fleet {do}` takes one argument; see `stend fleet --help`")
    if do is Do.scheduler:
        return _fleet.scheduler(given[0], certificates, host)
    if do is Do.worker:
        return _fleet.worker(given[0], certificates, host, drive or [], into)
    if do is Do.drives:
        return _fleet.drives(given[0], certificates, host)
    return _fleet.OF_FILE[do](Path(given[0]), certificates, host)


def _of_slurm(do: Do, given: list[str], drives: list[str]) -> int:
    from stend.cli import _slurm

    if len(given) != 1 or do in (Do.certificates, Do.scheduler, Do.worker):
        raise BadInput(
            f"`stend fleet {do} --slurm` is not supported, or has too many arguments; see `stend fleet --help`"
        )
    if do is Do.drives:
        return _slurm.drives(given[0], drives)
    if do is Do.carry:
        return _slurm.carry(Path(given[0]), drives)
    return _slurm.OF_FILE[do](Path(given[0]))
