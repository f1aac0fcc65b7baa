"""A SCSI drive that the kernel plays (scsi_debug): its caching mode page, UNMAP, errors with sense data."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from stend import devices, store
from stend.devices.drive import DriveDevice
from tests.lab import bench
from tests.lab.child import Child

DRIVER = Path("/sys/bus/pseudo/drivers/scsi_debug")
READS_ONES, MEDIUM_ERRORS, WELL = "lbprz=2", "2", "0"
WCE, HELD_MIB = 4, 48


@pytest.fixture
def drive() -> Iterator[DriveDevice]:
    """A drive whose discarded blocks read as ones, and whose medium can be made to fail everywhere."""
    everywhere = ("medium_error_start=0", "medium_error_count=1000000")
    bench.tool("modprobe", "scsi_debug", f"dev_size_mb={HELD_MIB}", "lbpu=1", READS_ONES, "delay=0", *everywhere)
    bench.wait("the drive is there", lambda: any(found()))
    device = devices.find(f"/dev/{next(found())}")
    assert isinstance(device, DriveDevice)
    yield device
    bench.tool("modprobe", "--remove", "scsi_debug")


def found() -> Iterator[str]:
    for model in Path("/sys/class/block").glob("sd*/device/model"):
        if model.read_text().strip() == "scsi_debug":
            yield model.parent.parent.name


def cache(device: DriveDevice) -> str:
    """As stend tells it; AssertionError where the caching mode page (SBC-4, 6.5.6) says otherwise to sg_modes."""
    told = bench.tool("sg_modes", "--page=8", device.identity.path).splitlines()
    current = told[next(n for n, line in enumerate(told) if "Caching" in line and "current" in line) + 1]
    enabled = int(current.split()[3], 16) & WCE
    assert device.cache() == ("enabled" if enabled else "disabled")
    return device.cache()


def test_the_write_cache_of_the_caching_mode_page_is_set_and_read_back(drive: DriveDevice) -> None:
    assert cache(drive) == "enabled"
    drive.door.open(writes=False, destroy=None)
    try:
        for setting in ("disabled", "enabled"):
            drive.set_cache(setting)
            assert cache(drive) == setting
    finally:
        drive.door.close()


def test_discarded_blocks_that_do_not_read_as_zeros_are_overwritten(drive: DriveDevice) -> None:
    path, serial = drive.identity.path, drive.identity.serial
    bench.fill(path)
    done = bench.here("purge", "--target", path, "--destroy-data", serial)
    assert done.returncode == 0, done.stderr
    assert "zeros written over all blocks" in done.stdout
    assert "discarded blocks did not read as zeros" in done.stdout
    assert not bench.holds_mark(path)


@pytest.mark.long
def test_the_cache_is_put_back_after_a_failure_and_after_the_resume(drive: DriveDevice) -> None:
    serial, folder = drive.identity.serial, bench.RUNS / "medium"
    named = ("--destroy-data", serial)
    asked = ("run", "latency", *bench.SHORT, "--target", drive.identity.path, *named, "--into", str(folder))
    with Child(asked) as child:
        bench.wait("it was filled", lambda: bench.results(folder) >= 2 or not child.running)
        assert cache(drive) == "disabled"
        (DRIVER / "opts").write_text(MEDIUM_ERRORS)
        done = child.end()
    (DRIVER / "opts").write_text(WELL)
    assert done.returncode == 5, done.stderr
    run = store.load(folder)
    assert run.ended is not None
    assert run.ended.outcome == "failed"
    assert cache(drive) == "enabled"
    with Child(("resume", str(folder), *named)) as child:
        bench.wait("it went on", lambda: bench.results(folder) > len(run.results) or not child.running)
        assert cache(drive) == "disabled"
        done = child.end()
    assert done.returncode == 0, done.stderr
    assert cache(drive) == "enabled"
