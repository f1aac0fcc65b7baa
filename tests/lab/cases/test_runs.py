"""Whole runs on drives that answer, and on drives that stop answering."""

import signal

import pytest

from stend import devices, store
from stend.devices._drive import DriveDevice
from tests.lab import bench

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
    assert cache("LABONE") == "enabled"


def cache(serial: str) -> str:
    device = devices.find(bench.node(serial))
    assert isinstance(device, DriveDevice)
    return device.cache()


def test_a_killed_run_leaves_the_cache_off_and_doctor_puts_it_back() -> None:
    path, folder = bench.node("LABONE"), bench.RUNS / "killed"
    asked = ("run", "latency", *bench.SHORT, "--target", path, "--destroy-data", "LABONE", "--into", str(folder))
    with bench.started(*asked) as child:
        bench.wait("the run began", lambda: bench.results(folder) >= 1 or child.poll() is not None)
        assert cache("LABONE") == "disabled"
        child.kill()
    assert cache("LABONE") == "disabled"
    assert "the write cache of LABONE is enabled again" in bench.here("doctor", str(folder)).stdout
    assert cache("LABONE") == "enabled"
    assert "again" not in bench.here("doctor", str(folder)).stdout


def test_ctrl_c_puts_the_cache_back() -> None:
    path, folder = bench.node("LABSATA"), bench.RUNS / "stopped"
    asked = ("run", "latency", *bench.SHORT, "--target", path, "--destroy-data", "LABSATA", "--into", str(folder))
    with bench.started(*asked) as child:
        bench.wait("the run began", lambda: bench.results(folder) >= 1 or child.poll() is not None)
        assert cache("LABSATA") == "disabled"
        child.send_signal(signal.SIGINT)
        assert child.wait(bench.PATIENCE_S) == 130
    assert cache("LABSATA") == "enabled"


def test_a_drive_that_is_unplugged_in_mid_run() -> None:
    path, folder = bench.node("LABGONE"), bench.RUNS / "unplugged"
    asked = ("run", "write-saturation", *bench.SHORT, "--target", path, "--destroy-data", "LABGONE")
    with bench.started(*asked, "--into", str(folder)) as child:
        bench.wait("the run began", lambda: bench.results(folder) >= 3)
        bench.ask_host("unplug gone")
        _, err = child.communicate(timeout=bench.PATIENCE_S)
    assert child.returncode == 5, err
    assert "Traceback" not in err
    run = store.load(folder)
    assert run.ended is not None
    assert run.ended.outcome == "failed"
    assert run.ended.reason in err
    again = bench.stend("resume", str(folder), "--destroy-data", "LABGONE")
    assert again.returncode == 2
    assert "is not there" in again.stderr
