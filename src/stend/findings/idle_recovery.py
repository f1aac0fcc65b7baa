"""Idle recovery: the level before, the level that each pause brings, and the pause needed for nine tenths of fresh."""

from collections.abc import Iterator
from statistics import median

from stend.definition import Idle, PlannedTest
from stend.findings import Finding, Sheet, look
from stend.record import Run

NAME = "idle_recovery"
ENOUGH = 0.9
LEAST_GAIN = 1.1
SAYS = {
    "recovers": (
        "From {before:rate} IOPS, {best:rate} after rests of {best_rest:time} ({gain:times}); nine tenths of the fresh"
        " {fresh:rate} IOPS come back with rests of {needed:time}.",
        "С {before:rate} IOPS до {best:rate} при отдыхе {best_rest:time} (в {gain:times}); девять десятых свежих"
        " {fresh:rate} IOPS возвращаются при отдыхе {needed:time}.",
    ),
    "partly": (
        "From {before:rate} IOPS, {best:rate} after rests of {best_rest:time} ({gain:times}); no rest of this test"
        " brings back nine tenths of the fresh {fresh:rate} IOPS.",
        "С {before:rate} IOPS до {best:rate} при отдыхе {best_rest:time} (в {gain:times}); ни один отдых этого теста не"
        " возвращает девяти десятых от свежих {fresh:rate} IOPS.",
    ),
    "from_below": (
        "From {before:rate} IOPS, {best:rate} after rests of {best_rest:time} ({gain:times}); can't tell which rest is"
        " enough: the run never saw the drive fresh.",
        "С {before:rate} IOPS до {best:rate} при отдыхе {best_rest:time} (в {gain:times}); какого отдыха хватает,"
        " сказать нельзя: свежим накопитель в этом прогоне не был.",
    ),
    "none": (
        "Rests of up to {longest:time} bring nothing back: {before:rate} IOPS before, {best:rate} at best.",
        "Отдых до {longest:time} ничего не возвращает: {before:rate} IOPS до него, в лучшем случае {best:rate}.",
    ),
    "short": (
        "Can't tell how the drive recovers: no wait state was finished.",
        "О восстановлении судить нельзя: ни одно состояние ожидания не закончено.",
    ),
}


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """One for each test."""
    for test in look.tests(run, "idle-recovery"):
        yield _finding(run, test)


def _finding(run: Run, test: PlannedTest) -> Finding:
    states = _levels(run, test)
    earlier = [n for n in look.phase_names(test) if not n.startswith(("wait-", "baseline-", "purge"))]
    down = [r for name in earlier for r in look.records(run, test.name, name) if r.workload.random_pct]
    if not states or not down or not down[-1].counts.iops:
        return Finding(name=NAME, key="short", test=test.name, confidence="can't tell")
    before = median([r.counts.iops for r in down[-5:]])
    fresh = max(r.counts.iops for r in down)
    best_rest, best = max(states.items(), key=lambda state: state[1])
    values = {
        "before": before,
        "fresh": fresh,
        "best": best,
        "best_rest": best_rest,
        "gain": best / before,
        "levels": {f"{rest:g}": level for rest, level in states.items()},
        "longest": max(states),
    }
    if best < LEAST_GAIN * before:
        return Finding(name=NAME, key="none", test=test.name, values=values, side="con")
    if fresh < LEAST_GAIN * before:
        return Finding(name=NAME, key="from_below", test=test.name, values=values, confidence="can't tell")
    needed = min((rest for rest, level in states.items() if level >= ENOUGH * fresh), default=None)
    if needed is None:
        return Finding(name=NAME, key="partly", test=test.name, values=values)
    return Finding(name=NAME, key="recovers", test=test.name, values=values | {"needed": needed}, side="pro")


def _levels(run: Run, test: PlannedTest) -> dict[float, float]:
    """Seconds of rest -> median IOPS of the second half of its bursts."""
    found = {}
    for phase in test.phases:
        rest = next((step.seconds for step in phase.round if isinstance(step, Idle)), 0.0)
        bursts = [r.counts.iops for r in look.records(run, test.name, phase.name)] if rest else []
        if len(bursts) > 1:
            found[rest] = median(bursts[len(bursts) // 2 :])
    return found
