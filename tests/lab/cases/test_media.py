"""Media tests of volumes that lie: device-mapper between stend and an NVMe drive."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from stend import findings, store
from tests.lab import bench

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


def found(name: str, *lines: str) -> dict[str, dict[str, Any]]:
    """The findings of a media test of such a volume: {key: values}."""
    folder = bench.RUNS / f"media-{name}"
    with lying(*lines) as path:
        done = bench.stend("run", "media", "--target", path, "--destroy-data", VOLUME, "--into", str(folder))
    assert done.returncode == 0, done.stderr
    return {f.key: f.values for f in findings.find(store.load(folder)) if f.name == "media"}


def test_a_region_that_is_mapped_twice_is_a_wrap() -> None:
    said = found("wrap", f"0 {REAL} linear DRIVE 0", f"{REAL} {REAL} linear DRIVE 0")
    assert said["wraps"]["wrap"] == REAL * 512
    assert said["less"]["kept"] == REAL * 512


def test_a_part_that_stores_nothing_is_the_end_of_the_real_capacity() -> None:
    said = found("zero", f"0 {REAL} linear DRIVE 0", f"{REAL} {SECTORS - REAL} zero")
    assert said["ends"] | {"first": REAL * 512, "end": SECTORS * 512} == said["ends"]


def test_a_part_that_fails_is_named_by_its_place_and_the_kernel_s_lines_are_kept() -> None:
    first, length = 20 * 2048, 64
    said = found(
        "error",
        f"0 {first} linear DRIVE 0",
        f"{first} {length} error",
        f"{first + length} {SECTORS - first - length} linear DRIVE {first + length}",
    )
    for key in ("unreadable", "unwritable"):
        assert (said[key]["first"], said[key]["bytes"]) == (first * 512, length * 512)
    kept = [path.read_text() for path in (bench.RUNS / "media-error" / "evidence").glob("*/kernel.log")]
    assert any("I/O error, dev dm-" in text for text in kept)


def test_a_byte_that_changes_on_its_way_is_found() -> None:
    said = found("corrupt", f"0 {SECTORS} flakey DRIVE 0 0 3600 5 corrupt_bio_byte 100 r 255 0")
    assert said["flips"]["blocks"] >= SECTORS // 2048
    assert said["flips"]["bits"] <= 8 * said["flips"]["blocks"]


def test_writes_that_are_dropped_are_found() -> None:
    said = found("drop", f"0 {SECTORS} flakey DRIVE 0 0 3600 1 drop_writes")
    assert "real" not in said
    assert said["less"]["kept"] == 0


def test_an_honest_volume_is_not_accused() -> None:
    assert list(found("linear", f"0 {SECTORS} linear DRIVE 0")) == ["real"]
