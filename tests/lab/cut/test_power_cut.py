"""The power goes in mid-run."""

import pytest

from tests.lab import bench
from tests.lab.child import Child

pytestmark = pytest.mark.long


def test_the_power_is_cut_in_mid_run() -> None:
    path, folder = bench.node("LABONE"), bench.RUNS / "cut"
    asked = ("run", "latency", *bench.SHORT, "--target", path, "--destroy-data", "LABONE", "--into", str(folder))
    with Child(asked) as child:
        bench.wait("the run came to its rounds", lambda: bench.results(folder) >= 5 or not child.running)
        assert child.running, child.end()
        bench.ask_host("cut")
        child.end()
    raise AssertionError("the power was not cut")
