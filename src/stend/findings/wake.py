"""Wake: the rests after which the first read takes longer, how long it takes, and how often the drive was read."""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from stend.findings import Confidence, Finding, Sheet, look
from stend.findings.look.figures import Figures
from stend.findings.look.moments import began, ended, looks
from stend.findings.look.woken import (
    BUSY,
    HOST_S,
    PHASE,
    SIGMAS,
    TEST,
    WAKES,
    Level,
    Rest,
    levels,
    quantile,
    rests,
    slower,
)
from stend.model.definition import PlannedTest
from stend.model.record import Run

OFTEN, FEWEST = 0.1, 3
"""Share of first reads, and their number, that are slow where a drive sleeps only sometimes."""
MANY = 0.25
"""Share of slow first reads after a rest from which the drive does not count as awake after it. A choice of stend."""


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """Yield from which rest on the drive is asleep, deeper states, rests that say nothing, and the cost of looking."""
    for test in look.tests(run, TEST):
        awake, every = rests(run, test.name)
        timely = [rest for rest in every if not rest.late]
        if late := [rest for rest in every if rest.late]:
            values = {"n": len(late), "rest": late[0].rest_s, "late_s": max(rest.late_s for rest in late)}
            yield Finding(key="late", test=test.name, values=values, confidence="can't tell")
        if not awake or not timely:
            yield Finding(key="short", test=test.name, confidence="can't tell")
            continue
        yield from _of(run, test.name, awake, timely)
        yield from _looks(run, test)


def bound_s(run: Run, awake: Figures) -> float:
    """Return the longest first read in seconds that may be one of a drive that is awake."""
    usual_s = awake.value("p50") or awake.number("mean")
    return max(WAKES * usual_s, usual_s + (0.0 if run.plan.device.virtual else HOST_S))


def _of(run: Run, test: str, awake: Figures, every: Sequence[Rest]) -> Iterator[Finding]:
    """Yield what is concluded from the rests. Other work on the host can look like sleep, and never hides it."""
    most_s, usual_s = bound_s(run, awake), awake.value("p50") or awake.number("mean")
    tail_s = max(most_s, awake.value("p99") or 0.0)
    asleep = [rest for rest in every if rest.usual_s > most_s]
    mixed = [rest for rest in every if rest.parts and rest.parts.slow_s > most_s - usual_s + rest.usual_s]
    slept = [rest for rest in every if rest in asleep or rest in mixed]
    busy = [rest.busy for rest in slept if rest.busy >= BUSY and not run.plan.device.virtual]
    sure: Confidence = "low" if busy else "high"
    if asleep:
        slowest = max(asleep, key=lambda rest: rest.usual_s)
        values = _values(slowest, usual_s) | _between(asleep[0], every, tail_s)
        key = "sleeps" if values["from"] else "sleeps_soon"
        yield Finding(key=key, test=test, values=values, confidence=sure)
        for before, now in pairwise(asleep):
            if now.usual_s > WAKES * before.usual_s:
                values = {"from": before.rest_s, "to": now.rest_s, "before_s": before.usual_s, "after_s": now.usual_s}
                yield Finding(key="deeper", test=test, values=values, confidence=sure)
        yield from _latencies(test, awake, levels(every), most_s, sure)
    elif not mixed:
        last = every[-1]
        values = {"rest": last.rest_s, "n": last.reads, "longest_s": last.longest_s, "after_s": last.usual_s}
        key = "awake" if run.plan.device.virtual else "awake_host"
        yield Finding(key=key, test=test, values=values | {"awake_s": usual_s}, side="pro")
    for rest in mixed:
        values = {"rest": rest.rest_s, "n": rest.reads} | (rest.parts._asdict() if rest.parts else {})
        values |= {} if asleep else {"wait_s": values["slow_s"]}  # the longest wait, as `sleeps` has it
        yield Finding(key="mixed", test=test, values=values, confidence=sure)
    if busy:
        values = {"busy": max(busy), "n": len(busy)}
        yield Finding(key="busy", test=test, values=values)
    for rest in every:
        slow = rest.slower(tail_s)
        if rest not in slept and slow >= max(OFTEN * rest.reads, FEWEST, _by_chance(awake, rest, tail_s)):
            values = {"rest": rest.rest_s, "slow": slow, "n": rest.reads, "bound_s": tail_s}
            yield Finding(key="uneven", test=test, values=values, confidence="low", side="con")


def _latencies(test: str, awake: Figures, every: Sequence[Level], most_s: float, sure: Confidence) -> Iterator[Finding]:
    """Yield how long the drive takes to leave each state: the median of all first reads less that without a rest."""
    usual_s = quantile(awake.tally, 0.5).mid_s
    for level in (level for level in every if level.median.mid_s > most_s):
        values = {"from": level.from_s, "to": level.to_s, "wake_s": level.median.mid_s - usual_s}
        values["error_s"] = level.error_s
        key = "latency" if level.to_s > level.from_s else "latency_after"
        yield Finding(key=key, test=test, values=values | {"n": level.reads}, confidence=sure)


def _by_chance(awake: Figures, rest: Rest, tail_s: float) -> float:
    """Return how many of the first reads may be slow as reads without a rest are, such as those of a far seek."""
    share = slower(awake.tally, tail_s) / awake.tally.ios
    return rest.reads * share + SIGMAS * math.sqrt(rest.reads * share * (1 + rest.reads / awake.tally.ios))


def _values(rest: Rest, awake_s: float) -> dict[str, Any]:
    values = {"rest": rest.rest_s, "after_s": rest.usual_s, "awake_s": awake_s, "times": rest.usual_s / awake_s}
    return values | {"n": rest.reads, "longest_s": rest.longest_s}


def _between(first: Rest, every: Sequence[Rest], tail_s: float) -> dict[str, float]:
    """Return the longest rest after which the drive was awake (0 without one), and the first one asleep."""
    awake = (rest.rest_s for rest in every if rest.rest_s < first.rest_s and rest.slower(tail_s) < MANY * rest.reads)
    return {"from": max(awake, default=0.0), "to": first.rest_s}


def _looks(run: Run, test: PlannedTest) -> Iterator[Finding]:
    """Yield how often the drive's health was read in this run, how long that took, and how often during a rest."""
    results = [record.result for record in look.records(run, test.name, PHASE)]
    spans = [(began(run, result), ended(run, result)) for result in results]
    inside = [moment for moment, _ in looks(run) if any(begin < moment < end for begin, end in spans)]
    if run.telemetry and not run.plan.device.virtual:
        values = {"n": len(run.telemetry), "took_s": sum(one.took_s for one in run.telemetry), "inside": len(inside)}
        yield Finding(key="watched" if inside else "unwatched", test=test.name, values=values)
    if run.ended and run.ended.queries:
        values = {"n": run.ended.queries, "took_s": run.ended.queries_s}
        yield Finding(key="queried", test=test.name, values=values)
