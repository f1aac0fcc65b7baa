"""Preconditions of conclusions as data: each returns the reason why it is not met, or None.

A finding lists its preconditions (`NEEDS`) and uses the reason of the first that is not met. Its confidence is then
`can't tell`. A reason is a phrase of the catalogue (`because.KEY`) with its values, so that every language can print
it.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from stend.findings.look import Record, heat, incidents, judged_phases, last_judged, phase_names
from stend.findings.look.because import Because as Because  # noqa: PLC0414 -- needs give it
from stend.findings.look.moments import on_clock
from stend.model.definition import Bytes, Hold, PlannedTest, Purge
from stend.model.record import Run

FILLS = 2.0
"""Capacities to be written after a purge before a level can be called lasting. The first is written to clean flash, the
second uses up spare flash even if that is as large again. We know of no drive that hides more."""
HOT_C = 70.0
"""Most drives slow down between 70 and 85 °C; a limit that the drive itself reports takes precedence."""
NEAR_C = 10.0
"""A drive that was slowed down by heat between two telemetry readings has cooled down by less than this at the next
one."""
WHOLE = 0.99


class Ground(NamedTuple):
    """The stretch of a run that a conclusion is about."""

    run: Run
    test: PlannedTest
    records: Sequence[Record]


Need = Callable[[Ground], Because | None]


def unmet(needs: Iterable[Need], ground: Ground) -> Because | None:
    """Return the reason of the first precondition that the run does not meet, or None if it meets all."""
    return next((why for need in needs if (why := need(ground))), None)


def unhurried(ground: Ground) -> Because | None:
    """Return a reason if the run was shortened by `--quick`: seconds of a load show no lasting state."""
    return Because("quick") if ground.run.plan.profile.quick else None


def unthrottled(ground: Ground) -> Because | None:
    """Return a reason if the drive reports that it slowed itself down."""
    seconds = heat.throttled_s(ground.run, ground.records)
    return Because("throttled", {"seconds": seconds}) if seconds else None


def cool(ground: Ground) -> Because | None:
    """Return a reason if the drive reached the temperature at which it warns, or at which most drives slow down."""
    limit, top = limit_c(ground.run), heat.hottest(ground.run, ground.records)
    return Because("hot", {"top": top, "limit": limit}) if top is not None and top >= limit else None


def quiet(ground: Ground) -> Because | None:
    """Return the first incident that telemetry reported, as a reason.

    Incidents are another link, errors, a warning, a resync, or a missing member.
    """
    return next((incident.why for incident in incidents.during(ground.run, ground.records)), None)


def undisturbed(ground: Ground) -> Because | None:
    """Return a reason if heat or anything else that the drive reports may have changed its figures."""
    return unthrottled(ground) or cool(ground) or quiet(ground)


def surely_cool(ground: Ground) -> bool:
    """Return whether all temperatures were so low that the drive cannot have slowed down between two readings."""
    top = heat.hottest(ground.run, ground.records)
    return top is not None and top < limit_c(ground.run) - NEAR_C


def undisturbed_s(ground: Ground) -> float:
    """Return how long `undisturbed` holds, in seconds on the records' clock, or infinity if it always does."""
    run, records = ground.run, ground.records
    begins = [begin for begin, _ in heat.throttled(run, records)]
    begins += [on_clock(run, records, incident.begin) for incident in incidents.during(run, records)]
    if records and (hot := heat.hot_from(run, records, limit_c(run))) is not None:
        begins.append(on_clock(run, records, hot))
    return min(begins, default=float("inf"))


def limit_c(run: Run) -> float:
    """Return the temperature at which the drive warns, or at which most drives slow down, in °C."""
    return float(run.plan.device.facts.get("warning_temperature_c") or HOT_C)


def overwritten(ground: Ground) -> Because | None:
    """Return a reason if fewer than FILLS capacities were written since the purge."""
    fills = capacities(ground)
    return Because("fills", {"fills": fills, "wanted": FILLS}) if fills < WHOLE * FILLS else None


def ruled(ground: Ground) -> Because | None:
    """Return a reason if a steady state was sought and not reached; four capacities end a saturation regularly."""
    names = {record.result.where.phase for record in ground.records}
    for phase, _ in judged_phases(ground.test):
        judged = last_judged(ground.run, ground.test.name, phase.name)
        if phase.name in names and not (judged and (judged.steady or judged in ground.run.saturated)):
            return Because("unruled")
    return None


def fully_written(ground: Ground) -> Because | None:
    """Return a reason if less was written than planned."""
    for record in ground.records:
        step = record.result.step
        if isinstance(step, Hold) and isinstance(step.amount, Bytes):
            share = record.counts.write.bytes / step.amount.bytes
            if share < WHOLE:
                return Because("part", {"share": share})
    return None


def capacities(ground: Ground) -> float:
    """Return the capacities written from the test's last purge to the end of the stretch."""
    run, test = ground.run, ground.test
    last, written = ground.records[-1].result if ground.records else None, 0
    for result in (r for name in phase_names(test) for r in run.of(test.name, name)):
        written = 0 if isinstance(result.step, Purge) else written + result.counts.write.bytes
        if result is last:
            break
    return written / run.plan.device.capacity_bytes
