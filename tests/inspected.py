"""Inspections of virtual drives in memory, and of drive files with known faults."""

from pathlib import Path
from typing import Any, NamedTuple

from stend import devices
from stend.findings import Finding, find
from stend.model.record import Run
from stend.planning import plan
from stend.runner.loop import run
from stend.session import engine, opening

CAPACITY = 8_001_563_222_016
DISK = """
title = "An 8 TB disk at 7200 rpm"
model = "Test HDD 8T"
kind = "disk"
interface = "SATA 6 Gbit/s"
capacity_bytes = 8001563222016
rotational = true
[disk]
spindle_rpm = 7200
outer_mb_s = 250
inner_mb_s = 120
settle_ms = 1.0
full_seek_ms = 16
[host]
queue = 32
read_mb_s = 550
write_mb_s = 550
read_command_us = 20
write_command_us = 20
read_answer_us = 60
write_answer_us = 80
"""
USUAL_US = 7000
"""About the usual response time of that disk for single reads of 128 KiB: half a turn, a seek and the transfer."""
SLOW: dict[str, Any] = {"slow_from_bytes": 3 * 10**12, "slow_bytes": CAPACITY // 100}


class Fault(NamedTuple):
    """Options of a virtual drive and the logs that it states; the findings that name the fault, and the verdict."""

    options: dict[str, Any]
    found: set[str]
    verdict: str
    reports: str = ""


RESET = """
[reports]
hours = { SMART = 120, "FARM" = 23000, "FARM, heads" = 22800 }
"""
BAD: dict[str, Any] = {"errors_from_bytes": 5 * 10**12, "errors_bytes": 10**11}
FAULTS = {
    "reads 1 % of it at less than half the speed": Fault(SLOW | {"slow_us": 1.2 * USUAL_US}, {"surface.slow"}, "look"),
    "falters in 1 % of it": Fault(SLOW | {"slow_us": 200_000, "slow_pct": 5}, {"surface.falters"}, "look"),
    "cannot read 1.25 % of it": Fault(BAD, {"surface.unreadable"}, "back"),
    "reads 1.25 % of it at the second attempt": Fault(BAD | {"errors_once": True}, {"surface.recovered"}, "look"),
    "reads 1 % of it slowly, a tenth of that not at all": Fault(
        SLOW
        | {"slow_us": 30_000, "errors_from_bytes": SLOW["slow_from_bytes"] + 2 * 10**10, "errors_bytes": 8 * 10**9},
        {"surface.slow", "surface.unreadable"},
        "back",
    ),
    "ends at 6 TB": Fault({"errors_from_bytes": 6 * 10**12, "errors_bytes": 3 * 10**12}, {"surface.shrunk"}, "back"),
    "has hours that were reset": Fault({}, {"passport.hours"}, "back", RESET),
}


def disk(folder: Path, reports: str = "", **options: Any) -> str:
    """The target of an 8 TB disk with options of virtual drives, and with logs that it states."""
    path = folder / "disk.toml"
    path.write_text(DISK + reports)
    return f"sim:{path}?" + "&".join(f"{key}={value}" for key, value in options.items())


def inspected(target: str, *, minutes: float = 5, seed: int = 1, into: Run | None = None) -> Run:
    """The record of an inspection of a virtual drive."""
    device = devices.find(target)
    changes = {"tests": {"inspect": {"survey_minutes": minutes}}}
    names, profile, _ = plan.gather(["inspect"], None, changes)
    drawn = plan.draw(names, profile, opening.inspected(device, ["inspect"]))
    device.door.open(writes=False, destroy=None)
    record = Run() if into is None else into
    for event in run(drawn, device, engine.simulated(device, drawn), seed=seed, at=1.8e9):  # type: ignore[arg-type]
        record.add(event)
    return record


def said(record: Run) -> dict[str, Finding]:
    """The findings of an inspection by `name.key`."""
    return {f"{f.name}.{f.key}": f for f in find(record) if f.test == "inspect"}


def verdict(record: Run) -> str:
    """Fit, look or back."""
    return next(f.key for f in find(record) if f.name == "incoming")


def against(record: Run) -> set[str]:
    """What speaks against the drive."""
    return {name for name, f in said(record).items() if f.side == "con"}
