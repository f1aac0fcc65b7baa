"""Whole runs on drives that answer, and on drives that stop answering."""

import pytest

from stend import store
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
