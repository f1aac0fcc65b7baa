"""`stend fleet`: drives of many hosts, planned, run and brought home from one desk."""

import platform
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from stend.base.errors import BadInput


class Do(StrEnum):
    """What is to be done."""

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
        typer.Argument(metavar="WORD...", help="A folder and names of hosts; tls://HOST:PORT; or a fleet file."),
    ],
    certificates: Annotated[
        Path, typer.Option("--certificates", metavar="DIR", help="Where this host's certificate is.")
    ] = Path("certificates"),
    name: Annotated[
        str | None, typer.Option("--name", metavar="HOST", help="Whose certificate; else the host's.")
    ] = None,
    drive: Annotated[
        list[str] | None,
        typer.Option("--drive", metavar="T", help="A worker's drive, often; else all that can be tested."),
    ] = None,
    slurm: Annotated[
        bool, typer.Option("--slurm", help="The runs are jobs of Slurm; `drives HOST` prints its lines for that host.")
    ] = False,
    into: Annotated[Path, typer.Option("--into", metavar="DIR", help="Where a worker keeps its runs.")] = Path("fleet"),
) -> int:
    """Run studies on drives of many hosts: a run is its host's own process, whatever becomes of anybody else.

    certificates DIR HOST...; scheduler tls://HOST:PORT; worker tls://HOST:PORT; drives tls://HOST:PORT (all that is
    announced) or FLEET.toml (what it selects); run, status, stop, collect FLEET.toml; carry DIR: a job of Slurm.
    The serials in the fleet file are the leave to destroy; each host's gate has the last word (docs/fleet.md).

    Example: stend fleet run fleet.toml
    """
    if slurm or do is Do.carry:
        return _of_slurm(do, given, drive or [])
    from stend.base.extras import needing

    with needing("`stend fleet`"):
        from stend.cli import _fleet

    own = name or platform.node()
    if do is Do.certificates:
        return _fleet.certificates(Path(given[0]), given[1:])
    if len(given) != 1:
        raise BadInput(f"`stend fleet {do}` takes one word: see `stend fleet --help`")
    if do is Do.scheduler:
        return _fleet.scheduler(given[0], certificates, own)
    if do is Do.worker:
        return _fleet.worker(given[0], certificates, own, drive or [], into)
    if do is Do.drives:
        return _fleet.drives(given[0], certificates, own)
    return _fleet.AT_THE_DESK[do](Path(given[0]), certificates, own)


def _of_slurm(do: Do, given: list[str], drives: list[str]) -> int:
    from stend.cli import _slurm

    if len(given) != 1 or do in (Do.certificates, Do.scheduler, Do.worker):
        raise BadInput(f"`stend fleet {do} --slurm` is not known so: see `stend fleet --help`")
    if do is Do.drives:
        return _slurm.drives(given[0], drives)
    if do is Do.carry:
        return _slurm.carry(Path(given[0]), drives)
    return _slurm.AT_THE_DESK[do](Path(given[0]))
