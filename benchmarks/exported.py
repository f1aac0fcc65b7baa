"""Whether `stend plan --fio` says the same as stend: the matrix of `iops` by both, cell beside cell, on zram.

`python -m benchmarks.exported`: after each cell of stend's run, or before it in every second round, plain fio
runs the same section of the exported file, so that what drifts with the minutes meets both. As fast as the processor
lets zram be, so on a quiet host only (7 minutes). `--iops 1000` has the kernel hold both to that many reads
and as many writes a second (blkio of control groups), so that what differs is not the processor's doing.
"""

import argparse
import json
import math
import os
import re
import statistics
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
from scipy.stats import ttest_1samp

from benchmarks.bench_overhead import target
from stend import store
from stend.base.fio_features import probe
from stend.devices import Device
from stend.engines import fio_jobs
from stend.many.statistics import holm
from stend.model.definition import Hold, Plan
from stend.model.events import Result
from stend.planning import plan as planning
from stend.planning.plan import QUICK
from stend.runner.loop import run
from stend.session.engine import engine_for

HELD = Path("/sys/fs/cgroup/blkio/stend-exported")
"""The control group in which the kernel counts (v1)."""


def planned(device: Device, seconds: float, rounds: int) -> Plan:
    """`iops` on this drive, its minutes so long, without its purge, and with all rounds even if it is steady before."""
    names, profile, told = planning.gather(["iops"], None, {"rounds": rounds, "minute_s": seconds})
    plan = planning.draw(names, profile, device.identity, deviations=told)
    (test,) = plan.tests
    phases = tuple(msgspec.structs.replace(p, until=()) if p.name == "rounds" else p for p in test.phases)
    return msgspec.structs.replace(plan, tests=(msgspec.structs.replace(test, phases=phases),))


class Exported:
    """The file of the rounds, a section a cell, run by plain fio."""

    def __init__(self, plan: Plan, folder: Path, device: Device) -> None:
        (self.file,) = fio_jobs.write(plan, folder).glob("*-rounds.fio")
        self.env = os.environ | {"TARGET": device.door.path, "ENGINE": probe().ioengine}
        self.names = re.findall(r"^\[(.+)\]$", self.file.read_text(), re.MULTILINE)[1:]

    def iops(self, cell: int) -> float:
        """What fio tells of one cell."""
        command = ["fio", "--output-format=json", f"--section={self.names[cell]}", str(self.file)]
        done = subprocess.run(command, env=self.env, capture_output=True, text=True, check=True)
        (job,) = json.loads(done.stdout)["jobs"]
        return float(job["read"]["iops"] + job["write"]["iops"])


def rounds(plan: Plan, device: Device, exported: Exported, raw: store.Raw) -> Iterator[list[float]]:
    """Logarithms of fio's IOPS over stend's, a list a round; fio is first in every second one."""
    engine = engine_for(device, device.door.path, raw, plan, None)
    ours, theirs, cells = list[float](), list[float](), len(exported.names)
    for event in run(plan, device, engine, seed=1, at=0.0):
        if not (isinstance(event, Result) and isinstance(event.step, Hold) and event.where.phase == "rounds"):
            continue
        ours.append(event.counts.both.ios / event.counts.seconds)
        if len(theirs) < len(ours):
            theirs.append(exported.iops(event.index))
        if len(ours) == cells:
            yield [math.log(alone / own) for own, alone in zip(ours, theirs, strict=True)]
            ours, theirs = [], []
        following = event.where.round + (not ours)
        if following % 2 == 0 and following <= plan.profile.rounds:
            theirs.append(exported.iops(len(ours)))


@contextmanager
def held(path: str, iops: int) -> Iterator[None]:
    """This process and those it starts get so many reads and writes a second from a drive; 0 for all it has."""
    if not iops:
        yield
        return
    number = os.stat(path).st_rdev
    HELD.mkdir(exist_ok=True)
    try:
        for kind in ("read", "write"):
            (HELD / f"blkio.throttle.{kind}_iops_device").write_text(f"{os.major(number)}:{os.minor(number)} {iops}")
        (HELD / "cgroup.procs").write_text(str(os.getpid()))
        yield
    finally:
        (HELD.parent / "cgroup.procs").write_text(str(os.getpid()))
        HELD.rmdir()


def told(logs: list[list[float]], names: list[str]) -> Iterator[str]:
    """The table's lines, and a line for each cell in which the two differ, 49 of them taken for a family."""
    cells = list(zip(*logs, strict=True))
    means, own = ([float(of(cell)) for cell in cells] for of in (statistics.mean, statistics.stdev))
    p = [float(ttest_1samp(cell, 0).pvalue) for cell in cells]
    middle, low, high = (math.exp(found(means)) for found in (statistics.median, min, max))
    yield f"{len(cells)} cells, {len(logs)} pairs each"
    yield f"median ratio fio / stend {middle:.3f}, of the cells {low:.3f} to {high:.3f}"
    yield f"a pair's noise (median standard deviation of the log ratio) {statistics.median(own):.4f}"
    yield f"cells whose own 95 % interval holds 1: {sum(one >= 0.05 for one in p)} of {len(cells)}"
    differ = [(name, m) for name, m, adjusted in zip(names, means, holm(p), strict=True) if adjusted < 0.05]
    yield f"cells that differ, as a family (Holm): {len(differ)}"
    yield from (f"  {name}: {math.exp(m):.3f}" for name, m in differ)


def main() -> None:
    """The table of a few pairs."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--rounds", type=int, default=8, help="of the matrix, by both")
    asked.add_argument(
        "--seconds", type=float, default=QUICK["minute_s"], help="of a cell, in each round; as by --quick"
    )
    asked.add_argument("--iops", type=int, default=0, help="of reads and of writes at most; 0: no limit")
    words = asked.parse_args()
    logs = []
    with target() as device, tempfile.TemporaryDirectory() as name, held(device.door.path, words.iops):
        plan = planned(device, words.seconds, words.rounds)
        exported, folder = Exported(plan, Path(name, "jobs"), device), Path(name, "run")
        store.create(folder, {}, {})
        for number, ratios in enumerate(rounds(plan, device, exported, store.Raw(folder)), 1):
            logs.append(ratios)
            print(f"round {number}: median ratio fio / stend {math.exp(statistics.median(ratios)):.3f}", flush=True)
    print(*told(logs, exported.names), sep="\n")


if __name__ == "__main__":
    main()
