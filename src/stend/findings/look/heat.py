"""When a drive slowed itself down for heat and how warm it was, on the clock of the records of a phase."""

from collections.abc import Sequence
from itertools import pairwise

from stend.findings.look import Record
from stend.findings.look.once import once
from stend.record import Run, Telemetry
from stend.watch import slowed


def throttled(run: Run, records: Sequence[Record]) -> list[tuple[float, float]]:
    """[(from, to)] in seconds from the start of the phase; as exact as the drive was asked often."""
    spans = [(before.t, now.t) for before, now in slow(run)]
    found: list[tuple[float, float]] = []
    for record in records:
        shift = record.start_s - (record.result.t - record.counts.seconds)
        for begin, end in spans:
            first, last = max(begin + shift, record.start_s), min(end + shift, record.end_s)
            if first < last and found and first - found[-1][1] < 1:
                found[-1] = (found[-1][0], last)
            elif first < last:
                found.append((first, last))
    return found


@once
def slow(run: Run) -> tuple[tuple[Telemetry, Telemetry], ...]:
    """Neighbouring looks at the drive between which it slowed itself down."""
    looks = pairwise(run.telemetry)
    return tuple((before, now) for before, now in looks if before.t <= now.t and slowed(before, now))


def hottest(run: Run, records: Sequence[Record]) -> float | None:
    """The highest temperature told from the look before the records to the look after them; None if none was."""
    told = [(look.t, float(c)) for look in run.telemetry if (c := look.values.get("temperature_c")) is not None]
    if not told or not records:
        return None
    begin, end = records[0].result.t - records[0].counts.seconds, records[-1].result.t
    first = max((t for t, _ in told if t <= begin), default=begin)
    last = min((t for t, _ in told if t >= end), default=end)
    return max((c for t, c in told if first <= t <= last), default=None)
