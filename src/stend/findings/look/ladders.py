"""Ladders: one load at growing numbers of outstanding IOs."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from stend.findings.look import headline
from stend.findings.look.figures import Figures

TESTS = ("latency-curve", "profiles", "cold-warm", "thread-queue-sweep")
"""Tests that run one load at several depths."""
MAIN = "file-server"
"""The profile that a review names."""


def main(rows: Sequence[Figures]) -> Iterator[tuple[str, dict[int, Figures]]]:
    """Yield the main load of each test that runs it at several depths: its best row by outstanding IOs."""
    loads: dict[tuple[Any, ...], list[Figures]] = {}
    for row in rows:
        if row.test in TESTS and row.workload.random_pct and row.steady is not False:
            load = row.workload
            key = (TESTS.index(row.test), row.phase != MAIN, -load.read_pct, load.block_bytes, row.phase)
            loads.setdefault(key, []).append(row)
    chosen = {key[0]: loads[key] for key in sorted(loads, reverse=True)}
    for place in sorted(chosen):
        yield TESTS[place], headline.ladder(chosen[place])


def ends(rows: Iterable[Figures]) -> dict[str, tuple[Figures, Figures]]:
    """Return the row of the highest rate and that of the most outstanding IOs of each phase."""
    phases: dict[str, list[Figures]] = {}
    for row in rows:
        phases.setdefault(row.phase, []).append(row)
    ladders = {phase: headline.ladder(own) for phase, own in phases.items()}
    return {phase: (max(own.values(), key=lambda row: row.iops), own[max(own)]) for phase, own in ladders.items()}


def ends_at(ladder: Mapping[int, Figures], depth: int, grew: float, same: float) -> bool:
    """Return whether a rate grows by the factor `grew` from half of a depth to it, and keeps within `same` beyond."""
    half, full = ladder.get(depth // 2), ladder.get(depth)
    deeper = [row.iops for n, row in ladder.items() if n > depth]
    if not (half and full and deeper) or full.iops < grew * half.iops:
        return False
    return full.iops / same <= min(deeper) <= max(deeper) <= full.iops * same
