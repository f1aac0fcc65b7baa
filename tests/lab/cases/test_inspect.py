"""Inspections of drives on real kernel drivers: 0 bytes written, and volumes of device-mapper with known faults."""

import hashlib
import os
from pathlib import Path
from typing import Any

import pytest

from stend import findings, store
from stend.findings import Finding
from tests.lab import bench
from tests.lab.cases.test_media import failing, lying

pytestmark = pytest.mark.long
SECTORS = 128 * 2048
FIRST, COUNT = 80 * 2048, 16 * 2048
"""The part of a volume that is slow or fails."""
WRITES = (4, 6, 11, 13)
"""Fields of /sys/block/X/stat: writes, sectors written, discards, sectors discarded."""


def written(path: str) -> list[str]:
    fields = (Path("/sys/class/block") / Path(path).name / "stat").read_text().split()
    return [fields[n] for n in WRITES]


def content(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def inspected(name: str, path: str, *words: str) -> dict[str, Finding]:
    """The findings of an inspection: {name.key: finding}."""
    folder = bench.RUNS / f"inspect-{name}"
    done = bench.stend("inspect", path, "--into", str(folder), *words)
    assert done.returncode == 0, done.stderr
    return {f"{f.name}.{f.key}": f for f in findings.find(store.load(folder)) if f.test == "inspect"}


def volume(kind: str) -> tuple[str, ...]:
    """The table of a volume whose part from FIRST on is of this kind."""
    end = FIRST + COUNT
    part = f"{FIRST} {COUNT} " + {"delay": f"delay DRIVE {FIRST} 25", "error": "error"}[kind]
    return f"0 {FIRST} linear DRIVE 0", part, f"{end} {SECTORS - end} linear DRIVE {end}"


@pytest.mark.parametrize("serial", ["LABONE", "LABSATA", "LABSCSI", "LABSAS"])
def test_an_inspection_writes_0_bytes(serial: str) -> None:
    path = bench.node(serial)
    with open(path, "r+b", buffering=0) as file:
        file.write(os.urandom(1 << 20))
    before = written(path), content(path)
    found = inspected(serial, path, "--quick")
    assert (written(path), content(path)) == before
    assert found["untouched.nothing"].values == {"moved": 0, "by": "kernel"}


def test_a_part_that_answers_late_is_slow_and_nothing_else_is() -> None:
    bench.tool("modprobe", "dm-delay")
    with lying(*volume("delay")) as path:
        found = inspected("slow", path, "--minutes", "2")
    assert "incoming.look" in found
    values: dict[str, Any] = found["surface.slow"].values
    near = COUNT * 512 / 8  # stretches are examined in lengths a third apart, in parts of 1/512 of the drive
    assert abs(values["from"] - FIRST * 512) <= near
    assert abs(values["to"] - (FIRST + COUNT) * 512) <= near
    assert 0.025 <= values["median"] <= 0.035 + values["usual"]


def test_a_part_that_fails_is_sent_back_with_its_place() -> None:
    with lying(*volume("error")) as path:
        found = inspected("error", path, "--minutes", "1")
    assert "incoming.back" in found
    values = found["surface.unreadable"].values
    assert FIRST <= values["lba"] < FIRST + COUNT


def test_a_capacity_that_is_not_there_is_sent_back() -> None:
    with lying(f"0 {FIRST} linear DRIVE 0", f"{FIRST} {SECTORS - FIRST} error") as path:
        found = inspected("shrunk", path, "--minutes", "1")
    assert "incoming.back" in found
    assert FIRST <= found["surface.shrunk"].values["lba"] <= FIRST + SECTORS // 64  # a sample meets its end nearly


def test_every_block_that_fails_is_named_if_all_are_read() -> None:
    with failing(4096, 12) as device:
        found = inspected("medium", device.identity.target, "--whole")
    assert "incoming.back" in found
    values = found["surface.unreadable"].values
    assert (values["lba"], values["lba_to"], values["places"]) == (4096, 4107, 1)


def test_a_healthy_volume_is_fit() -> None:
    with lying(f"0 {SECTORS} linear DRIVE 0") as path:
        found = inspected("healthy", path, "--minutes", "2")
    assert {"incoming.fit", "incoming.fit_short"} & set(found), {name for name, f in found.items() if f.side == "con"}
    assert found["untouched.nothing"].values == {"moved": 0, "by": "kernel"}
