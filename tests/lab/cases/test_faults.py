"""Runs on a volume that fails, slows down or stops answering: device-mapper between stend and an NVMe drive."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from stend import store
from tests.lab import bench

pytestmark = pytest.mark.long
VOLUME, SIZE_SECTORS = "labvolume", 128 * 2048


@pytest.fixture
def volume() -> Iterator[str]:
    """A volume over LABRAID3, whose table the case changes under way."""
    for module in ("dm-mod", "dm-flakey", "dm-delay"):
        bench.tool("modprobe", module)
    bench.tool("dmsetup", "create", VOLUME, "--noudevsync", "--table", table("linear", "0"))
    names = {path.parent.parent.name: path.read_text().strip() for path in Path("/sys/block").glob("dm-*/dm/name")}
    yield next(f"/dev/{node}" for node, name in names.items() if name == VOLUME)  # no udev here, so no link to it
    bench.tool("dmsetup", "resume", VOLUME, "--noudevsync")
    bench.tool("dmsetup", "remove", "--retry", "--noudevsync", VOLUME)


def table(kind: str, more: str) -> str:
    return f"0 {SIZE_SECTORS} {kind} {bench.node('LABRAID3')} {more}"


def turn(kind: str, more: str) -> None:
    """From now on the volume is of that kind."""
    bench.tool("dmsetup", "suspend", "--noflush", "--nolockfs", "--noudevsync", VOLUME)
    bench.tool("dmsetup", "load", VOLUME, "--table", table(kind, more))
    bench.tool("dmsetup", "resume", "--noudevsync", VOLUME)


def asked(test: str, path: str, folder: Path) -> tuple[str, ...]:
    return ("run", test, *bench.SHORT, "--target", path, "--destroy-data", VOLUME, "--into", str(folder))


def test_io_errors_from_a_time_on_end_the_run_and_resume_goes_on_when_they_are_over(volume: str) -> None:
    folder = bench.RUNS / "errors"
    done = bench.amid(asked("write-saturation", volume, folder), folder, lambda: turn("flakey", "0 0 3600"))
    assert "Input/output error" in bench.failed(done, folder)
    turn("linear", "0")
    again = bench.stend("resume", str(folder), "--destroy-data", VOLUME)
    assert again.returncode == 0, again.stderr


def test_a_drive_that_stops_answering_ends_the_run_and_resume_goes_on_when_it_is_well(volume: str) -> None:
    folder = bench.RUNS / "hang"
    suspend = ("dmsetup", "suspend", "--noflush", "--nolockfs", "--noudevsync", VOLUME)
    done = bench.amid(asked("write-saturation", volume, folder), folder, lambda: bench.tool(*suspend))
    reason = bench.failed(done, folder)
    assert "was silent for" in reason or "hangs in the kernel" in reason
    bench.tool("dmsetup", "resume", "--noudevsync", VOLUME)
    again = bench.stend("resume", str(folder), "--destroy-data", VOLUME)
    assert again.returncode == 0, again.stderr


def test_a_drive_that_answers_slowly_is_measured_as_slow(volume: str) -> None:
    folder = bench.RUNS / "slow"
    done = bench.amid(asked("write-saturation", volume, folder), folder, lambda: turn("delay", "0 50"))
    assert done.returncode == 0, done.stderr
    found = [result.counts.both.ios for result in store.load(folder).of("write-saturation", "saturate")]
    assert 0 < found[-1] < found[0]
