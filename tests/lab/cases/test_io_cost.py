"""Reads at a rate beside those of another cgroup, with io.cost on and off: loop devices on one drive.

The neighbour reads too, because QEMU, which limits the drive, has a queue for reads and another for writes.
"""

import json
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from stend.base.units import MiB
from stend.engines.replay import ReplayEngine, SenderLoad
from stend.model.counts import Counts
from stend.model.stats import percentile_s
from stend.model.workload import Workload
from tests.lab import bench
from tests.lab.machine import SLOW_IOPS

pytestmark = pytest.mark.long
CGROUPS, MOUNT = Path("/sys/fs/cgroup"), Path("/tmp/slow")
WEIGHTS = {"victim": 1000, "neighbour": 10}
DEPTH, SIZE, SECONDS = 32, 24 * MiB, 20
READS = Workload(random_pct=100, read_pct=100, block_bytes=4096, depth=256, range_bytes=SIZE, rate_iops=6.0)
"""Rates that keep the waits for the drive longer than those for an emulated processor, which can be 0.1 s."""


class Tenants(NamedTuple):
    """The node of the drive of both, and each tenant's loop device."""

    drive: str
    victim: str
    neighbour: str


@pytest.fixture
def tenants() -> Iterator[Tenants]:
    """Two loop devices on files of one file system, and a cgroup for each."""
    for module in ("loop", "ext4"):
        bench.tool("modprobe", module)
    drive = bench.node("LABSLOW")
    bench.tool("mkfs.ext4", "-q", "-F", drive)
    MOUNT.mkdir(exist_ok=True)
    bench.tool("mount", drive, str(MOUNT))
    bench.tool("mount", "-t", "cgroup2", "none", str(CGROUPS))
    (CGROUPS / "cgroup.subtree_control").write_text("+io +memory")
    loops = []
    for name, weight in WEIGHTS.items():
        (CGROUPS / name).mkdir()
        (CGROUPS / name / "io.weight").write_text(f"default {weight}")
        with (MOUNT / name).open("wb") as file:
            file.write(os.urandom(SIZE))  # an extent without data is read without the drive
            os.fsync(file.fileno())
        loops.append(bench.tool("losetup", "--find", "--show", "--direct-io=on", str(MOUNT / name)).strip())
    yield Tenants(drive, *loops)
    for loop in loops:
        bench.tool("losetup", "--detach", loop)
    bench.tool("umount", str(MOUNT))
    bench.tool("umount", str(CGROUPS))


@contextmanager
def inside(name: str) -> Iterator[None]:
    """Be in a cgroup, as all processes started meanwhile are."""
    (CGROUPS / name / "cgroup.procs").write_text("0")
    yield
    (CGROUPS / "cgroup.procs").write_text("0")


def switch(drive: str, *, on: bool) -> None:
    """Turn io.cost of a drive on or off; its model is the limit of the drive."""
    number = os.stat(drive).st_rdev
    device = f"{os.major(number)}:{os.minor(number)}"
    rates = " ".join(f"{way}seqiops={SLOW_IOPS} {way}randiops={SLOW_IOPS} {way}bps=1000000000" for way in "rw")
    (CGROUPS / "io.cost.model").write_text(f"{device} ctrl=user model=linear {rates}")
    (CGROUPS / "io.cost.qos").write_text(f"{device} enable={int(on)} ctrl=user min=100.00 max=100.00")


@contextmanager
def reads(path: str) -> Iterator[list[float]]:
    """Read beside, in the neighbour's cgroup; the list has its IOPS afterwards."""
    found: list[float] = []
    words = f"fio --name=x --filename={path} --rw=randread --bs=4k --direct=1 --ioengine=libaio --iodepth={DEPTH}"
    words += " --time_based --runtime=3600 --output-format=json"
    with inside("neighbour"):
        fio = subprocess.Popen(words.split(), stdout=subprocess.PIPE, text=True)
    time.sleep(10)
    yield found
    fio.terminate()
    told = fio.communicate(timeout=60)[0]
    found.append(json.loads(told[told.index("{") :])["jobs"][0]["read"]["iops"])


def p90_ms(load: SenderLoad) -> float:
    """Measure the victim for SECONDS, from its next interval on; return the p90 of its reads in ms."""
    load.next()
    counts = Counts()
    for _ in range(SECONDS):
        counts += load.next() or Counts()
    return 1e3 * (percentile_s(counts.read, 90) or 0)


def test_io_cost_keeps_the_reads_of_one_tenant_from_those_of_another(tenants: Tenants) -> None:
    """One load all the time, because an emulated machine takes a minute to start a sender."""
    switch(tenants.drive, on=False)
    engine, found = ReplayEngine(tenants.victim), dict[str, float]()
    with inside("victim"):
        load = engine.start(READS, seed=1)
    found["alone"] = p90_ms(load)
    for name in ("off", "on"):
        switch(tenants.drive, on=name == "on")
        with reads(tenants.neighbour) as iops:
            found[name] = p90_ms(load)
        print(f"io.cost {name}: neighbour {iops[0]:.0f} IOPS, victim's p90 {found[name]:.1f} ms", flush=True)
    found["alone again"] = p90_ms(load)
    engine.close()
    switch(tenants.drive, on=False)
    print(f"p90 in ms: {found}", flush=True)
    assert found["off"] > 3 * found["alone"]
    assert found["on"] < found["off"]
