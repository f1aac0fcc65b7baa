"""Whole runs on drives that answer, and on drives that stop answering."""

import signal
from pathlib import Path

import pytest

from stend import store
from tests.lab import bench
from tests.lab.child import Child

pytestmark = pytest.mark.long


def test_iops_on_nvme() -> None:
    path, folder = bench.node("LABONE"), bench.RUNS / "iops-nvme"
    bench.fill(path)
    done = bench.stend("run", "iops", *bench.SHORT, "--target", path, "--destroy-data", "LABONE", "--into", str(folder))
    assert done.returncode == 0, done.stderr
    run = store.load(folder)
    assert len(run.of("iops", "rounds")) == 56
    assert all(result.counts.both.ios for result in run.of("iops", "rounds"))
    assert (folder / "report.html").exists()
    assert "the drive's write cache was enabled and is disabled for this run" in [note.text for note in run.notes]
    assert bench.cache("LABONE") == "enabled"


def test_a_killed_run_leaves_the_cache_off_and_doctor_puts_it_back() -> None:
    path, folder = bench.node("LABONE"), bench.RUNS / "killed"
    asked = ("run", "latency", *bench.SHORT, "--target", path, "--destroy-data", "LABONE", "--into", str(folder))
    with Child(asked) as child:
        bench.wait("the run began", lambda: bench.results(folder) >= 1 or not child.running)
        assert bench.cache("LABONE") == "disabled"
        child.send(signal.SIGKILL)
    assert bench.cache("LABONE") == "disabled"
    assert "the write cache of LABONE is enabled again" in bench.here("doctor", str(folder)).stdout
    assert bench.cache("LABONE") == "enabled"
    assert "again" not in bench.here("doctor", str(folder)).stdout


def test_ctrl_c_puts_the_cache_back() -> None:
    path, folder = bench.node("LABSATA"), bench.RUNS / "stopped"
    asked = ("run", "latency", *bench.SHORT, "--target", path, "--destroy-data", "LABSATA", "--into", str(folder))
    with Child(asked) as child:
        bench.wait("the run began", lambda: bench.results(folder) >= 1 or not child.running)
        assert bench.cache("LABSATA") == "disabled", child.end()
        child.send(signal.SIGINT)
        assert child.end().returncode == 130
    assert bench.cache("LABSATA") == "enabled"


def test_a_drive_that_is_unplugged_in_mid_run_and_plugged_in_again() -> None:
    path, folder = bench.node("LABGONE"), bench.RUNS / "unplugged"
    asked = ("run", "write-saturation", *bench.SHORT, "--target", path, "--destroy-data", "LABGONE")
    done = bench.amid((*asked, "--into", str(folder)), folder, lambda: bench.ask_host("unplug"))
    bench.failed(done, folder)
    resume = ("resume", str(folder), "--destroy-data", "LABGONE")
    again = bench.here(*resume)
    assert again.returncode == 2
    assert "is not there" in again.stderr
    bench.ask_host("plug")
    bench.wait("it is there again", lambda: Path(path).is_block_device())
    again = bench.stend(*resume)
    assert again.returncode == 0, again.stderr


def test_a_run_goes_on_when_two_drives_have_changed_their_nodes() -> None:
    path, other, folder = bench.node("LABONE"), bench.node("LABGONE"), bench.RUNS / "places"
    asked = ("run", "latency", *bench.SHORT, "--target", path, "--destroy-data", "LABONE", "--into", str(folder))
    with Child(asked) as child:
        bench.wait("the run began", lambda: bench.results(folder) >= 1 or not child.running)
        child.send(signal.SIGKILL)
    nodes = (Path("/sys/class/block", Path(node).name) for node in sorted((path, other)))
    cards = [(node / "device/device").resolve().name for node in nodes]
    for card in cards:
        Path("/sys/bus/pci/drivers/nvme/unbind").write_text(card)
    for card in reversed(cards):
        Path("/sys/bus/pci/drivers/nvme/bind").write_text(card)
    bench.wait("both are there", lambda: Path(path).is_block_device() and Path(other).is_block_device())
    assert (bench.node("LABONE"), bench.node("LABGONE")) == (other, path)
    bench.fill(path)
    again = bench.stend("resume", str(folder), "--destroy-data", "LABONE")
    assert again.returncode == 0, again.stderr
    assert f"the drive was {path} when the run began and is {other} now" in again.stderr
    assert bench.holds_mark(path)
