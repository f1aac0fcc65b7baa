"""`stend doctor`: missing programs, meters of power, and settings that killed runs left on drives."""

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from stend.cli import _options
from stend.cli._option import argument, option

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
        argument("[DIR]...", "Run folders whose drive settings to restore; default: those below runs/."),
    ] = None,
    unit: Annotated[
        Path | None, option("--unit", "ROOT", "Print a systemd unit that resumes runs after a reboot.")
    ] = None,
    as_json: _options.Json = False,
) -> int:
    """Show what is missing, how to install it, and power meters.

    Exit code 4 means that a needed program is missing. Also restore the drive and tracing settings that killed runs
    left changed.

    Example: stend doctor
    """
    if unit:
        typer.echo(UNIT.format(python=sys.executable, top=unit.resolve()))
        return 0
    from stend.base import programs
    from stend.base.errors import BadInput, Missing
    from stend.capture import tracefs
    from stend.session import settings

    for folder in folders or ():
        if not folder.is_dir():
            raise BadInput(f"{folder} is not a run folder; `stend list` shows the run folders")
    restored = (*settings.put_back(folders or sorted(Path("runs").glob("*"))), *tracefs.put_back())
    lacking = programs.lacking()
    needed = [name for name in lacking if programs.programs()[name].needed]
    if as_json:
        from stend.cli import _table

        typer.echo(_table.data(_facts(restored, lacking)))
        return Missing.exit_code if needed else 0
    for line in restored:
        typer.echo(line)
    for line in (*_needed(needed), *_optional(lacking)):
        typer.echo(line)
    for line in _meters():
        typer.echo(line)
    if os.geteuid() != 0:
        typer.echo("not root: only files and sim: targets can be tested; use sudo for device nodes")
    return Missing.exit_code if needed else 0


def _facts(restored: Sequence[str], lacking: Sequence[str]) -> dict[str, Any]:
    """Return all that `stend doctor` prints, as plain data."""
    from stend import meters
    from stend.base import extras, programs
    from stend.base.fio_features import probe

    return {
        "restored": restored,
        "programs": [
            {"name": name, "use": program.use, "needed": program.needed, "there": name not in lacking,
             "install": programs.install([name])}
            for name, program in programs.programs().items()
        ],
        "extras": [
            {"name": name, "use": use, "there": name not in extras.incomplete(),
             "install": f"pip install 'stend[{name}]'"}
            for name, use in extras.USES.items()
        ],
        "fio": str(probe("fio")) if shutil.which("fio") else "",
        "meters": [{"name": spec, "description": words} for spec, words in meters.present()],
        "root": os.geteuid() == 0,
    }  # fmt: skip


def _meters() -> Iterator[str]:
    """Yield a head and one line per meter of power that this host has."""
    from stend import meters

    found = meters.present()
    yield "meters of power, for --meter:" if found else "meters of power: none found; cmd and file read any other meter"
    wide = max((len(spec) for spec, _ in found), default=0)
    yield from (f"  {spec:{wide}}  {words}" for spec, words in found)


def _needed(lacking: Sequence[str]) -> Iterator[str]:
    """Yield the needed programs that are missing with their command, and what the installed fio can do."""
    from stend.base import programs

    for name in lacking:
        yield f"needed, but missing: {name} ({programs.programs()[name].use}): `{programs.install([name])}`"
    if len(lacking) > 1:
        yield f"all of them: `{programs.install(lacking)}`"
    if not lacking:
        yield "needed: all there"
    if shutil.which("fio"):
        from stend.base.fio_features import probe

        yield f"fio: {probe('fio')}"


def _optional(lacking: Sequence[str]) -> Iterator[str]:
    """Yield a head and one line per use of optional programs and Python packages: there, or how to install them."""
    from stend.base import extras, programs

    uses: dict[str, list[str]] = {}
    for name, program in programs.programs().items():
        if not program.needed:
            uses.setdefault(program.use, []).append(name)
    lines = {use: f"`{programs.install(names)}`" if {*names} & {*lacking} else "" for use, names in uses.items()}
    incomplete = extras.incomplete()
    lines |= {use: f"`pip install 'stend[{name}]'`" if name in incomplete else "" for name, use in extras.USES.items()}
    absent = sum(map(bool, lines.values()))
    yield (
        f"optional: {absent} of {len(lines)} are missing; install those that you use"
        if absent
        else "optional: all there"
    )
    wide = max(map(len, lines))
    for use, command in lines.items():
        yield f"  {use:{wide}}  {f'missing: {command}' if command else 'there'}"
