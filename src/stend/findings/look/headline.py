"""Figures that sentences, key figures, charts and tables of a review share: the test and state that each comes from.

A level has one source: the first of its tests that measured it. A page therefore shows one value per quantity.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from stend.base.units import KiB
from stend.findings import look
from stend.findings.look.figures import FILLED, Figures, State, lasting
from stend.model.definition import Workload
from stend.model.record import Run

STREAM_BYTES = 128 * KiB
TAILED = ("latency", "write-saturation")
"""Tests whose response times are a result. In others they follow from the rate at a fixed queue depth."""
NEARLY = 0.9
TAIL_FROM = 1.5
"""A percentile below this many times the mean of its load is not a tail: it only repeats the mean."""


class Level(NamedTuple):
    """Random 4 KiB IO of one read share: its states, and its tests in order of preference.

    It has one IO outstanding if it is `single`, else more.
    """

    read_pct: tuple[int, ...]
    states: tuple[State, ...]
    tests: tuple[str, ...]
    single: bool = False


LEVELS = {
    "read_window": Level((100,), FILLED, ("iops", "block-sweep", "latency", "latency-curve")),
    "mix_window": Level((65, 67, 70), FILLED, ("iops", "block-sweep", "latency", "latency-curve")),
    "write_fresh": Level((0,), ("fresh",), ("write-saturation", "fresh")),
    "write_window": Level((0,), FILLED, ("iops", "block-sweep", "latency", "latency-curve")),
    "read_single": Level((100,), FILLED, ("iops",), single=True),
    "write_single": Level((0,), FILLED, ("iops",), single=True),
    "write_saturated": Level((0,), ("saturated", "window"), ("write-saturation",)),
}

RANDOM = {"reads": "read_window", "mix": "mix_window", "single_reads": "read_single", "single_writes": "write_single"}
"""Levels of a filled drive by the names of their figures (`judgement.measured`)."""


def level(rows: Sequence[Figures], name: str) -> Figures | None:
    """Return the best row of a level from the first test that has one, or None if no test measured it.

    A histogram repeats a load of another phase, whose row precedes its own.
    """
    for test in LEVELS[name].tests:
        candidates = [row for row in rows if row.test == test and is_level(row, name)]
        if candidates:
            return max(candidates, key=lambda row: (not look.is_histogram(row.phase), row.iops))
    return None


def is_level(row: Figures, name: str) -> bool:
    """Return whether a row has the load and state of a level."""
    wanted, load = LEVELS[name], row.workload
    return (
        load.is_plain(100, load.read_pct, 4 * KiB)
        and load.read_pct in wanted.read_pct
        and row.state in wanted.states
        and row.direction == "both"
        and (load.outstanding == 1) == wanted.single
        and load.closed
    )


def stream(rows: Iterable[Figures], read_pct: int) -> Figures | None:
    """Return the best sequential row of 128 KiB, or of the largest block, in steady state; first of `throughput`."""
    candidates = [
        row
        for row in rows
        if row.state in FILLED and row.direction == "both" and row.test in ("throughput", "block-sweep")
        and (row.workload.random_pct, row.workload.read_pct) == (0, read_pct)
        and row.workload.block_bytes >= STREAM_BYTES
    ]  # fmt: skip
    blocks = {row.workload.block_bytes for row in candidates}
    block = STREAM_BYTES if STREAM_BYTES in blocks else max(blocks, default=0)
    return max(
        (row for row in candidates if row.workload.block_bytes == block),
        key=lambda row: (row.test == "throughput", row.number("throughput")),
        default=None,
    )


def key_figures(run: Run) -> dict[str, float | None]:
    """Return the figures by which lists of runs show a drive, by column of the catalogue, or None if not measured."""
    rows = lasting(run)
    read, write = level(rows, "read_window"), level(rows, "write_saturated") or level(rows, "write_window")
    streams = {"read": stream(rows, 100), "write": stream(rows, 0)}
    return {
        "read_iops": read and read.value("iops"),
        "write_iops": write and write.value("iops"),
        **{f"{way}_bytes_per_s": row and row.value("throughput") for way, row in streams.items()},
        "write_p999_s": _write_tail(rows),
    }


def _write_tail(rows: Sequence[Figures]) -> float | None:
    """Return the 99.9th percentile of random 4 KiB writes in seconds from the first test whose sample carries it."""
    for test in TAILED:
        tails = [row.value("p99.9") for row in rows if row.test == test and row.workload.is_plain(100, 0, 4 * KiB)]
        if known := [tail for tail in tails if tail is not None]:
            return max(known)
    return None


def ladder(rows: Iterable[Figures]) -> dict[int, Figures]:
    """Return the row with the highest IOPS for each number of outstanding IOs, in order of that number."""
    best: dict[int, Figures] = {}
    for row in rows:
        n = row.workload.outstanding
        best[n] = max(best.get(n, row), row, key=lambda one: one.iops)
    return dict(sorted(best.items()))


def busy(rows: Sequence[Figures]) -> Figures | None:
    """Return the row of the lowest depth that gives at least `NEARLY` of the highest IOPS, or None without rows.

    Loads with a rate have no depth and do not count.
    """
    rows = [row for row in rows if row.workload.closed]
    most = max((row.iops for row in rows), default=0.0)
    enough = [row for row in rows if row.direction == "both" and row.iops >= NEARLY * most]
    return min(enough, key=lambda row: row.workload.outstanding, default=None) if most else None


def even(row: Figures, quantity: str) -> bool:
    """Return whether a percentile of response times only repeats their mean."""
    return 0 < row.number(quantity) < TAIL_FROM * row.number("mean")


def queued(row: Figures, quantity: str) -> float | None:
    """Return how many times the mean a percentile is, at least 1, if it is only the time in the queue, else None."""
    value, mean = row.number(quantity), row.number("mean")
    return max(value / mean, 1.0) if value > 0 and waits_in_queue(row.workload, value, mean) else None


def waits_in_queue(load: Workload, percentile_s: float, mean_s: float) -> bool:
    """Return whether a percentile is only the time in the queue, which is outstanding IOs / IOPS (Little's law)."""
    return load.closed and load.outstanding > 1 and percentile_s < TAIL_FROM * mean_s


def busy_alike(ladders: Sequence[Sequence[Figures]]) -> list[Figures | None]:
    """Return the row of `busy` of each ladder, at the deepest of their depths if every ladder has that."""
    closed = [[row for row in rows if row.workload.closed] for rows in ladders]
    own = [busy(rows) for rows in closed]
    deepest = max((row.workload.outstanding for row in own if row), default=0)
    alike = [
        next((row for row in rows if row.direction == "both" and row.workload.outstanding == deepest), None)
        for rows in closed
    ]
    return alike if all(row or not rows for row, rows in zip(alike, closed, strict=True)) else own
