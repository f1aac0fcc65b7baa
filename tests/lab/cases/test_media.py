"""Media tests of volumes that lie: device-mapper between stend and an NVMe drive."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from stend import devices, findings, store
from stend.devices.drive import DriveDevice
from tests.lab import bench
from tests.lab.cases.test_scsi import found as debugging

pytestmark = pytest.mark.long
VOLUME = "lablie"
SECTORS = 48 * 2048
REAL = 37035
"""Sectors that are really there: no multiple of 4 KiB, and not near a power of two."""


@contextmanager
def lying(*lines: str) -> Iterator[str]:
    """A volume over LABRAID3 with this table; `DRIVE` in a line is the drive."""
    for module in ("dm-mod", "dm-flakey", "dm-zero"):
        bench.tool("modprobe", module)
    table = "\n".join(line.replace("DRIVE", bench.node("LABRAID3")) for line in lines)
    bench.tool("dmsetup", "create", VOLUME, "--noudevsync", "--table", table)
    try:
        names = {path.parent.parent.name: path.read_text().strip() for path in Path("/sys/block").glob("dm-*/dm/name")}
        yield next(f"/dev/{node}" for node, name in names.items() if name == VOLUME)
    finally:
        bench.tool("dmsetup", "remove", "--retry", "--noudevsync", VOLUME)


@contextmanager
def failing(first: int, count: int) -> Iterator[DriveDevice]:
    """A SCSI drive whose reads of these sectors are medium errors."""
    place = (f"medium_error_start={first}", f"medium_error_count={count}")
    bench.tool("modprobe", "scsi_debug", f"dev_size_mb={SECTORS // 2048}", "delay=0", "opts=2", *place)
    try:
        bench.wait("the drive is there", lambda: any(debugging()))
        device = devices.find(f"/dev/{next(debugging())}")
        assert isinstance(device, DriveDevice)
        yield device
    finally:
        bench.tool("modprobe", "--remove", "scsi_debug")


def found(name: str, *lines: str) -> dict[str, dict[str, Any]]:
    """The findings of a media test of such a volume: {key: values}."""
    with lying(*lines) as path:
        return ran(name, path, VOLUME)


def ran(name: str, path: str, serial: str) -> dict[str, dict[str, Any]]:
    """The findings of a media test: {key: values}."""
    folder = bench.RUNS / f"media-{name}"
    done = bench.stend("run", "media", "--target", path, "--destroy-data", serial, "--into", str(folder))
    assert done.returncode == 0, done.stderr
    return {f.key: f.values for f in findings.find(store.load(folder)) if f.name == "media"}


def test_a_region_that_is_mapped_twice_is_a_wrap() -> None:
    said = found("wrap", f"0 {REAL} linear DRIVE 0", f"{REAL} {REAL} linear DRIVE 0")
    assert said["wraps"]["wrap"] == REAL * 512
    assert said["less"]["kept"] == REAL * 512


def test_a_part_that_stores_nothing_is_the_end_of_the_real_capacity() -> None:
    said = found("zero", f"0 {REAL} linear DRIVE 0", f"{REAL} {SECTORS - REAL} zero")
    assert said["ends"] | {"first": REAL * 512, "end": SECTORS * 512} == said["ends"]


def test_a_medium_error_is_named_by_its_place_and_the_kernel_s_lines_are_kept() -> None:
    first, count = 20 * 2048 + 8, 16
    with failing(first, count) as device:
        said = ran("medium", device.identity.path, device.identity.serial)
    assert (said["unreadable"]["first"], said["unreadable"]["bytes"]) == (first * 512, count * 512)
    assert said["faulty"]["lost"] == count
    evidence = list((bench.RUNS / "media-medium" / "evidence").glob("*/*"))
    (log,) = (path.read_text() for path in evidence if path.name == "kernel.log")
    assert "medium error" in log.lower()
    assert {"kernel.log", "smartctl.json"} <= {path.name for path in evidence}


def test_a_part_that_fails_is_named_by_its_place() -> None:
    first, length = 20 * 2048, 64
    said = found(
        "error",
        f"0 {first} linear DRIVE 0",
        f"{first} {length} error",
        f"{first + length} {SECTORS - first - length} linear DRIVE {first + length}",
    )
    for key in ("unreadable", "unwritable"):
        assert (said[key]["first"], said[key]["bytes"]) == (first * 512, length * 512)


def test_a_byte_that_changes_on_its_way_is_found() -> None:
    said = found("corrupt", f"0 {SECTORS} flakey DRIVE 0 0 3600 5 corrupt_bio_byte 100 r 255 0")
    assert said["flips"]["blocks"] > SECTORS // 2048 * 3 // 4  # one byte in 256 had that value before
    assert said["flips"]["bits"] <= 8 * said["flips"]["blocks"]


def test_writes_that_are_dropped_are_found() -> None:
    said = found("drop", f"0 {SECTORS} flakey DRIVE 0 0 3600 1 drop_writes")
    assert "real" not in said
    assert said["less"]["kept"] == 0


def test_an_honest_volume_is_not_accused() -> None:
    assert list(found("linear", f"0 {SECTORS} linear DRIVE 0")) == ["real"]
