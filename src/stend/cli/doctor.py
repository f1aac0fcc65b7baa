"""`stend doctor`: what is missing here and the command that mends it."""

import os
import shutil
from pathlib import Path
from typing import Annotated

import typer

TOOLS = (
    ("fio", "fio", "makes the load on real drives"),
    ("lsblk", "util-linux", "lists drives"),
    ("wipefs", "util-linux", "looks for data that must not be destroyed"),
    ("blkdiscard", "util-linux", "discards blocks"),
    ("setpriv", "util-linux", "ends fio with stend"),
    ("smartctl", "smartmontools", "reads a drive's health"),
    ("nvme", "nvme-cli", "purges NVMe drives"),
    ("hdparm", "hdparm", "purges SATA drives"),
    ("sg_format", "sg3-utils", "purges SAS drives"),
)
NEEDED = ("fio", "lsblk", "wipefs", "setpriv")


def command(
    folders: Annotated[
        list[Path] | None, typer.Argument(metavar="[DIR]...", help="Run folders to mend; else those below runs/.")
    ] = None,
) -> int:
    """Tell what this host lacks and the command that mends it; put back what killed runs left set on drives.

    Example: stend doctor
    """
    from stend.cli import _settings
    from stend.errors import Missing

    for line in _settings.put_back(folders or sorted(Path("runs").glob("*"))):
        typer.echo(line)
    lacking = [(tool, package, use) for tool, package, use in TOOLS if shutil.which(tool) is None]
    for tool, package, use in lacking:
        typer.echo(f"missing: {tool} ({use}); apt-get install {package}")
    if shutil.which("fio"):
        from stend.engines._fio_probe import probe

        typer.echo(f"fio: {probe('fio')}")
    if os.geteuid() != 0:
        typer.echo("not root: files and sim: targets can be tested, device nodes cannot; use sudo")
    if not lacking:
        typer.echo("nothing is missing")
    return Missing.exit_code if any(tool in NEEDED for tool, _, _ in lacking) else 0
