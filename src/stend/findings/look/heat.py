"""When a drive slowed itself down for heat, on the clock of the records of a phase."""

from collections.abc import Sequence
from itertools import pairwise

from stend.findings.look import Record
from stend.record import Run
from stend.watch import slowed


def throttled(run: Run, records: Sequence[Record]) -> list[tuple[float, float]]:
    """[(from, to)] in seconds from the start of the phase; as exact as the drive was asked often."""
    spans = [(before.t, now.t) for before, now in pairwise(run.telemetry) if slowed(before, now)]
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
