"""The power goes in mid-run."""

import pytest

from tests.lab import bench

pytestmark = pytest.mark.long


def test_the_power_is_cut_in_mid_run() -> None:
    path, folder = bench.node("LABONE"), bench.RUNS / "cut"
    asked = ("run", "latency", *bench.SHORT, "--target", path, "--destroy-data", "LABONE", "--into", str(folder))
    with bench.started(*asked) as child:
        bench.wait("the run came to its rounds", lambda: bench.results(folder) >= 5 or child.poll() is not None)
        assert child.poll() is None, child.communicate()
        bench.ask_host("cut")
        child.wait(bench.PATIENCE_S)
    raise AssertionError("the power was not cut")
