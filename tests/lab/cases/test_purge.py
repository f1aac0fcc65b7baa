"""Purges by every method that the machine's drives have, each with data proved gone by reading the whole drive."""

from pathlib import Path

import pytest

from stend import devices
from stend.devices.nvme import NvmeDevice
from tests.lab import bench


def lba_format(path: str) -> int:
    formats = devices.find(path).identity.facts["lba_formats"]
    return int(next(f["index"] for f in formats if f["in_use"]))


def name_of(path: str) -> str:
    identity = devices.find(path).identity
    return identity.serial if "LABPAIR" not in identity.serial else identity.wwn


def purge(path: str, *more: str) -> str:
    done = bench.here("purge", "--target", path, "--destroy-data", name_of(path), *more)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("serial", "more", "said"),
    [
        ("LABONE", (), "NVMe Format, user data erase, LBA format 0 kept"),
        pytest.param("LABONE", ("--method", "discard"), "all blocks discarded", marks=pytest.mark.long),
        pytest.param("LABONE", ("--method", "zero"), "zeros written over all blocks", marks=pytest.mark.long),
        ("LABSATA", (), "all blocks discarded"),
        pytest.param("LABSATA", ("--method", "zero"), "zeros written over all blocks", marks=pytest.mark.long),
        pytest.param("LABSCSI", (), "all blocks discarded", marks=pytest.mark.long),
        ("LABSCSI", ("--method", "zero"), "zeros written over all blocks"),
    ],
)
def test_data_is_gone(serial: str, more: tuple[str, ...], said: str) -> None:
    path = bench.node(serial)
    bench.fill(path)
    told = purge(path, *more)
    assert said in told
    assert "read back as zeros" in told
    assert ("not a drive's own purge" in told) == ("Format" not in said)
    assert not bench.holds_mark(path)


def test_a_format_keeps_the_lba_format_and_leaves_the_other_namespace_alone() -> None:
    one, two = bench.node("LABPAIR", 1), bench.node("LABPAIR", 2)
    bench.tool("nvme", "format", one, "--lbaf=4", "--force")
    assert lba_format(one) == 4
    for path in (one, two):
        bench.fill(path)
    assert "LBA format 4 kept" in purge(one)
    assert lba_format(one) == 4
    assert not bench.holds_mark(one)
    assert bench.holds_mark(two)


def test_a_namespace_that_is_not_attached_is_known_to_be_on_the_drive() -> None:
    """What wipes a whole drive would take it too, though no node shows it."""
    one, two = bench.node("LABPAIR", 1), bench.node("LABPAIR", 2)
    device = devices.find(one)
    assert isinstance(device, NvmeDevice)
    assert device.abilities().neighbours == (Path(two).name,)
    ids = ("--namespace-id=2", f"--controllers={device.layout().controllers[0]}")
    bench.tool("nvme", "detach-ns", device.controller, *ids)
    try:
        bench.wait("its node is gone", lambda: not Path("/sys/class/block", Path(two).name).exists())
        assert device.abilities().neighbours == ("namespace 2, which is not attached here",)
    finally:
        bench.tool("nvme", "attach-ns", device.controller, *ids)
        bench.tool("nvme", "ns-rescan", device.controller)
        bench.wait("its node is back", lambda: Path("/sys/class/block", Path(two).name).exists())


def test_a_method_that_the_drive_has_not_is_refused_and_nothing_is_lost() -> None:
    path = bench.node("LABONE")
    bench.fill(path)
    done = bench.here("purge", "--target", path, "--destroy-data", "LABONE", "--method", "sanitize")
    assert done.returncode == 3
    assert "it has no Sanitize" in done.stderr
    assert bench.holds_mark(path)


def test_a_drive_that_says_formatted_and_kept_its_data_is_found_out() -> None:
    path = bench.node("LABSCSI")  # QEMU's disk answers Format Unit and does nothing
    bench.fill(path)
    words = "sg_format --format --early --quick {node}"
    done = bench.here("purge", "--target", path, "--destroy-data", "LABSCSI", "--command", words)
    assert done.returncode == 5
    assert "still holds what it held at byte 0" in done.stderr


def test_the_drives_own_words_end_a_purge_that_it_does_not_take() -> None:
    path = bench.node("LABONE")
    words = "nvme sanitize {controller} --sanact=2"
    done = bench.here("purge", "--target", path, "--destroy-data", "LABONE", "--command", words)
    assert done.returncode == 5
    assert "Invalid Command Opcode" in done.stderr
