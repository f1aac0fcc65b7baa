"""What `run` and `plan` ask alike, and the plan that it makes."""

from pathlib import Path
from typing import Annotated, Any

import typer

from stend.definition import Identity, Plan
from stend.devices import Device
from stend.errors import Refused
from stend.record import Run

Tests = Annotated[
    list[str], typer.Argument(metavar="TEST...", help="Tests, suites, or TOML files of studies; see `stend tests`.")
]
Target = Annotated[
    str, typer.Option("--target", "-t", metavar="T", help="A device node, /dev/disk/by-id/..., a file, or sim:NAME.")
]
ProfileName = Annotated[
    str | None,
    typer.Option(
        "--profile", "-p", metavar="P", help="A profile's name, or a TOML file of your own; else the suite's own."
    ),
]
Threads = Annotated[
    int | None, typer.Option("--threads", min=1, max=1024, help="Threads (TC), instead of the profile's.")
]
Depth = Annotated[int | None, typer.Option("--depth", min=1, max=65536, help="Queue depth of each thread (QD).")]
ActiveRange = Annotated[
    float | None, typer.Option("--active-range", metavar="PCT", min=0.01, max=100, help="Percent of the drive to test.")
]
Rounds = Annotated[int | None, typer.Option("--rounds", min=1, max=100_000, help="Limit of rounds to steady state.")]
RoundSeconds = Annotated[
    float | None,
    typer.Option("--round-seconds", min=0.2, max=86_400, help="How long one minute of the clause lasts; 60 by rule."),
]
Quick = Annotated[bool, typer.Option("--quick", help="Shorten everything by stated factors; the run is stamped.")]
DestroyData = Annotated[
    str | None,
    typer.Option(
        "--destroy-data",
        metavar="NAME",
        help="Yes, destroy all data on the drive of this serial, or in the file of this full path.",
    ),
]
Create = Annotated[
    str | None, typer.Option("--create", metavar="SIZE", help="Make the target, a new file of this size, first.")
]


def changes(
    threads: int | None, depth: int | None, active_range: float | None, rounds: int | None, round_seconds: float | None
) -> dict[str, Any]:
    """The overrides as fields of a Profile; None where nothing was asked."""
    return {
        "threads": threads,
        "depth": depth,
        "active_range_pct": active_range,
        "rounds": rounds,
        "minute_s": round_seconds,
    }


def find(target: str, create: str | None) -> Device:
    """The drive, made first when it is to be a new file."""
    from stend import devices
    from stend.units import parse_bytes

    if create:
        return devices.create(target, parse_bytes(create))
    return devices.find(target)


def draw(tests: list[str], device: Device, profile: str | None, overrides: dict[str, Any], quick: bool) -> Plan:
    """The plan asked for: a profile, quick or not, with the overrides as deviations."""
    from stend import plan

    names, chosen, told = plan.gather(tests, profile, overrides, quick=quick)
    return plan.draw(names, chosen, device.identity, deviations=told)


def new_folder(into: Path | None, target: str, tests: list[str]) -> Path:
    """The run folder: as asked, or runs/DATE-TARGET-TESTS below the working directory."""
    from datetime import datetime

    if into:
        return into
    asked = "-".join(Path(part).name.removesuffix(".toml") for part in (target, *tests))
    slug = "".join(c if c.isalnum() else "-" for c in asked).encode(errors="replace")[:100].decode(errors="ignore")
    return Path("runs") / f"{datetime.now():%Y%m%d-%H%M%S}-{slug}"


def typed_back(device: Device) -> str | None:
    """On a terminal, what the operator types when asked to name the drive again; None elsewhere."""
    import sys

    from stend import devices

    drive = device.identity
    if drive.virtual or not (sys.stdin.isatty() and sys.stderr.isatty()) or getattr(device, "ours", False):
        return None
    typer.echo(f"All data on {drive.model} {drive.serial} ({drive.path}) will be destroyed. It {devices.loss(drive)}.")
    answer: str = typer.prompt("Type its serial or by-id name, of a file its full path, to go on", err=True)
    return answer.strip()


def same_drive(then: Identity, now: Identity) -> None:
    """Refused unless this is the drive that the run began on."""
    for field in ("kind", "serial", "wwn", "model", "capacity_bytes", "logical_bytes"):
        was, is_now = getattr(then, field), getattr(now, field)
        if was != is_now:
            raise Refused(f"{now.target} is another drive: its {field} is {is_now!r}, the run began on {was!r}")


def same_as_then(past: Run, drive: Identity) -> dict[str, str]:
    """The fingerprint of the drive that is there; Refused where it is not what the run began on, or holds more."""
    from stend import devices

    now = devices.fingerprint(drive)
    # A record of before there were fingerprints is held to what a drive holds: nothing that nobody named.
    then = past.started[0].fingerprint or {key: value for key, value in now.items() if key != "signatures"}
    if reason := devices.changed(then, now):
        raise Refused(f"{drive.target} {reason}")
    return now
