"""Rules over Telemetry: from the values that a drive reports between rounds to sentences for every report.

All functions are pure. They compare two neighbouring Telemetry events, but not across an interruption, where the clock
starts again and the drive may have been changed.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from stend.model.definition import Hold, Purge
from stend.model.events import Result, Telemetry
from stend.model.record import Run
from stend.model.warming import growth, slowed
from stend.model.wear import amplification
from stend.words import Sentence

MINUTE_S, DAY_S = 60, 86_400
TOLERANCE = 0.01
UNIT_BYTES, UNITS = 512_000, 2
"""NVMe counts data in thousands of 512 bytes. Others state `host_unit_bytes`. Counters may lag by `UNITS`."""
COUNTERS = {
    "crc_errors": "crc",
    "media_errors": "media",
    "reallocated": "reallocated",
    "grown_defects": "grown",
    "link_errors": "link_errors",
    "link_retrains": "link_retrains",
    "degraded": "missing",
}
"""Counters whose growth is noted, with their keys in the catalogue."""
HEAT_BIT = 2
"""The bit of NVMe's critical_warning for temperature."""
PROOFS = (("kernel", "kernel"), ("host", "smart"))


class Incident(NamedTuple):
    """A change that a drive reports: its name in the catalogue (`because.NAME`) and its values."""

    key: str
    values: dict[str, Any]


def incidents(before: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Incident]:
    """Yield every change between two Telemetry events that can move the drive's figures.

    These are a counter that grew, another link, a new critical warning, and the start of an array's synchronisation.
    """
    for name in COUNTERS:
        if grown := growth(before, now, name):
            yield Incident(name, {"growth": grown})
    was, link = before.get("link"), now.get("link")
    if was and link and was != link:
        yield Incident("link", {"was": was, "now": link})
    bits, known = int(now.get("critical_warning") or 0), int(before.get("critical_warning") or 0)
    if bits & ~known:
        yield Incident("heat_warning" if bits & HEAT_BIT else "critical_warning", {"bits": f"{bits:#x}"})
    if now.get("resync") and not before.get("resync"):
        yield Incident("resync", {"what": str(now["resync"])})


def doubts(run: Run) -> Iterator[Sentence]:
    """Yield a sentence for every change from the second newest Telemetry to the newest one."""
    pair = _pair(run)
    if pair is None:
        return
    before, now = pair
    for rule in RULES:
        yield from rule(run, before, now)


def mismatches(run: Run) -> Iterator[Sentence]:
    """Yield where loads and other counters differ between the newest two Telemetry events, for every page."""
    pair = _pair(run)
    if pair is not None:
        yield from _proof(run, *pair)


def of_phase(run: Run, test: str, phase: str) -> Iterator[Sentence]:
    """Yield the results of a completed phase: its write amplification, and drive writes per day."""
    if run.started and not run.plan.device.virtual:
        yield from _wear(run, test, phase)


def at_the_end(run: Run) -> Iterator[Sentence]:
    """Yield the sentence on throttling that continued up to the last Telemetry of the run."""
    looks = run.present[1]
    if streak := _streak(looks, len(looks) - 1):
        yield _throttled(run, *streak)


def _pair(run: Run) -> tuple[Telemetry, Telemetry] | None:
    looks = run.present[1]
    return (looks[-2], looks[-1]) if len(looks) > 1 else None


def _incidents(run: Run, before: Telemetry, now: Telemetry) -> Iterator[Sentence]:
    for key, values in incidents(before.values, now.values):
        match key:
            case "link":
                yield Sentence("retrained", a=values["was"], b=values["now"], m=_minute(run, now))
            case "heat_warning" | "critical_warning":
                yield Sentence("critical", code=values["bits"], m=_minute(run, now))
            case "resync":
                yield Sentence("resync", m=_minute(run, now), what=values["what"])
            case _:
                what, grown = Sentence(COUNTERS[key]), round(values["growth"])
                yield Sentence("grew", what=what, n=grown, a=_minute(run, before), b=_minute(run, now))


def _hot(run: Run, before: Telemetry, now: Telemetry) -> Iterator[Sentence]:
    limit = run.plan.device.facts.get("warning_temperature_c")
    was, is_now = before.values.get("temperature_c"), now.values.get("temperature_c")
    if limit and is_now is not None and is_now >= limit and (was is None or was < limit):
        yield Sentence("hot", t=is_now, m=_minute(run, now), limit=limit)


def _throttling(run: Run, before: Telemetry, now: Telemetry) -> Iterator[Sentence]:
    """Yield the sentence on throttling when it is over, so that a single sentence covers it."""
    looks = run.present[1]
    last = len(looks) - 1
    if not _slow(looks, last) and (streak := _streak(looks, last - 1)):
        yield _throttled(run, *streak)


def _slow(looks: list[Telemetry], index: int) -> bool:
    """Return True if the drive throttled itself between Telemetry `index` - 1 and `index`."""
    return index > 0 and slowed(*looks[index - 1 : index + 1])


def _streak(looks: list[Telemetry], last: int) -> tuple[int, int] | None:
    """Return the first and last Telemetry of the throttling that includes `last`."""
    first = last
    while _slow(looks, first):
        first -= 1
    return (first, last) if first < last else None


def _throttled(run: Run, first: int, last: int) -> Sentence:
    begin, end = (run.present[1][place] for place in (first, last))
    seconds = growth(begin.values, end.values, "throttle_s")
    span = {"a": _minute(run, begin), "b": _minute(run, end)}
    return Sentence("throttled_s", **span, s=round(seconds)) if seconds else Sentence("throttled", **span)


def _proof(run: Run, before: Telemetry, now: Telemetry) -> Iterator[Sentence]:
    """Compare the loads' bytes with other counters. Purges and IOs in flight at a stop are not part of them."""
    results = run.present[0]
    first = _results_before(results, before)
    between = results[first : _results_before(results, now)]
    if not between or any(isinstance(r.step, Purge) for r in between):
        return
    late = _late(results[:first], before, between, now)
    slack, unit = sum(map(_in_flight, between)), int(now.values.get("host_unit_bytes", UNIT_BYTES))
    for source, name in PROOFS:
        for kind in ("read", "write"):
            counter = f"{source}_{kind}_bytes"
            if counter not in before.values or counter not in now.values:
                continue
            sent = sum(getattr(counts, kind).bytes for r in between for counts in r.every)
            counted = growth(before.values, now.values, counter)
            allowed = sent * (TOLERANCE + late) + slack + (unit * UNITS if source == "host" else 0)
            if abs(counted - sent) > allowed:
                span = {"a": _minute(run, before), "b": _minute(run, now)}
                done = "proof_read" if kind == "read" else "proof_written"
                yield Sentence(done, x=sent, who=Sentence(name), y=round(counted), **span)


def _results_before(results: list[Result], look: Telemetry) -> int:
    """Return how many results there were when the Telemetry was read."""
    return bisect_right(results, look.t, key=lambda result: result.t)


def _late(earlier: list[Result], before: Telemetry, between: list[Result], now: Telemetry) -> float:
    """Return the delay of the Telemetry after a result as a share of the load's time: continued load counts already."""
    seconds = sum(r.counts.seconds for r in between)
    after = now.t - between[-1].t + sum(before.t - r.t for r in earlier[-1:])
    return after / seconds if seconds else 0.0


def _in_flight(result: Result) -> int:
    if not isinstance(result.step, Hold):
        return 0
    load = result.step.workload
    return sum(one.outstanding * max(size for size, _ in one.sizes) for one in (load, *load.beside))


def _wear(run: Run, test: str, phase: str) -> Iterator[Sentence]:
    """Yield the wear of a phase that has just ended, if the drive reports NAND writes."""
    results, looks = run.present
    first = next((n for n, r in enumerate(results) if (r.where.test, r.where.phase) == (test, phase)), None)
    if first is None:
        return
    begin = results[first - 1].t if first else 0.0
    inside = [look for look in looks if look.t >= begin and "nand_write_bytes" in look.values]
    if len(inside) < 2:
        return
    reported = all("host_write_bytes" in look.values for look in inside)
    counter = "host_write_bytes" if reported else "kernel_write_bytes"
    begun, now = inside[0], inside[-1]
    amplified = amplification(begun.values, now.values, counter)
    if amplified is not None and now.t > begun.t:
        host, nand = (round(growth(begun.values, now.values, name)) for name in (counter, "nand_write_bytes"))
        days = host / run.plan.device.capacity_bytes * DAY_S / (now.t - begun.t)
        written = {"wa": amplified, "host": host, "nand": nand, "days": days}
        yield Sentence("wear", test=test, phase=phase, **written)


def _minute(run: Run, event: Telemetry) -> int:
    """Return the minute of the whole run in which the drive was read. The clock of a resumed run starts again."""
    earlier_s = run.before_s[-1] if run.before_s else 0.0
    return round((earlier_s + event.t) / MINUTE_S)


RULES: tuple[Callable[[Run, Telemetry, Telemetry], Iterator[Sentence]], ...] = (_throttling, _incidents, _hot)
