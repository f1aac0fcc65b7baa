"""Whether `stend plan --fio` says the same as stend: the matrix of `iops` by both, cell by cell, in pairs on zram.

`python -m benchmarks.exported --pairs 4`: as fast as the processor lets zram be, so on a quiet host only (12 minutes).
`--iops 1000` has the kernel hold both to that many reads and as many writes a second (blkio of control groups), so that
what differs is not the processor's doing. Either side begins in turn; both fill the drive before they measure.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scipy import stats

from benchmarks.bench_overhead import target
from stend import jobs
from stend import plan as planning
from stend.definition import Hold, Plan
from stend.devices import Device
from stend.engines.fio import FioEngine, probe
from stend.record import Result
from stend.run import run

HELD = Path("/sys/fs/cgroup/blkio/stend-exported")
"""The control group in which the kernel counts (v1)."""


def planned(device: Device, seconds: float, rounds: int) -> Plan:
    """`iops` on this drive, its minutes so long, without its purge."""
    names, profile, told = planning.gather(["iops"], None, {"rounds": rounds, "minute_s": seconds})
    return planning.draw(names, profile, device.identity, deviations=told)


def by_stend(plan: Plan, device: Device, seed: int) -> list[float]:
    """IOPS of every cell of the matrix, in its order: the mean of all rounds."""
    rounds: dict[int, list[float]] = {}
    engine = FioEngine(device.io_path, interval_s=plan.profile.minute_s)  # a cell is one interval, as long as fio's
    for event in run(plan, device, engine, seed=seed, at=0.0):
        if isinstance(event, Result) and isinstance(event.step, Hold) and event.where.phase == "rounds":
            rounds.setdefault(event.index, []).append(event.counts.both.ios / event.counts.seconds)
    return [statistics.mean(rounds[index]) for index in sorted(rounds)]


def by_fio(folder: Path, device: Device, count: int) -> list[float]:
    """The same by the exported files: precondition, then the rounds."""
    env = os.environ | {"TARGET": device.io_path, "ENGINE": probe().ioengine}
    found: list[list[float]] = []
    (once,), (rounds,) = (sorted(folder.glob(f"*-{name}.fio")) for name in ("precondition", "rounds"))
    for file in (once, *[rounds] * count):
        command = ["fio", "--output-format=json", str(file)]
        done = subprocess.run(command, env=env, cwd=folder, capture_output=True, text=True, check=True)
        found.append([job["read"]["iops"] + job["write"]["iops"] for job in json.loads(done.stdout)["jobs"]])
    return [statistics.mean(cell) for cell in zip(*found[1:], strict=True)]


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


def ratios(plan: Plan, device: Device, folder: Path, pair: int) -> list[float]:
    """Logarithms of fio's IOPS over stend's, a cell each; odd pairs begin with fio."""
    rounds = plan.profile.rounds
    theirs = by_fio(folder, device, rounds) if pair % 2 else []
    ours = by_stend(plan, device, seed=pair + 1)
    return [math.log(alone / own) for own, alone in zip(ours, theirs or by_fio(folder, device, rounds), strict=True)]


def told(logs: list[list[float]]) -> Iterator[str]:
    """The table's lines."""
    pairs = len(logs)
    cells = list(zip(*logs, strict=True))
    means = [statistics.mean(cell) for cell in cells]
    reach = stats.t.ppf(0.975, pairs - 1) / math.sqrt(pairs)
    own = [statistics.stdev(cell) for cell in cells]
    within = sum(abs(m) <= reach * noise for m, noise in zip(means, own, strict=True))
    middle, low, high = (math.exp(found(means)) for found in (statistics.median, min, max))
    yield f"{len(cells)} cells, {pairs} pairs"
    yield f"median ratio fio / stend {middle:.3f}, of the cells {low:.3f} to {high:.3f}"
    yield f"a pair's noise (median standard deviation of the log ratio) {statistics.median(own):.4f}"
    yield f"cells whose 95 % interval holds 1: {within} of {len(cells)} ({within / len(cells):.0%})"


def main() -> None:
    """The table of a few pairs."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--pairs", type=int, default=4)
    asked.add_argument("--seconds", type=float, default=0.5, help="of each cell, in each round")
    asked.add_argument("--rounds", type=int, default=3, help="of the matrix, a run of either")
    asked.add_argument("--iops", type=int, default=0, help="of reads and of writes at most; 0: no limit")
    words = asked.parse_args()
    logs = []
    with target() as device, tempfile.TemporaryDirectory() as name, held(device.io_path, words.iops):
        plan = planned(device, words.seconds, words.rounds)
        folder = jobs.write(plan, Path(name, "jobs"))
        for pair in range(words.pairs):
            logs.append(ratios(plan, device, folder, pair))
            middle = math.exp(statistics.median(logs[-1]))
            print(f"pair {pair + 1}: median ratio fio / stend {middle:.3f}", flush=True)
    print(*told(logs), sep="\n")


if __name__ == "__main__":
    main()
