"""Power: watts at rest and under load, work per watt, what a low rate costs, and what the meter cannot show."""

from collections.abc import Iterator, Sequence
from typing import Any

from stend.base.units import GB
from stend.findings import Finding, Sheet, look
from stend.findings.look import metered
from stend.findings.look.figures import Figures, listed
from stend.findings.look.powered import CONDITION, LOADS, RATES, TEST, Rest, highest_second, loads, rests
from stend.model.definition import PlannedTest
from stend.model.events import MeterFacts
from stend.model.record import Run

LOWER = 0.8
"""Share of the first measured power at rest below which longer rests save something."""
PCM1_S, PCM2_S = 2e-3, 4e-6
"""Longest periods of a meter for OCP's PCM-1 (highest mean of a second) and PCM-2 (highest mean of 100 us)."""
EXACT_S = 1e-3
"""Step of the search for a meter's delay."""
SHARP_S = 0.05
"""Largest half width of the interval of a meter's delay without a remark."""
SIGMAS = 2.0
"""Standard deviations of the readings at rest within which a difference of a whole machine is none."""
CACHED = 1.1
"""Random writes of an array that are faster by more than in its steady state are partly in the controller's cache."""
STILL = 1e-3
"""Share of a difference below which its error is not stated."""


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """Yield the power at rest, under load and at rates, of a whole machine only differences to rest, then the meter."""
    for test in look.tests(run, TEST):
        facts, idle, held = metered.meter(run), rests(run, test.name), loads(run, test, *LOADS)
        if facts is None or not (idle or held):
            yield Finding(key="short", test=test.name, confidence="can't tell")
            continue
        if facts.scope == "machine":
            yield from _above(test.name, facts, idle, held)
        else:
            yield from _idle(test.name, idle)
            yield from _load(test.name, loads(run, test, *(phase.name for phase in test.phases)))
            yield from _efficiency(run, test.name, held)
            yield from _rates(run, test, held)
            yield from _second(run, test, facts, held)
        yield _meter(test.name, facts)
        if not facts.of_drive:
            yield from of_clock(run, test.name, metered.span(run, run.tested[test.name][0])[0])
        if gaps := metered.gaps(run):
            values = {"n": len(gaps), "seconds": sum(gap.end_s - gap.begin_s for gap in gaps)}
            yield Finding(key="gaps", test=test.name, values=values)


def _meter(test: str, facts: MeterFacts) -> Finding:
    values: dict[str, Any] = {"name": facts.name, "period": facts.period_s}
    if facts.estimated:
        return Finding(key="estimated", test=test, values=values)
    if facts.error_pct is None:
        return Finding(key="meter_unknown", test=test, values=values)
    if not facts.error_pct:
        return Finding(key="meter_exact", test=test, values=values)
    return Finding(key="meter", test=test, values=values | {"error": facts.error_pct / 100})


def of_clock(run: Run, test: str, stretch: int) -> Iterator[Finding]:
    """Yield how late the readings are, and a remark if that is known with a wide interval only."""
    stated = clock(run, test, stretch)
    yield stated
    if (error_s := stated.values.get("error", 0.0)) > SHARP_S:
        yield Finding(key="blurred", test=test, values={"error": error_s})


def clock(run: Run, test: str, stretch: int) -> Finding:
    """Return by how much the readings of a meter outside the drive are late or early, which the figures allow for."""
    offset = metered.offset(run, stretch)
    if offset is None:
        return Finding(key="unaligned", test=test, confidence="can't tell")
    mean, drift = (offset.start_s + offset.end_s) / 2, max(abs(offset.end_s - offset.start_s), EXACT_S)
    values = {"seconds": abs(mean), "drift": drift, "n": offset.edges, "error": max(offset.error_s, EXACT_S)}
    return Finding(key="early" if mean < 0 else "late", test=test, values=values)


def _idle(test: str, idle: Sequence[Rest]) -> Iterator[Finding]:
    """Yield the lowest power at rest, and the power after the shortest rest that was measured.

    The first second alone is not at rest.
    """
    if not any(rest.rest_s for rest in idle):
        yield Finding(key="idle_unknown", test=test, confidence="can't tell")
        return
    first, lowest = idle[0], min(idle, key=lambda rest: rest.level.mean)
    values = {"watts": lowest.level.mean, "rest": lowest.rest_s, "first": first.level.mean, "first_rest": first.rest_s}
    falls = lowest.level.mean < LOWER * first.level.mean
    key = "idle_level" if not falls else "idle" if first.rest_s else "idle_active"
    values["longest"] = idle[-1].rest_s
    yield Finding(key=key, test=test, values=values)


def _load(test: str, held: Sequence[Figures]) -> Iterator[Finding]:
    """Yield the load with the highest mean power, preconditioning included, and the highest value of any."""
    if not held:
        return
    most, peak = max(held, key=lambda row: row.number("watts")), max(row.number("watts_max") for row in held)
    values = {"watts": most.number("watts"), "load": most.workload.label, "peak": peak}
    yield Finding(key="load", test=test, values=values)


def _second(run: Run, test: PlannedTest, facts: MeterFacts, held: Sequence[Figures]) -> Iterator[Finding]:
    """Yield the highest mean of a second and what OCP's measures need, as far as the meter shows it."""
    highest, short = highest_second(run, test.name), {"period": facts.period_s}
    if highest is None:
        yield Finding(key="no_second", test=test.name, values=short)
    elif facts.period_s > PCM1_S:
        yield Finding(key="second", test=test.name, values=short | {"watts": highest})
    else:
        values = {"watts": highest, "peak": max((row.number("watts_max") for row in held), default=highest)}
        key = "pcm1" if facts.period_s > PCM2_S else "pcm2"
        yield Finding(key=key, test=test.name, values=short | values)


def _efficiency(run: Run, test: str, held: Sequence[Figures]) -> Iterator[Finding]:
    """Yield the most random reads and writes per watt, without writes into a cache, and the energy of streams."""
    reads, writes = (_best(held, 100, pct, "iops_per_watt") for pct in (100, 0))
    if reads and writes:
        values = {"reads": reads.value("iops_per_watt"), "reads_at": reads.workload.outstanding}
        if lasts := _lasting(run, test, writes):
            yield Finding(key="random_cached", test=test, values=values | {"rate": writes.iops, "lasts": lasts})
        else:
            values |= {"writes": writes.value("iops_per_watt"), "writes_at": writes.workload.outstanding}
            yield Finding(key="random", test=test, values=values)
    reads, writes = (_best(held, 0, pct, "bytes_per_joule") for pct in (100, 0))
    if reads and writes:
        rates = {"reads": reads.number("bytes_per_joule"), "writes": writes.number("bytes_per_joule")}
        joules = {f"{name}_gb": GB / rate for name, rate in rates.items()}
        yield Finding(key="streams", test=test, values=rates | joules)


def _lasting(run: Run, test: str, writes: Figures) -> float | None:
    """Return the steady rate of an array's random writes before these, if these are faster; otherwise None."""
    before = listed(run, test, CONDITION) if run.plan.device.facts.get("level") else ()
    rates = [row.iops for row in before if row.steady and row.direction == "both"]
    return next((rate for rate in rates if writes.iops > CACHED * rate), None)


def _best(held: Sequence[Figures], random_pct: int, read_pct: int, quantity: str) -> Figures | None:
    rows = (row for row in held if (row.workload.random_pct, row.workload.read_pct) == (random_pct, read_pct))
    return max(rows, key=lambda row: row.number(quantity), default=None)


def _rates(run: Run, test: PlannedTest, held: Sequence[Figures]) -> Iterator[Finding]:
    """Yield the power at the lowest rate of reads and of writes beside that at the highest, unless a cache took it."""
    late = {r.workload for r in look.records(run, test.name, RATES) if r.result.pace and r.result.pace.doubtful}
    paced = [row for row in loads(run, test, RATES) if row.workload not in late]
    for read_pct in (100, 0):
        slow = min((r for r in paced if r.workload.read_pct == read_pct), key=lambda row: row.iops, default=None)
        fast = _best(held, 100, read_pct, "iops")
        if slow and fast and (read_pct or _lasting(run, test.name, fast) is None):
            watts, most = slow.number("watts"), fast.number("watts")
            values = {"rate": slow.iops, "part": slow.iops / fast.iops, "watts": watts, "most": most}
            key = "reads_at_rate" if read_pct else "writes_at_rate"
            yield Finding(key=key, test=test.name, values=values | {"share": watts / most})


def _above(test: str, facts: MeterFacts, idle: Sequence[Rest], held: Sequence[Figures]) -> Iterator[Finding]:
    """Yield the most that a load adds to the power of the machine at rest. The drive's own power stays unknown."""
    if not idle or not held:
        yield Finding(key="machine_unknown", test=test, confidence="can't tell")
        return
    lowest, most = min(idle, key=lambda rest: rest.level.mean), max(held, key=lambda row: row.number("watts"))
    more = most.number("watts") - lowest.level.mean
    error = SIGMAS * lowest.scatter + more * (facts.error_pct or 0.0) / 100
    values = {"more": more, "error": error, "load": most.workload.label, "idle": lowest.level.mean}
    key = "machine_none" if more <= error else "machine" if error >= STILL * more else "machine_still"
    yield Finding(key=key, test=test, values=values, confidence="medium" if more > error else "low")
