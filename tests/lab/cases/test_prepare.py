"""Other blocks on real kernel drivers; what the machine's drives cannot do is refused; disks are found again."""

import subprocess

import pytest

from stend import devices
from stend.base.units import MiB
from stend.devices.drive import DriveDevice
from stend.devices.purging import rescan
from tests.lab import bench


def prepare(path: str, *more: str) -> "subprocess.CompletedProcess[str]":
    identity = devices.find(path).identity
    name = identity.serial if "LABPAIR" not in identity.serial else identity.wwn
    return bench.here("provision", "--target", path, "--destroy-data", name, *more)


@pytest.mark.long
def test_one_namespace_gets_other_blocks_and_its_own_again_and_the_other_is_left_alone() -> None:
    path, other = bench.node("LABPAIR", 2), bench.node("LABPAIR", 1)
    for node in (path, other):
        bench.fill(node, MiB)
    for size in (4096, 512):
        done = prepare(path, "--lba-bytes", str(size))
        assert done.returncode == 0, done.stderr
        assert f"in blocks of {size} bytes" in done.stdout
        assert devices.find(path).identity.logical_bytes == size
        assert f"has blocks of {size} bytes" in prepare(path, "--lba-bytes", str(size)).stdout
    assert not bench.holds_mark(path)
    assert bench.holds_mark(other)


@pytest.mark.parametrize(
    ("serial", "more", "words"),
    [
        ("LABONE", ("--lba-bytes", "1024"), "it has no blocks of 1024 bytes; request one of its sizes: 512, 4096"),
        ("LABSATA", ("--lba-bytes", "4096"), "it does not report that its block size can be changed"),
        ("LABSATA", ("--capacity", "64MiB"), "--active-range 50"),
        ("LABSCSI", ("--lba-bytes", "4096"), "it has no Format Unit"),
        ("LABSCSI", ("--capacity", "64MiB"), "--active-range 50"),
    ],
)
def test_what_a_drive_cannot_is_refused_and_nothing_is_lost(serial: str, more: tuple[str, ...], words: str) -> None:
    path = bench.node(serial)
    bench.fill(path, MiB)
    done = prepare(path, *more)
    assert done.returncode == 3
    assert words in done.stderr
    assert bench.holds_mark(path)


def test_a_namespace_that_cannot_be_detached_is_left_alone() -> None:
    path = bench.node("LABONE")  # says that it has namespace management, and has none
    bench.fill(path, MiB)
    done = prepare(path, "--capacity", "64MiB")
    assert done.returncode == 5
    assert "`nvme detach-ns" in done.stderr
    assert bench.holds_mark(path)


@pytest.mark.parametrize(("serial", "interface"), [("LABSATA", "sata"), ("LABSCSI", "scsi")])
def test_a_disk_is_found_where_it_is_after_the_kernel_looked_again(serial: str, interface: str) -> None:
    path = bench.node(serial)
    device = devices.find(path)
    assert isinstance(device, DriveDevice)
    rescan.by_kernel(device.kernel, device.node, interface)
    bench.wait("it is not there again", lambda: bool(rescan.current_path(device.kernel, device.identity, path[5:])))
    found = rescan.current_path(device.kernel, device.identity, path[5:])
    assert device.find_again(found).identity.serial == serial
