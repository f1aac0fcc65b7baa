"""The figures that sentences, key figures, charts and tables of a review share: which test and state each comes from.

A level has one source: the first of its tests that measured it. So a page shows one value for one quantity.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from stend.base.units import KiB
from stend.findings.look.figures import Figures, State

STREAM_BYTES = 128 * KiB
NEARLY = 0.9


class Level(NamedTuple):
    """Random 4 KiB accesses of one read share, with more than one outstanding: its states and its tests, in order."""

    read_pct: tuple[int, ...]
    states: tuple[State, ...]
    tests: tuple[str, ...]


LEVELS = {
    "read_window": Level((100,), ("window", "filled"), ("iops", "block-sweep", "latency", "latency-curve")),
    "mix_window": Level((65, 67, 70), ("window", "filled"), ("iops", "block-sweep", "latency", "latency-curve")),
    "write_fresh": Level((0,), ("fresh",), ("write-saturation", "fresh")),
    "write_window": Level((0,), ("window", "filled"), ("iops", "block-sweep", "latency", "latency-curve")),
    "write_saturated": Level((0,), ("saturated", "window"), ("write-saturation",)),
}


def level(rows: Sequence[Figures], name: str) -> Figures | None:
    """Return the best row of a level, of the first test that has one; None where no test measured it."""
    for test in LEVELS[name].tests:
        own = [row for row in rows if row.test == test and is_level(row, name)]
        if own:
            return max(own, key=lambda row: row.iops)
    return None


def is_level(row: Figures, name: str) -> bool:
    """Return whether a row is of a level's load and state."""
    wanted, load = LEVELS[name], row.workload
    return (
        (load.random_pct, load.block_bytes) == (100, 4 * KiB)
        and load.read_pct in wanted.read_pct
        and row.state in wanted.states
        and row.direction == "both"
        and load.outstanding > 1
        and not load.mixed
    )


def stream(rows: Iterable[Figures], read_pct: int) -> Figures | None:
    """Return the best sequential row of 128 KiB in steady state; without one, that of the largest block."""
    own = [
        row
        for row in rows
        if row.state in ("window", "filled") and row.direction == "both" and row.test in ("throughput", "block-sweep")
        and (row.workload.random_pct, row.workload.read_pct) == (0, read_pct)
        and row.workload.block_bytes >= STREAM_BYTES
    ]  # fmt: skip
    blocks = {row.workload.block_bytes for row in own}
    block = STREAM_BYTES if STREAM_BYTES in blocks else max(blocks, default=0)
    return max((r for r in own if r.workload.block_bytes == block), key=lambda r: r.number("throughput"), default=None)


def busy(rows: Sequence[Figures]) -> Figures | None:
    """Return the row of the least depth that gives at least `NEARLY` of the most IOPS; None without rows."""
    most = max((row.iops for row in rows), default=0.0)
    enough = [row for row in rows if row.direction == "both" and row.iops >= NEARLY * most]
    return min(enough, key=lambda row: row.workload.outstanding, default=None) if most else None
