"""`stend fleet`: plan, run and collect tests on the drives of many hosts."""

import platform
from pathlib import Path
from typing import Annotated, Any

from stend.cli import _options
from stend.cli._option import argument, flag, option

HELP = """Run tests on the drives of many hosts. Each run continues if the scheduler or another host fails.

A serial number in the fleet file permits stend to destroy all data on that drive; the gate of its host still
checks every drive (docs/how-to/many-drives.md).

Example: stend fleet run fleet.toml"""

File = Annotated[Path, argument("FLEET.toml", "The fleet file: hosts, drives and tests.")]
Address = Annotated[str, argument("tls://HOST:PORT", "The address of the scheduler.")]
Papers = Annotated[
    Path, option("--certificates", "DIR", "Folder with the certificate of this host; default: certificates.")
]
Name = Annotated[str | None, option("--name", "HOST", "Name of this host in its certificate; default: the host name.")]
Slurm = Annotated[bool, flag("--slurm", "Use Slurm jobs instead of a scheduler and workers.")]


def certificates(
    folder: Annotated[Path, argument("FOLDER", "Folder for the certificates.")],
    hosts: Annotated[list[str], argument("HOST...", "Names of the hosts.")],
) -> int:
    """Create a certificate for each host.

    Example: stend fleet certificates certificates desk scheduler lab1
    """
    return int(_dask().certificates(folder, hosts))


def scheduler(address: Address, papers: Papers = _options.PAPERS, name: Name = None) -> int:
    """Run the scheduler until the process is ended.

    Example: stend fleet scheduler tls://10.0.0.1:8786
    """
    return int(_dask().scheduler(address, papers, name or platform.node()))


def worker(
    address: Address,
    papers: Papers = _options.PAPERS,
    name: Name = None,
    target: _options.MayTargets = None,
    into: Annotated[Path, _options.into("fleet")] = Path("fleet"),
) -> int:
    """Announce the drives of this host and run the tests that are ordered on them.

    Example: stend fleet worker tls://10.0.0.1:8786 --target /dev/nvme1n1
    """
    return int(_dask().worker(address, papers, name or platform.node(), target or [], into))


def drives(
    given: Annotated[str, argument("WHERE", "tls://HOST:PORT or FLEET.toml; with --slurm the name of this host.")],
    papers: Papers = _options.PAPERS,
    name: Name = None,
    target: _options.MayTargets = None,
    slurm: Slurm = False,
) -> int:
    """Print the announced drives, or those that a fleet file selects, as lines for the file.

    With --slurm, print Slurm's configuration for the drives of this host.

    Example: stend fleet drives tls://10.0.0.1:8786
    """
    if slurm:
        from stend.cli import _slurm

        return _slurm.drives(given, target or [])
    return int(_dask().drives(given, papers, name or platform.node()))


def run(file: File, papers: Papers = _options.PAPERS, name: Name = None, slurm: Slurm = False) -> int:
    """Run the tests of a fleet file and wait until every run has ended.

    With --slurm, submit the jobs without waiting.

    Example: stend fleet run fleet.toml
    """
    return _of_file("run", file, papers, name, slurm=slurm)


def status(file: File, papers: Papers = _options.PAPERS, name: Name = None, slurm: Slurm = False) -> int:
    """Print each host with its drives and each run with its state.

    Example: stend fleet status fleet.toml
    """
    return _of_file("status", file, papers, name, slurm=slurm)


def stop(file: File, papers: Papers = _options.PAPERS, name: Name = None, slurm: Slurm = False) -> int:
    """End all runs of the fleet and release its drives.

    Example: stend fleet stop fleet.toml
    """
    return _of_file("stop", file, papers, name, slurm=slurm)


def collect(file: File, papers: Papers = _options.PAPERS, name: Name = None, slurm: Slurm = False) -> int:
    """Copy finished runs to this host, verify them and judge their lot.

    Example: stend fleet collect fleet.toml
    """
    return _of_file("collect", file, papers, name, slurm=slurm)


def carry(
    folder: Annotated[Path, argument("SHARED", "Folder that all hosts share.")],
    target: _options.MayTargets = None,
) -> int:
    """Carry out the order that a Slurm job gets on standard input.

    Example: stend fleet carry /shared
    """
    from stend.cli import _slurm

    return _slurm.carry(folder, target or [])


ACTIONS = {
    "certificates": certificates,
    "scheduler": scheduler,
    "worker": worker,
    "drives": drives,
    "run": run,
    "status": status,
    "stop": stop,
    "collect": collect,
    "carry": carry,
}
HIDDEN = ("carry",)
"""Actions that only jobs use."""


def _dask() -> Any:
    from stend.base.extras import needing

    with needing("`stend fleet`"):
        from stend.cli import _fleet

    return _fleet


def _of_file(action: str, file: Path, papers: Path, name: str | None, *, slurm: bool) -> int:
    if slurm:
        from stend.cli import _slurm

        return _slurm.OF_FILE[action](file)
    code: int = _dask().OF_FILE[action](file, papers, name or platform.node())
    return code
