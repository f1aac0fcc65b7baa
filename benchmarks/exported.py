"""Whether `stend plan --fio` says the same as stend: `iops --quick` by both in turn on zram, cell by cell, in pairs.

`python -m benchmarks.exported --pairs 4`. The noise is the drive's and the host's: what a pair's two runs differ by.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import tempfile
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

ROUNDS = 3
"""Of the matrix, a run of either."""


def planned(device: Device) -> Plan:
    """`iops --quick` on this drive, without its purge."""
    names, profile, told = planning.gather(["iops"], None, {"rounds": ROUNDS}, quick=True)
    return planning.draw(names, profile, device.identity, deviations=told)


def by_stend(plan: Plan, device: Device, seed: int) -> list[float]:
    """IOPS of every cell of the matrix, in its order: the mean of all rounds."""
    rounds: dict[int, list[float]] = {}
    for event in run(plan, device, FioEngine(device.io_path), seed=seed, at=0.0):
        if isinstance(event, Result) and isinstance(event.step, Hold) and event.where.phase == "rounds":
            rounds.setdefault(event.index, []).append(event.counts.both.ios / event.counts.seconds)
    return [statistics.mean(rounds[index]) for index in sorted(rounds)]


def by_fio(folder: Path, device: Device) -> list[float]:
    """The same by the exported files: precondition, then the rounds."""
    env = os.environ | {"TARGET": device.io_path, "ENGINE": probe().ioengine}
    found: list[list[float]] = []
    (once,), (rounds,) = (sorted(folder.glob(f"*-{name}.fio")) for name in ("precondition", "rounds"))
    for file in (once, *[rounds] * ROUNDS):
        command = ["fio", "--output-format=json", str(file)]
        done = subprocess.run(command, env=env, cwd=folder, capture_output=True, text=True, check=True)
        found.append([job["read"]["iops"] + job["write"]["iops"] for job in json.loads(done.stdout)["jobs"]])
    return [statistics.mean(cell) for cell in zip(*found[1:], strict=True)]


def main() -> None:
    """The table of a few pairs."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--pairs", type=int, default=4)
    pairs = asked.parse_args().pairs
    logs = []
    with target() as device, tempfile.TemporaryDirectory() as name:
        plan = planned(device)
        folder = jobs.write(plan, Path(name, "jobs"))
        for number in range(pairs):
            ours = by_stend(plan, device, seed=number + 1)
            logs.append([math.log(theirs / own) for own, theirs in zip(ours, by_fio(folder, device), strict=True)])
            print(
                f"pair {number + 1}: median ratio fio / stend {math.exp(statistics.median(logs[-1])):.3f}", flush=True
            )
    cells = list(zip(*logs, strict=True))
    means = [statistics.mean(cell) for cell in cells]
    reach = stats.t.ppf(0.975, pairs - 1) / math.sqrt(pairs)
    held = sum(abs(m) <= reach * statistics.stdev(cell) for m, cell in zip(means, cells, strict=True))
    noise = statistics.median(statistics.stdev(cell) for cell in cells)
    print(f"{len(cells)} cells, {pairs} pairs of {ROUNDS} rounds")
    middle, low, high = (math.exp(found(means)) for found in (statistics.median, min, max))
    print(f"median ratio {middle:.3f}, of the cells {low:.2f} to {high:.2f}")
    print(f"a pair's noise (median standard deviation of the log ratio) {noise:.3f}")
    print(f"cells whose 95 % interval holds 1: {held} of {len(cells)} ({held / len(cells):.0%})")


if __name__ == "__main__":
    main()
