"""`python -m benchmarks.verdicts [--seed N] [--count N]`: whom drawn drives are for, against the class they are of.

A class is drawn first, its parameters within the class; the run goes through cache, IOPS, latency, saturation and
rests, and the verdict is compared with it. Right, "cannot tell" and wrong are counted.
"""

import argparse
import random
from collections import Counter
from typing import Any

from tests.synthetic import Truth, made

from stend import findings
from stend.base.units import GB, MB, GiB, KiB
from stend.findings.judgement import concluded

TESTS = ("fresh", "slc-cache", "throughput", "iops", "latency", "write-saturation", "idle-recovery")
CLASSES = ("desktop", "read", "mixed", "write")
STEP = 128 * KiB


def drawn(kind: str, dice: random.Random) -> tuple[Truth, dict[str, Any]]:
    """A drive of a class, and its sheet."""
    fresh = dice.uniform(150_000, 450_000)
    fall = {"desktop": (9, 20), "read": (3, 6), "mixed": (2.4, 3.8), "write": (1.3, 3.2)}[kind]
    steady = fresh / dice.uniform(*fall)
    if kind == "read":
        fresh, steady = 60_000 / 14_000 * steady, dice.uniform(10_000, 18_000)
        fresh = steady * dice.uniform(3, 6)
    if kind == "mixed":
        steady = dice.uniform(22_000, 38_000)
        fresh = steady * dice.uniform(2.4, 3.8)
    if kind == "write":
        steady = max(steady, 60_000)
        fresh = steady * dice.uniform(1.3, 3.2)
    dwpd = {"desktop": (0.2, 0.35), "read": (0.4, 0.95), "mixed": (1.5, 3), "write": (4, 25)}[kind]
    cache = ((64 * GiB, 2100 * MB), (400 * GiB, 700 * MB), (float("inf"), 500 * MB))
    truth = Truth(
        capacity_bytes=round(dice.uniform(400, 2000) * GB) // STEP * STEP,
        read_iops=dice.uniform(90_000, 700_000),
        fresh_iops=fresh,
        steady_iops=steady,
        slc=cache if kind == "desktop" else ((float("inf"), dice.uniform(400, 1800) * MB),),
        model=f"Drawn {kind}",
    )
    return truth, {"endurance_dwpd": dice.uniform(*dwpd)}


def told(kind: str, seed: int, number: int) -> tuple[str | None, float]:
    """The class that the verdict says, and how far the drive falls."""
    truth, sheet = drawn(kind, random.Random(f"{kind} {seed} {number}"))
    run = made(*TESTS, truth=truth, interval_s=60.0, profile="review")
    said = concluded(run, sheet, list(findings.find(run, sheet)))
    return said.best, truth.fresh_iops / truth.steady_iops


def main() -> None:
    """Print a line for each drive and the count."""
    asked = argparse.ArgumentParser(prog="python -m benchmarks.verdicts")
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--count", type=int, default=32)
    options = asked.parse_args()
    count = Counter[str]()
    for number in range(options.count):
        kind = CLASSES[number % len(CLASSES)]
        best, fall = told(kind, options.seed, number)
        answer = "can't tell" if best is None else "right" if best == kind else "wrong"
        count[answer] += 1
        count["write-intensive though it falls more than 4x"] += best == "write" and fall > 4
        print(f"{number:3} {kind:8} falls {fall:4.1f}x  told {best or 'none'}: {answer}", flush=True)
    print(", ".join(f"{name}: {n}" for name, n in count.items()))


if __name__ == "__main__":
    main()
