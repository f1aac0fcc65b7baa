"""False alarms of `stend compare` on repeats of one thing: no split of the runs into halves should find a difference.

    python -m benchmarks.alike DIR [DIR...]

DIR holds repeats of one run. Random halves are compared: the share of figures called different, plainly and with the
practical threshold; how often any of the gated IOPS figures fails a rule `iops < 0%`; and for comparison what Welch's
test would say if rounds were taken for repeats.
"""

import sys
from collections import Counter
from math import log
from pathlib import Path

import numpy as np

from stend import store
from stend.many import read, statistics
from stend.many.compare import Outcome, Side, compared
from stend.many.compare.rules import judge, parse

SPLITS = 400
SEED = 20261122


def splits(runs: list[Outcome], count: int = SPLITS) -> dict[str, float]:
    """Shares over random halves."""
    dice, told = np.random.default_rng(SEED), Counter[str]()
    rule = [parse("iops < 0%"), parse("iops > 0%")]
    for _ in range(count):
        order = dice.permutation(len(runs))
        half = len(runs) // 2
        a, b = (Side(name, tuple(runs[i] for i in own)) for name, own in (("A", order[:half]), ("B", order[half:])))
        whole = compared(a, b, anyway=True)
        own = [one for one in whole.differences if one.p is not None]
        told["figures"] += len(own)
        told["p < 0.05"] += sum(one.p is not None and one.p < 0.05 for one in own)
        told["called better or worse"] += sum(one.verdict in ("better", "worse") for one in own)
        told["marked"] += sum(one.found for one in own)
        told["gates failed"] += judge(whole, rule).answer == "failed"
    figures = ("p < 0.05", "called better or worse", "marked")
    return {name: told[name] / told["figures"] for name in figures} | {"gates failed": told["gates failed"] / count}


def pooled(folders: list[Path], count: int = SPLITS) -> float:
    """The share of cells that Welch's test over the rounds of all runs of a half calls different."""
    dice = np.random.default_rng(SEED)
    rounds = []
    for folder in folders:
        run = store.load(folder)
        loads = dict.fromkeys(r.step.workload for r in run.of("iops", "rounds"))  # type: ignore[union-attr]
        rounds.append([[log(c.iops) for _, c in run.series("iops", "rounds", load)] for load in loads])
    values, found = np.array(rounds), []
    for _ in range(count):
        order = dice.permutation(len(values))
        a, b = (values[own].swapaxes(0, 1).reshape(values.shape[1], -1) for own in np.split(order, 2))
        found.append(np.mean(statistics.two_sided(statistics.welch(a, b)) < 0.05))
    return float(np.mean(found))


def main(paths: list[Path]) -> None:
    """A line a folder."""
    for path in paths:
        folders = read.folders([path])
        runs = [read.run(folder) for folder in folders]
        told = splits(runs)
        shares = "; ".join(f"{name} {share:.1%}" for name, share in told.items())
        print(f"{path}: {len(runs)} runs, {SPLITS} splits: {shares}; rounds as repeats {pooled(folders):.1%}")


if __name__ == "__main__":
    main([Path(word) for word in sys.argv[1:]])
