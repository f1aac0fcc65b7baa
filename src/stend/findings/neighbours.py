"""Neighbours: the neighbour that lengthens a victim's p99 most, and what remains of the victim's IOPS."""

import math
from collections.abc import Iterator

from stend.findings import Finding, Sheet, look, side
from stend.findings.look.neighbours import Pair, inflation, minutes, paces_of, pairs
from stend.model.counts import Counts
from stend.model.definition import PlannedTest, Workload
from stend.model.pace import MOST_LATE, Pace
from stend.model.record import Run
from stend.model.stats import MIN_BEYOND, percentile_s

MUCH, LITTLE = 10.0, 1.5
"""Times of the p99 alone that speak against a drive and for it. A choice of stend."""
CHANGED = 1.2
"""The victim's mean alone, last against first, from which the drive changed during the test. A choice of stend."""
SCATTERS = 1.5
"""The p99 of two such minutes with equal means may differ this many times without a remark. A choice of stend."""
SIGMAS = 3.0
"""Standard errors by which the means must differ besides."""
SLOWED = 1.05
"""Times of the mean alone from which a mean is longer. A choice of stend."""
FALLEN = 0.9
"""Share of its IOPS alone below which a victim has lost some."""


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """Yield for each victim its worst neighbour, what is unknown beside others, and a change of the drive.

    Loads whose rate the host did not keep are left out. Without a kept rate of the victim alone nothing is concluded.
    """
    for test in look.tests(run, "neighbours"):
        for phase, every in pairs(run, test).items():
            kept = paces_of(run, test, phase)
            late = [pair for pair in every if kept[pair.row.workload].invalid]
            yield from _late(test, phase, late, kept)
            alone, *beside = every
            if alone in late:
                continue
            if not _follows(kept[alone.row.workload]):
                values = {"phase": phase, "rate": alone.row.workload.rate_iops}
                yield Finding(key="rate", test=test.name, values=values, confidence="can't tell")
                continue
            if timely := [pair for pair in beside if pair not in late]:
                yield from _of_victim(run, test, phase, alone, timely)
            yield from _change(run, test, phase)


def _follows(pace: Pace) -> bool:
    """Return True if the drive answered a rate: no queue was full, and no IO waited for room at the end."""
    return max(pace.full_share, pace.unsent / max(pace.sent + pace.unsent, 1)) <= MOST_LATE


def _late(test: PlannedTest, phase: str, late: list[Pair], kept: dict[Workload, Pace]) -> Iterator[Finding]:
    """Yield the largest share of IOs that the host sent late, with the count of such loads, or nothing without any."""
    if late:
        share = max(kept[pair.row.workload].host_share for pair in late)
        values = {"phase": phase, "share": share, "loads": len(late), "rate": late[0].row.workload.rate_iops}
        yield Finding(key="host", test=test.name, values=values, confidence="can't tell")


def _of_victim(run: Run, test: PlannedTest, phase: str, alone: Pair, beside: list[Pair]) -> Iterator[Finding]:
    known = [(times, pair) for pair in beside if (times := inflation(alone, pair)) is not None]
    usual = alone.row.iops / run.plan.device.scale
    measured = [pair for pair in beside if pair.row.tally.ios >= MIN_BEYOND * run.plan.device.scale]
    if stopped := [pair for pair in beside if not pair.row.tally.ios and usual * pair.row.seconds >= MIN_BEYOND]:
        yield Finding(key="stopped", test=test.name, values=stopped[0].place, side="con")
    starved = [pair for pair in beside if pair.row.tally.ios and pair not in measured and _fallen(run, alone, pair)]
    for pair in sorted(starved, key=lambda one: one.row.iops)[:1]:
        yield Finding(key="starved", test=test.name, values=pair.place, side="con")
    if not known:
        yield _few(run, test, phase, alone, beside)
        return
    times, pair = max(known, key=lambda one: one[0])
    waits = {"alone": alone.p99_s, "beside": pair.p99_s, "times": times}
    slow = [other for other in measured if other.p99_s is None and other.row.number("mean") > (pair.p99_s or 0)]
    fallen = _fallen(run, alone, pair)
    keys = ("worst_known", "worst_known_fallen") if slow else ("worst" if times > 1 else "alike", "worst_fallen")
    speaks = side(pro=times < LITTLE, con=times > MUCH)
    worst = Finding(key=keys[fallen], test=test.name, values=pair.place | waits | _rates(alone, pair), side=speaks)
    for other in sorted(slow, key=lambda one: one.row.number("mean"))[-1:]:
        values = other.place | {"mean": other.row.number("mean")} | _rates(alone, other)
        key = "unknown_fallen" if _fallen(run, alone, other) else "unknown"
        yield Finding(key=key, test=test.name, values=values, confidence="low")
    yield worst


def _rates(alone: Pair, beside: Pair) -> dict[str, float]:
    return {"iops": beside.row.iops, "kept": beside.row.iops / alone.row.iops}


def _fallen(run: Run, alone: Pair, beside: Pair) -> bool:
    """Return True if a victim lost IOPS beside a neighbour, and more than counts of so many IOs scatter.

    At a rate, IOs due in the longest response time may still wait when a short window ends: they are not lost.
    """
    counts = [pair.row.tally.ios / run.plan.device.scale for pair in (alone, beside)]
    alike = counts[0] * beside.row.seconds / alone.row.seconds
    scatter = SIGMAS * math.sqrt(alike + counts[1])
    waiting = beside.row.workload.rate_iops * beside.row.number("max")
    return beside.row.iops < FALLEN * alone.row.iops and alike - counts[1] > scatter + waiting


def _few(run: Run, test: PlannedTest, phase: str, alone: Pair, beside: list[Pair]) -> Finding:
    """Return the neighbour beside which the victim's IOs take longest on average: no p99 is known.

    Means of fewer than MIN_BEYOND IOs are not compared, and none of them may be longer where all are called shorter.
    """
    measured = [pair for pair in beside if pair.row.tally.ios >= MIN_BEYOND * run.plan.device.scale]
    pair = max(measured, key=lambda one: one.row.number("mean"), default=None)
    alone_s = alone.row.number("mean")
    if not pair or (beside_s := pair.row.number("mean")) < SLOWED * alone_s:
        alike = pair and all(other.row.tally.ios and other.row.number("mean") <= alone_s for other in beside)
        key, values = "few_alike" if alike else "few", {"phase": phase, "alone": alone_s}
        return Finding(key=key, test=test.name, values=values, confidence="can't tell")
    values = pair.place | {"alone": alone_s, "beside": beside_s} | _rates(alone, pair)
    key = "few_mean_fallen" if _fallen(run, alone, pair) else "few_mean"
    return Finding(key=key, test=test.name, values=values, confidence="low")


def _change(run: Run, test: PlannedTest, phase: str) -> Iterator[Finding]:
    """Yield how much the victim alone changed from the first minute to the last, or how much its p99 scatters."""
    held = [record.counts for record in minutes(run, test, phase) if not record.workload.beside]
    if len(held) < 2 or not held[0].ios or not held[-1].ios:
        return
    first_s, last_s = held[0].mean_s, held[-1].mean_s
    error_s = math.hypot(*(_error_s(counts, run.plan.device.scale) for counts in (held[0], held[-1])))
    if max(first_s, last_s) >= CHANGED * min(first_s, last_s) + SIGMAS * error_s:
        values = {"phase": phase, "first": first_s, "last": last_s}
        yield Finding(key="changed", test=test.name, values=values, confidence="medium")
        return
    p99s = [wait_s for counts in (held[0], held[-1]) if (wait_s := percentile_s(counts.both, 99.0))]
    if len(p99s) == 2 and max(p99s) > SCATTERS * min(p99s):
        values = {"phase": phase, "least": min(p99s), "most": max(p99s)}
        yield Finding(key="scatters", test=test.name, values=values, confidence="low")


def _error_s(counts: Counts, scale: int) -> float:
    """Return the standard error of a mean response time in seconds, infinite for too few IOs."""
    drawn = counts.both.ios / scale
    return counts.both.deviation_s / math.sqrt(drawn) if drawn >= MIN_BEYOND else math.inf
