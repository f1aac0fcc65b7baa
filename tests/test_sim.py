"""Virtual drives do what real ones do, and the same thing every time."""

import subprocess
import sys

import pytest

from stend.definition import Workload
from stend.devices import find
from stend.engines.simulated import SimulatedEngine
from stend.errors import BadInput, StepFailed
from stend.record import Counts
from stend.units import KiB, MiB

WRITES = Workload(random_pct=100, read_pct=0, block_bytes=4 * KiB, threads=4, depth=8, range_bytes=128 * MiB)
FILL = Workload(random_pct=0, read_pct=0, block_bytes=128 * KiB, threads=3, depth=4, range_bytes=128 * MiB)


def engine(target: str = "sim:small") -> SimulatedEngine:
    return SimulatedEngine(find(target).drive)  # type: ignore[attr-defined]


def hold(e: SimulatedEngine, workload: Workload, seconds: int, seed: int = 1) -> Counts:
    load = e.start(workload, seed=seed)
    total = Counts()
    for _ in range(seconds):
        counts = load.next()
        assert counts is not None
        total += counts
    load.stop()
    return total


def written(e: SimulatedEngine, workload: Workload, limit_bytes: int) -> Counts:
    load, total = e.start(workload, seed=1, limit_bytes=limit_bytes), Counts()
    while (counts := load.next()) is not None:
        total += counts
    return total


def test_a_limited_load_writes_exactly_its_limit() -> None:
    total = written(engine(), FILL, 2 * 128 * MiB)
    assert total.write.bytes == 2 * 128 * MiB
    assert sum(total.write.bins.values()) == total.write.ios == 2 * 1024


def test_random_writes_slow_down_as_the_drive_fills() -> None:
    e = engine()
    fresh = hold(e, WRITES, 1).iops
    hold(e, WRITES, 20)
    assert hold(e, WRITES, 5).iops < 0.7 * fresh


def test_the_same_seed_does_the_same_and_another_does_not() -> None:
    assert hold(engine(), WRITES, 3) == hold(engine(), WRITES, 3)
    assert hold(engine(), WRITES, 3) != hold(engine(), WRITES, 3, seed=2)


def test_another_process_does_the_same() -> None:
    code = (
        "from tests.test_sim import *; c = hold(engine(), WRITES, 3); "
        "print(c.write.ios, c.write.latency_ns, sorted(c.write.bins.items()))"
    )
    once = [subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout for _ in range(2)]
    assert once[0] == once[1]


def test_the_ideal_drive_serves_what_its_times_say() -> None:
    reads = Workload(random_pct=100, read_pct=100, block_bytes=4 * KiB, range_bytes=MiB)
    counts = hold(engine("sim:ideal"), reads, 1)
    link_us = 4 * KiB / 2000
    assert counts.read.mean_s == pytest.approx((5 + 50 + link_us) * 1e-6, rel=0.001)


def test_a_drive_told_to_die_fails_the_step() -> None:
    e = engine("sim:small?dies_at_s=2.5")
    with pytest.raises(StepFailed, match="does not answer"):
        hold(e, WRITES, 5)
    assert e.now() == 2


def test_an_unknown_drive_or_option_is_named() -> None:
    with pytest.raises(BadInput, match="small"):
        find("sim:nothing")
    with pytest.raises(BadInput, match="dies_at_s"):
        find("sim:small?colour=red")


def test_help_does_not_load_the_compiler() -> None:
    code = "import sys, stend.devices as d; d.find('sim:small').identity; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
