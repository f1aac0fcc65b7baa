"""Coverage and power of `stend compare` with a known truth; prints the tables of docs/method/data/compare-*.csv.

    python -m benchmarks.comparing

A run is five rounds, AR(1) with coefficient 0.5 and a standard deviation of 3 %, around the run's own level; runs of a
side differ by the between-run deviation. The figure of a run is the mean of its rounds, as in `stend compare`.
"""

import sys
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stend.many import statistics

Array = npt.NDArray[np.float64]

REPEATS = 2000
RUNS = (2, 3, 5, 10)
BETWEEN = (0.005, 0.01, 0.02, 0.03)
TRUTHS = (0.0, 0.01, 0.03, 0.05, 0.10)
ROUNDS, WITHIN, CARRY = 5, 0.03, 0.5
FAMILY = 14
UNEQUAL = ((2, 3), (2, 5), (2, 10), (3, 5), (3, 10), (5, 10))
RATIOS = (1.0, 2.0, 6.0, 1 / 2, 1 / 6)
"""Of the deviation of the side with more runs over the other's."""
UNEQUAL_REPEATS = 20_000
SEED = 20261122


class Cell(NamedTuple):
    """Of one number of runs and one between-run deviation: the shares of intervals that cover the truth, and that
    exclude 0 by truth."""

    covers: float
    finds: tuple[float, ...]


def run_means(dice: np.random.Generator, shape: tuple[int, ...], between: float) -> Array:
    """Logarithms of run means: each of five rounds of one run carries half of the one before."""
    rounds = np.empty((*shape, ROUNDS))
    rounds[..., 0] = dice.normal(0, WITHIN, shape)
    for k in range(1, ROUNDS):
        rounds[..., k] = CARRY * rounds[..., k - 1] + dice.normal(0, WITHIN * np.sqrt(1 - CARRY**2), shape)
    level = dice.normal(0, between, shape)
    means: Array = np.log(np.exp(level[..., None] + rounds).mean(-1))
    return means


def cell(runs: int, between: float, repeats: int = REPEATS, ratio: float = 1.0, seed: int = SEED) -> Cell:
    """`ratio` is the second side's between-run deviation over the first's."""
    dice = np.random.default_rng([seed, runs, round(between * 1e6), round(ratio * 100)])
    covered, found = [], []
    for truth in TRUTHS:
        a = run_means(dice, (repeats, runs), between)
        b = run_means(dice, (repeats, runs), between * ratio) + np.log1p(truth)
        interval = statistics.welch(a, b)
        covered.append(np.mean((interval.low <= np.log1p(truth)) & (np.log1p(truth) <= interval.high)))
        found.append(float(np.mean((interval.low > 0) | (interval.high < 0))))
    return Cell(float(np.mean(covered)), tuple(found))


def unequal(few: int, many: int, ratio: float, repeats: int = UNEQUAL_REPEATS, *, skewed: bool = False) -> float:
    """Return the share of intervals that cover the truth with unequal numbers of runs, logs normal or exponential."""
    dice = np.random.default_rng([SEED, few, many, round(ratio * 100), skewed])
    draw = (lambda shape: dice.exponential(1, shape) - 1) if skewed else dice.standard_normal
    interval = statistics.welch(draw((repeats, few)), draw((repeats, many)) * ratio)
    return float(np.mean((interval.low <= 0) & (interval.high >= 0)))


def family(runs: int, between: float, repeats: int = REPEATS, seed: int = SEED) -> tuple[float, float, float]:
    """Two sides alike, FAMILY gated figures: shares of repeats with any figure found, plainly, by Holm, and by a rule
    that fails below 0 %."""
    dice = np.random.default_rng([seed, runs, round(between * 1e6), 7])
    a, b = (run_means(dice, (repeats, FAMILY, runs), between) for _ in range(2))
    interval = statistics.welch(a, b)
    plain = statistics.two_sided(interval)
    below = 1 - statistics.beyond(interval.difference, interval.error, interval.freedom)
    alarms = [np.mean((plain < 0.05).any(-1))]
    for p, limit in ((plain, 0.05), (below, 0.025)):
        alarms.append(np.mean([min(statistics.holm(row.tolist())) < limit for row in p]))
    return float(alarms[0]), float(alarms[1]), float(alarms[2])


def table(repeats: int = REPEATS) -> list[str]:
    """Markdown."""
    lines = [
        "| runs a side | between runs | interval covers | finds 0 % | 1 % | 3 % | 5 % | 10 % |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for runs in RUNS:
        for between in BETWEEN:
            made = cell(runs, between, repeats)
            found = " | ".join(f"{share:.1%}" for share in made.finds)
            lines.append(f"| {runs} | {between:.1%} | {made.covers:.1%} | {found} |")
    lines += ["", "| runs a side | one side spreads | interval covers |", "|---|---|---|"]
    for runs in RUNS:
        for ratio in (2.0, 6.0):
            lines.append(f"| {runs} | {ratio:g} x | {cell(runs, 0.02, repeats, ratio).covers:.1%} |")
    for skewed in (False, True):
        told = " | ".join(f"{ratio:.2g} x" for ratio in RATIOS)
        lines += ["", f"| runs, {'skewed' if skewed else 'normal'} | {told} |", "|---|" + "---|" * len(RATIOS)]
        for few, many in UNEQUAL:
            shares = " | ".join(f"{unequal(few, many, ratio, repeats * 10, skewed=skewed):.1%}" for ratio in RATIOS)
            lines.append(f"| {few} and {many} | {shares} |")
    lines += ["", f"| runs a side | any of {FAMILY} found | by Holm | a rule `< 0%` fails |", "|---|---|---|---|"]
    for runs in RUNS:
        alarms = " | ".join(f"{share:.1%}" for share in family(runs, 0.02, repeats))
        lines.append(f"| {runs} | {alarms} |")
    return lines


if __name__ == "__main__":
    print("\n".join(table(int(sys.argv[1]) if len(sys.argv) > 1 else REPEATS)))
