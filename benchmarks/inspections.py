"""`python -m benchmarks.inspections [--drives N] [--healthy N] [--seed N]`: how surely slow places are found.

Draws disks of 8 TB with a slow part of 1 %: its place is uniform, and its delay is between 1.2 and 10 times the usual
response time, evenly on a logarithmic scale. Each is inspected for five minutes, and so are healthy disks and flash
drives. The table is docs/method/data/inspections.csv.
"""

import argparse
import random
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from tests.inspected import CAPACITY, USUAL_US, against, disk, inspected, said, verdict

from stend.model.record import Run

SHARE = 0.01
NEAR = CAPACITY / 512 + 10**9
"""Distance at which an edge of a slow part counts as found: a part of the survey."""
DELAYS = 1.2, 2.0, 4.0, 10.0
"""Edges of the classes of delays, in usual response times."""


class Drawn(NamedTuple):
    """A disk with a slow part: its number, first byte, and delay in usual response times."""

    seed: int
    first: int
    delay: float


def main() -> None:
    """Print a row for each class of slow parts, and one for healthy drives."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.inspections")
    parser.add_argument("--drives", type=int, default=200)
    parser.add_argument("--healthy", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print("| drives | number | found | edges within 1/512 | least probability stated | false alarms |")
    print(f"|---|{'--:|' * 5}")
    with ProcessPoolExecutor() as pool:
        drives = list(drawn(options.drives, options.seed))
        found = list(zip(drives, pool.map(_slow, drives), strict=True))
        for least, most in pairwise(DELAYS):
            rows = [records for one, records in found if least <= one.delay < most]
            print(_row(f"1 % slow, {least:g} to {most:g} times the usual response time more", rows))
        print(_row("all with 1 % slow", [records for _, records in found]))
        healthy = list(pool.map(_healthy, range(1, options.healthy + 1)))
    if healthy:
        least, alarms = min(stated for stated, _ in healthy), sum(alarm for _, alarm in healthy)
        print(f"| healthy | {len(healthy)} | | | {least:.4f} | {alarms} |")


def drawn(count: int, seed: int) -> Iterator[Drawn]:
    """Yield disks with a slow part."""
    dice = random.Random(seed)
    for number in range(count):
        delay = DELAYS[0] * (DELAYS[-1] / DELAYS[0]) ** dice.random()
        yield Drawn(1 + number, dice.randrange(int(CAPACITY * (1 - SHARE))) // 4096 * 4096, delay)


class Found(NamedTuple):
    """Whether the slow part was found, whether both its edges were, the probability stated, and a false alarm."""

    found: bool
    placed: bool
    stated: float
    alarm: bool


def _slow(one: Drawn) -> Found:
    size = int(CAPACITY * SHARE)
    options: dict[str, Any] = {
        "slow_from_bytes": one.first,
        "slow_bytes": size,
        "slow_us": one.delay * USUAL_US,
        "seed": one.seed,
    }
    with tempfile.TemporaryDirectory() as folder:
        record = inspected(disk(Path(folder), **options), seed=one.seed)
    keys, slow = against(record), said(record).get("surface.slow")
    edges = (slow.values["from"] - one.first, slow.values["to"] - one.first - size) if slow else (CAPACITY, CAPACITY)
    found = Found(
        found=bool(slow) and edges[0] < size and edges[1] > -size,
        placed=max(map(abs, edges)) <= NEAR,
        stated=_stated(record),
        alarm=bool(keys - {"surface.slow"}),
    )
    print(one, found, file=sys.stderr, flush=True)
    return found


def _healthy(number: int) -> tuple[float, bool]:
    """Return the stated probability and whether there was a false alarm; every fourth drive is of flash."""
    flash = number % 4 == 0
    with tempfile.TemporaryDirectory() as folder:
        target = f"sim:small?unit={number}&spread=1" if flash else disk(Path(folder), seed=number)
        record = inspected(target, minutes=0.3 if flash else 5, seed=number)
    print(number, verdict(record), file=sys.stderr, flush=True)
    return _stated(record), bool(against(record)) or verdict(record) != "fit"


def _stated(record: Run) -> float:
    """Return the stated probability that a slow stretch of 1 % is found."""
    findings = said(record)
    return next(
        float(findings[key].values["probability"])
        for key in ("surface.even", "surface.sure", "surface.unsure")
        if key in findings
    )


def _row(name: str, rows: list[Found]) -> str:
    found, placed, alarms = (sum(getattr(row, part) for row in rows) for part in ("found", "placed", "alarm"))
    least = min((row.stated for row in rows), default=0.0)
    return f"| {name} | {len(rows)} | {found} | {placed} | {least:.4f} | {alarms} |"


if __name__ == "__main__":
    main()
