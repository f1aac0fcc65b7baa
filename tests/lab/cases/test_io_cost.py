"""Reads at a rate beside those of another cgroup, with io.cost on and off: a drive of four slots of 50 ms (null_blk).

Without io.cost the neighbour's 32 reads keep the slots busy, and each read waits behind eight others. The model of
io.cost states half of the drive's rate, so that a slot is free for the read of a cgroup that has not used its share.
"""

import json
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from stend.engines.replay import ReplayEngine, SenderLoad
from stend.model.counts import Counts
from stend.model.stats import percentile_s
from stend.model.workload import Workload
from tests.lab import bench

pytestmark = pytest.mark.long
CGROUPS, DRIVE = Path("/sys/fs/cgroup"), "/dev/nullb0"
WEIGHTS = {"victim": 1000, "neighbour": 10}
SLOTS, SLOT_MS, DEPTH, SECONDS = 4, 50, 32, 30
IOPS = SLOTS * 1000 // SLOT_MS
READS = Workload(random_pct=100, read_pct=100, block_bytes=4096, depth=256, range_bytes=1 << 28, rate_iops=5.0)
"""A rate at which waits for the drive are longer than those for an emulated processor, which can be 0.1 s."""


@pytest.fixture
def tenants() -> Iterator[None]:
    """The drive, and a cgroup for each tenant."""
    slots = f"queue_mode=2 irqmode=2 submit_queues=1 hw_queue_depth={SLOTS} completion_nsec={SLOT_MS * 1_000_000}"
    bench.tool("modprobe", "null_blk", "nr_devices=1", "gb=1", "bs=4096", *slots.split())
    bench.tool("mount", "-t", "cgroup2", "none", str(CGROUPS))
    (CGROUPS / "cgroup.subtree_control").write_text("+io")
    for name, weight in WEIGHTS.items():
        (CGROUPS / name).mkdir()
        (CGROUPS / name / "io.weight").write_text(f"default {weight}")
    yield
    bench.tool("umount", str(CGROUPS))


@contextmanager
def inside(name: str) -> Iterator[None]:
    """Be in a cgroup, as all processes started meanwhile are."""
    (CGROUPS / name / "cgroup.procs").write_text("0")
    yield
    (CGROUPS / "cgroup.procs").write_text("0")


def switch(*, on: bool) -> None:
    """Turn io.cost of the drive on or off."""
    number = os.stat(DRIVE).st_rdev
    device = f"{os.major(number)}:{os.minor(number)}"
    rates = " ".join(f"{way}seqiops={IOPS // 2} {way}randiops={IOPS // 2} {way}bps=1000000000" for way in "rw")
    (CGROUPS / "io.cost.model").write_text(f"{device} ctrl=user model=linear {rates}")
    (CGROUPS / "io.cost.qos").write_text(f"{device} enable={int(on)} ctrl=user min=100.00 max=100.00")


@contextmanager
def reads() -> Iterator[list[float]]:
    """Read beside, in the neighbour's cgroup; the list has its IOPS afterwards."""
    found: list[float] = []
    words = f"fio --name=x --filename={DRIVE} --rw=randread --bs=4k --direct=1 --ioengine=libaio --iodepth={DEPTH}"
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


def test_io_cost_keeps_the_reads_of_one_tenant_from_those_of_another(tenants: None) -> None:
    """One load all the time, because an emulated machine takes a minute to start a sender."""
    switch(on=False)
    engine, found = ReplayEngine(DRIVE), dict[str, float]()
    with inside("victim"):
        load = engine.start(READS, seed=1)
    found["alone"] = p90_ms(load)
    for name in ("off", "on"):
        switch(on=name == "on")
        with reads() as iops:
            found[name] = p90_ms(load)
        print(f"io.cost {name}: neighbour {iops[0]:.0f} IOPS, victim's p90 {found[name]:.1f} ms", flush=True)
    found["alone again"] = p90_ms(load)
    engine.close()
    switch(on=False)
    print(f"p90 in ms: {found}", flush=True)
    assert found["off"] > 3 * found["alone"]
    assert found["on"] < 0.5 * found["off"]
