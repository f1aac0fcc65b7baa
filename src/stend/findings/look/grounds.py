"""What a conclusion needs of the run it is drawn from: preconditions as data, each with its reason where it is unmet.

A finding names its own (`NEEDS`), asks for the first that is unmet, and then says "can't tell, because". A reason is a
phrase of the catalogue (`because.KEY`) and its values, so that it reads in every language.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from stend.findings.look import Record, heat, incidents, judged_phases, last_judged, phase_names
from stend.findings.look.because import Because as Because  # noqa: PLC0414 -- needs give it
from stend.findings.look.moments import on_clock
from stend.model.definition import Bytes, Hold, PlannedTest, Purge
from stend.model.record import Run

FILLS = 2.0
"""Capacities to be written from a purge before a level can be called lasting: the first is written to clean flash, the
second uses up what is spare even where that is as much again. No drive known to us hides more."""
HOT_C = 70.0
"""Most drives begin to slow down between 70 and 85 °C; one that tells its own limit is believed."""
NEAR_C = 10.0
"""A drive that was slowed down for heat between two looks has cooled down by less than this at the next one."""
WHOLE = 0.99


class Ground(NamedTuple):
    """The stretch of a run that a conclusion is about."""

    run: Run
    test: PlannedTest
    records: Sequence[Record]


Need = Callable[[Ground], Because | None]


def unmet(needs: Iterable[Need], ground: Ground) -> Because | None:
    """The first precondition that the run does not meet; None where it carries the conclusion."""
    return next((why for need in needs if (why := need(ground))), None)


def unhurried(ground: Ground) -> Because | None:
    """The run was not shortened by `--quick`: seconds of a load show no state that lasts."""
    return Because("quick") if ground.run.plan.profile.quick else None


def unthrottled(ground: Ground) -> Because | None:
    """The drive does not say that it slowed itself down."""
    seconds = sum(end - begin for begin, end in heat.throttled(ground.run, ground.records))
    return Because("throttled", {"seconds": seconds}) if seconds else None


def cool(ground: Ground) -> Because | None:
    """The drive stayed below the temperature from which it warns, or most slow down."""
    limit, top = limit_c(ground.run), heat.hottest(ground.run, ground.records)
    return Because("hot", {"top": top, "limit": limit}) if top is not None and top >= limit else None


def quiet(ground: Ground) -> Because | None:
    """Nothing that watch notes happened to the drive: no other link, errors, warning, resync, or missing member."""
    return next((incident.why for incident in incidents.during(ground.run, ground.records)), None)


def undisturbed(ground: Ground) -> Because | None:
    """Neither heat nor anything else that the drive reports of itself can have moved its figures."""
    return unthrottled(ground) or cool(ground) or quiet(ground)


def surely_cool(ground: Ground) -> bool:
    """Whether the drive told temperatures so low that none between two looks can have slowed it down."""
    top = heat.hottest(ground.run, ground.records)
    return top is not None and top < limit_c(ground.run) - NEAR_C


def undisturbed_s(ground: Ground) -> float:
    """Return up to when `undisturbed` holds, in seconds on the records' clock; infinity where it holds throughout."""
    run, records = ground.run, ground.records
    begins = [begin for begin, _ in heat.throttled(run, records)]
    begins += [on_clock(run, records, one.begin) for one in incidents.during(run, records)]
    if records and (hot := heat.hot_from(run, records, limit_c(run))) is not None:
        begins.append(on_clock(run, records, hot))
    return min(begins, default=float("inf"))


def limit_c(run: Run) -> float:
    """Return the temperature from which the drive warns, or from which most slow down."""
    return float(run.plan.device.facts.get("warning_temperature_c") or HOT_C)


def overwritten(ground: Ground) -> Because | None:
    """FILLS capacities were written since the drive was purged."""
    fills = capacities(ground)
    return Because("fills", {"fills": fills, "wanted": FILLS}) if fills < WHOLE * FILLS else None


def ruled(ground: Ground) -> Because | None:
    """Where a steady state was sought, it was reached by the rule."""
    names = {record.result.where.phase for record in ground.records}
    for phase, _ in judged_phases(ground.test):
        judged = last_judged(ground.run, ground.test.name, phase.name)
        if phase.name in names and not (judged and judged.steady):
            return Because("unruled")
    return None


def whole(ground: Ground) -> Because | None:
    """All that was to be written was written."""
    for record in ground.records:
        step = record.result.step
        if isinstance(step, Hold) and isinstance(step.amount, Bytes):
            share = record.counts.write.bytes / step.amount.bytes
            if share < WHOLE:
                return Because("part", {"share": share})
    return None


def capacities(ground: Ground) -> float:
    """Capacities written from the test's last purge on until the end of the stretch."""
    run, test = ground.run, ground.test
    last, written = ground.records[-1].result if ground.records else None, 0
    for result in (r for name in phase_names(test) for r in run.of(test.name, name)):
        written = 0 if isinstance(result.step, Purge) else written + result.counts.write.bytes
        if result is last:
            break
    return written / run.plan.device.capacity_bytes
