"""What the drive's own word between rounds means: rules over Telemetry that say what every report must say.

Pure: from the run so far to sentences. Two neighbouring Telemetry events are compared; an interruption between them
makes them strangers.
"""

from collections.abc import Callable, Iterator

from stend.definition import Hold, Purge
from stend.record import Result, Run, Telemetry
from stend.units import decimal

MINUTE_S, DAY_S = 60, 86_400
TOLERANCE = 0.01
UNITS_BYTES = 2 * 512_000
"""SMART counts data in thousands of 512 bytes and may tell a moment late."""
COUNTERS = {
    "crc_errors": "CRC errors (cable, connector)",
    "media_errors": "media errors",
    "reallocated": "reallocated sectors",
    "grown_defects": "grown defects",
    "degraded": "missing members of the array",
}
PROOFS = (("kernel", "the kernel"), ("host", "the drive (SMART)"))
THROTTLES = ("throttle_s", "warning_temperature_min")


def told(run: Run) -> Iterator[str]:
    """What the newest Telemetry says against the one before it, a sentence each; nothing where there are not two."""
    pair = _pair(run)
    if pair is None:
        return
    before, now = pair
    for rule in RULES:
        yield from rule(run, before, now)


def at_the_end(run: Run) -> Iterator[str]:
    """What can only be said when no more Telemetry comes: throttling that went on, and write amplification."""
    streak = _streak(run, len(run.telemetry) - 1)
    if streak:
        yield _throttled(run, *streak)
    if not run.started or run.plan.device.virtual:
        return
    for test, phase in run.phases():
        results = run.of(test.name, phase.name)
        if results:
            yield from _wear(run, f"{test.name}, {phase.name}", results)


def _pair(run: Run) -> tuple[Telemetry, Telemetry] | None:
    if len(run.telemetry) < 2:
        return None
    before, now = run.telemetry[-2:]
    return None if _interrupted(run, before, now) else (before, now)


def _interrupted(run: Run, before: Telemetry, now: Telemetry) -> bool:
    return any(note.kind == "interruption" and before.t <= note.t <= now.t for note in run.notes)


def _grew(before: Telemetry, now: Telemetry, name: str) -> float:
    """How much a counter grew; 0 where one of the two does not tell it, or it began anew."""
    if name not in before.values or name not in now.values:
        return 0
    return max(float(now.values[name]) - float(before.values[name]), 0)


def _counters(run: Run, before: Telemetry, now: Telemetry) -> Iterator[str]:
    for name, words in COUNTERS.items():
        if growth := _grew(before, now, name):
            yield f"{words} grew by {growth:.0f} between minute {_minute(before)} and {_minute(now)}"


def _link(run: Run, before: Telemetry, now: Telemetry) -> Iterator[str]:
    was, is_now = before.values.get("link"), now.values.get("link")
    if was and is_now and was != is_now:
        yield f"the drive's link was retrained from {was} to {is_now} before minute {_minute(now)}"


def _warnings(run: Run, before: Telemetry, now: Telemetry) -> Iterator[str]:
    limit = run.plan.device.facts.get("warning_temperature_c")
    was, is_now = before.values.get("temperature_c"), now.values.get("temperature_c")
    if limit and is_now is not None and is_now >= limit and (was is None or was < limit):
        yield f"the drive reached {is_now} °C by minute {_minute(now)}; it warns from {limit} °C"
    if now.values.get("critical_warning") and not before.values.get("critical_warning"):
        yield f"the drive gives a critical warning ({now.values['critical_warning']:#x}) since minute {_minute(now)}"
    if now.values.get("resync") and not before.values.get("resync"):
        yield f"the array is being synchronised since minute {_minute(now)}: {now.values['resync']}"


def _throttling(run: Run, before: Telemetry, now: Telemetry) -> Iterator[str]:
    """Told when it is over, so that one sentence covers it."""
    last = len(run.telemetry) - 1
    if not _slow(run, last) and (streak := _streak(run, last - 1)):
        yield _throttled(run, *streak)


def _slow(run: Run, index: int) -> bool:
    """Whether the drive slowed itself down between Telemetry `index` - 1 and `index`."""
    if index < 1:
        return False
    before, now = run.telemetry[index - 1 : index + 1]
    return any(_grew(before, now, name) for name in THROTTLES) or bool(now.values.get("throttled"))


def _streak(run: Run, last: int) -> tuple[int, int] | None:
    """The first and last Telemetry of the throttling that goes on at `last`."""
    first = last
    while _slow(run, first):
        first -= 1
    return (first, last) if first < last else None


def _throttled(run: Run, first: int, last: int) -> str:
    begin, end = run.telemetry[first], run.telemetry[last]
    seconds = _grew(begin, end, "throttle_s")
    much = f" ({seconds:.0f} s by its own count)" if seconds else ""
    return f"the drive throttled itself in minutes {_minute(begin)}–{_minute(end)}{much}"


def _proof(run: Run, before: Telemetry, now: Telemetry) -> Iterator[str]:
    """Bytes by fio against those that others counted; purges and what is in flight at a stop are no load of fio's."""
    between = [r for r in run.results if before.t < r.t <= now.t]
    if not between or any(isinstance(r.step, Purge) for r in between):
        return
    slack = sum(map(_in_flight, between))
    for source, words in PROOFS:
        for kind in ("read", "write"):
            name = f"{source}_{kind}_bytes"
            if name not in before.values or name not in now.values:
                continue
            fio = sum(getattr(r.counts, kind).bytes for r in between)
            seen = _grew(before, now, name)
            allowed = fio * TOLERANCE + slack + (UNITS_BYTES if source == "host" else 0)
            if abs(seen - fio) > allowed:
                span = f"between minute {_minute(before)} and {_minute(now)}"
                done = "read" if kind == "read" else "written"
                yield f"fio told {decimal(fio)} {done}, {words} counted {decimal(round(seen))} {span}"


def _in_flight(result: Result) -> int:
    if not isinstance(result.step, Hold):
        return 0
    load = result.step.workload
    largest = max((size for size, _ in load.block_mix), default=load.block_bytes)
    return load.outstanding * largest


def _wear(run: Run, place: str, results: list[Result]) -> Iterator[str]:
    """Write amplification and drive writes per day over the Telemetry inside a phase, where NAND writes are told."""
    first, last = results[0].t, results[-1].t
    inside = [t for t in run.telemetry if first <= t.t <= last + MINUTE_S and "nand_write_bytes" in t.values]
    if len(inside) < 2:
        return
    host, nand = (_grew(inside[0], inside[-1], f"{kind}_write_bytes") for kind in ("host", "nand"))
    seconds, capacity = inside[-1].t - inside[0].t, run.plan.device.capacity_bytes
    if host and seconds:
        days = host / capacity * DAY_S / seconds
        words = f"{decimal(round(host))} from the host, {decimal(round(nand))} to flash"
        yield f"{place}: write amplification {nand / host:.2f} ({words}), {days:.1f} drive writes per day"


def _minute(event: Telemetry) -> str:
    return f"{event.t / MINUTE_S:.0f}"


RULES: tuple[Callable[[Run, Telemetry, Telemetry], Iterator[str]], ...] = (
    _throttling,
    _counters,
    _link,
    _warnings,
    _proof,
)
