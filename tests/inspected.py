"""Inspections of virtual drives in memory, and of drive files with known faults."""

from pathlib import Path
from typing import Any

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
