"""Idle recovery: the levels before and after each pause, and the pause needed for nine tenths of fresh.

PTS 11 returns to the baseline by half an hour of writes without a pause after each wait state. The level before a wait
state is therefore that of the writes directly before it: the second half of the baseline of the wait state before, and
for the first wait state the end of the saturation.
"""

from collections.abc import Iterator
from typing import Any

from stend.findings import Finding, Sheet, look
from stend.findings.look import grounds
from stend.findings.look.figures import listed
from stend.findings.look.grounds import Because, Ground
from stend.findings.look.pause import LEAST_GAIN
from stend.model.counts import added
from stend.model.definition import PlannedTest
from stend.model.record import Run

ENOUGH = 0.9
ALIKE = 0.98
"""Levels after rests that differ by less than this ratio are equal."""
LEAST_RATIO = 1.25
"""Halves of the end of saturation that differ by a larger ratio are not a level."""
BASELINE = "baseline-"
"""Prefix of the names of phases that write without rests after those of one length."""
NEEDS = (grounds.undisturbed,)


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """Yield one finding per test."""
    for test in look.tests(run, "idle-recovery"):
        yield _finding(run, test)


def _finding(run: Run, test: PlannedTest) -> Finding:
    states = _levels(run, test)
    earlier = [n for n in look.phase_names(test) if not n.startswith(("wait-", BASELINE, "purge"))]
    down = [r for name in earlier for r in look.records(run, test.name, name) if r.workload.random_pct]
    if not states or not down or not down[-1].counts.iops:
        return Finding(key="short", test=test.name, confidence="can't tell")
    phase = down[-1].result.where.phase
    befores = _before_each(run, test, look.ended(run, test, phase).iops)
    fresh = max(r.counts.iops for r in down)
    gained = _gained(states, befores) or states
    best = max(gained.values())
    best_rest = min(rest for rest, level in gained.items() if level >= ALIKE * best)
    bursts = _bursts(run, test, best_rest)
    values = {"before": befores[best_rest], "befores": {f"{rest:g}": befores[rest] for rest in states}, "fresh": fresh}
    values |= {"best": best, "best_rest": best_rest, "low": min(bursts), "high": max(bursts)}
    values |= {"gain": best / befores[best_rest], "levels": {f"{rest:g}": level for rest, level in states.items()}}
    values["longest"] = max(states)
    if why := _unsure(run, test, phase):
        return Finding(key="because", test=test.name, values=values | {"because": why}, confidence="can't tell")
    return _recovery(test.name, values, states, befores)


def _recovery(test: str, values: dict[str, Any], states: dict[float, float], befores: dict[float, float]) -> Finding:
    """Return the effect of rests on a drive whose levels before them are known."""
    fresh, gained, first = values["fresh"], _gained(states, befores), befores[min(states)]
    if fresh < LEAST_GAIN * first:
        return _unfallen(test, values, first)
    if not gained:
        return Finding(key="none", test=test, values=values, side="con")
    needed = min((rest for rest, level in gained.items() if level >= ENOUGH * fresh), default=None)
    if needed is None:
        return Finding(key="partly", test=test, values=values)
    return Finding(key="recovers", test=test, values=values | {"needed": needed}, side="pro")


def _unfallen(test: str, values: dict[str, Any], first: float) -> Finding:
    """Return that rests make a drive faster than before them, or that it slowed down only between them, or neither.

    It had not slowed down before the first rests.
    """
    least = min(values["befores"].values())
    if max(values["levels"].values()) >= LEAST_GAIN * first:
        return Finding(key="from_below", test=test, values=values, confidence="can't tell")
    key = "late" if values["fresh"] >= LEAST_GAIN * least else "unfallen"
    known = {"before": first, "befores": values["befores"], "levels": values["levels"]}
    return Finding(key=key, test=test, values=known | {"least": least}, confidence="can't tell")


def _gained(states: dict[float, float], befores: dict[float, float]) -> dict[float, float]:
    """Return the levels after the rests that gain something over the level before them."""
    return {rest: level for rest, level in states.items() if level >= LEAST_GAIN * befores[rest]}


def _unsure(run: Run, test: PlannedTest, phase: str) -> Because | None:
    """Return the reason why the level before the rests is not a level or was disturbed, or None."""
    every = [r for name in look.phase_names(test) for r in look.records(run, test.name, name)]
    if why := grounds.unmet(NEEDS, Ground(run, test, every)):
        return why
    last = [r.counts for r in look.last_records(run, test, phase)]
    if len(last) < 2:
        return Because("once")
    half = len(last) // 2
    first, then = added(last[:half]).iops, added(last[half:]).iops
    return Because("unlevel") if max(first, then) > LEAST_RATIO * min(first, then) else None


def _bursts(run: Run, test: PlannedTest, rest: float) -> list[float]:
    """Return the IOPS of each burst of the second half of those with this rest."""
    phase = next(phase.name for phase in test.phases if look.rest_s(phase) == rest)
    return [counts.iops for counts in look.later_bursts(run, test.name, phase)]


def _levels(run: Run, test: PlannedTest) -> dict[float, float]:
    """Return seconds of rest -> IOPS of the second half of its bursts."""
    levels = {}
    for phase in test.phases:
        rest = look.rest_s(phase)
        if rest and len(look.records(run, test.name, phase.name)) > 1:
            levels[rest] = listed(run, test.name, phase.name)[0].iops
    return levels


def _before_each(run: Run, test: PlannedTest, first: float) -> dict[float, float]:
    """Return seconds of rest -> IOPS of the writes without rests before them, `first` if the test has none."""
    befores, before = {}, first
    for phase in test.phases:
        if rest := look.rest_s(phase):
            befores[rest] = before
        elif phase.name.startswith(BASELINE) and len(look.records(run, test.name, phase.name)) > 1:
            before = look.rested(run, test.name, phase.name).iops
    return befores
