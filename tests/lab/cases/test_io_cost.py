"""Reads at a rate beside the writes of another cgroup, with io.cost on and off: loop devices on one drive."""

import json
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from stend import store
from stend.base.units import MiB
from stend.findings import look
from stend.model.stats import percentile_s
from tests.lab import bench
from tests.lab.machine import SLOW_IOPS

pytestmark = pytest.mark.long
CGROUPS, MOUNT = Path("/sys/fs/cgroup"), Path("/tmp/slow")
WEIGHTS = {"victim": 1000, "neighbour": 10}
RATE, DEPTH, MINUTE_S = 60, 32, 20
STUDY = ('victims = ["reads"]', f"rates_iops = [{RATE}, {RATE}]", 'neighbours = ["read"]', "depths = [1]")
"""A test of neighbours has one of its own; what is read beside it is left out."""


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
            os.posix_fallocate(file.fileno(), 0, 40 * MiB)
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
def writes(path: str) -> Iterator[list[float]]:
    """Write beside, in the neighbour's cgroup; the list has its IOPS afterwards."""
    found: list[float] = []
    words = f"fio --name=x --filename={path} --rw=randwrite --bs=4k --direct=1 --ioengine=libaio --iodepth={DEPTH}"
    words += " --time_based --runtime=3600 --output-format=json"
    with inside("neighbour"):
        fio = subprocess.Popen(words.split(), stdout=subprocess.PIPE, text=True)
    time.sleep(5)
    yield found
    fio.terminate()
    told = fio.communicate(timeout=60)[0]
    found.append(json.loads(told[told.index("{") :])["jobs"][0]["write"]["iops"])


def p99s_ms(path: str, name: str) -> list[float]:
    """Run the victim twice for a minute, and return the p99 of its reads in ms."""
    folder, study = bench.RUNS / f"cost-{name}", bench.study("neighbours", *STUDY)
    short = ("--quick", "--round-seconds", str(MINUTE_S), "--target", path)
    data = ("--destroy-data", str(MOUNT / "victim"), "--overwrite-file", str(MOUNT / "victim"))
    with inside("victim"):
        done = bench.stend("run", study, *short, *data, "--into", str(folder))
    assert done.returncode == 0, done.stderr
    held = look.records(store.load(folder), "neighbours", "beside-reads")
    return [1e3 * (percentile_s(one.counts.read, 99) or 0) for one in held if not one.workload.beside]


def test_io_cost_keeps_the_reads_of_one_tenant_from_the_writes_of_another(tenants: Tenants) -> None:
    found: dict[str, list[float]] = {}
    switch(tenants.drive, on=False)
    found["alone"] = p99s_ms(tenants.victim, "alone")
    for name in ("off", "on"):
        switch(tenants.drive, on=name == "on")
        with writes(tenants.neighbour) as iops:
            found[name] = p99s_ms(tenants.victim, name)
        print(f"io.cost {name}: neighbour {iops[0]:.0f} IOPS, victim's p99 {found[name]} ms")
    switch(tenants.drive, on=False)
    print(f"p99 in ms: {found}")
    assert min(found["off"]) > 3 * max(found["alone"])
    assert max(found["on"]) < 0.5 * min(found["off"])
