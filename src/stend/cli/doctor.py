"""`stend doctor`: missing programs and how to install them; settings that killed runs left on drives."""

import os
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

UNIT = """\
# /etc/systemd/system/stend-resume.service; then: systemctl enable stend-resume
[Unit]
Description=Go on with stend runs that a reboot cut off
After=local-fs.target systemd-udev-settle.service

[Service]
Type=exec
ExecStart="{python}" -m stend resume --all "{top}"
KillMode=mixed
KillSignal=SIGTERM
TimeoutStopSec=120

[Install]
WantedBy=multi-user.target"""


def command(
    folders: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[DIR]...", help="Run folders whose drive settings to restore; default: those below runs/."
        ),
    ] = None,
    unit: Annotated[
        Path | None,
        typer.Option("--unit", metavar="ROOT", help="Print a systemd unit that resumes runs after a reboot."),
    ] = None,
) -> int:
    """Show what is missing on this machine and how to install it.

    Also restore the drive and tracing settings that killed runs left changed.

    Example: stend doctor
    """
    if unit:
        typer.echo(UNIT.format(python=sys.executable, top=unit.resolve()))
        return 0
    from stend.base import programs
    from stend.base.errors import BadInput, Missing
    from stend.capture import tracefs
    from stend.session import write_cache

    for folder in folders or ():
        if not folder.is_dir():
            raise BadInput(f"{folder} is not a run folder; `stend list` shows the run folders")
    for line in (*write_cache.put_back(folders or sorted(Path("runs").glob("*"))), *tracefs.put_back()):
        typer.echo(line)
    lacking = programs.lacking()
    for name in lacking:
        typer.echo(f"missing: {name} ({programs.programs()[name].use}); {programs.install([name])}")
    if len(lacking) > 1:
        typer.echo(f"all of them: {programs.install(lacking)}")
    if shutil.which("fio"):
        from stend.base.fio_features import probe

        typer.echo(f"fio: {probe('fio')}")
    if os.geteuid() != 0:
        typer.echo("not root: only files and sim: targets can be tested; use sudo for device nodes")
    if not lacking:
        typer.echo("nothing is missing")
    return Missing.exit_code if any(programs.programs()[name].needed for name in lacking) else 0
