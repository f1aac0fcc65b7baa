"""Causes from the layout of an array and the cache of its controller."""

from collections.abc import Sequence
from typing import Any

from stend.base.units import KiB
from stend.findings import look
from stend.findings.look.figures import Figures
from stend.findings.look.once import once
from stend.model.counts import Counts
from stend.model.record import Run

MEMBER_IOS = {"raid1": 2, "raid10": 2, "raid5": 4, "raid6": 6}
"""IOs of members that a random write of less than a stripe costs: both halves of a mirror are written; of an array with
parity, data and parity are read and then written."""
AGREES = (0.75, 2.0)
"""Random reads over random writes, in IOs of members: fewer speak against it, more have another cause too."""
SAME = 1.03
"""Records within this ratio are level; the first ones of writes into a cache are faster by more."""
FIRST_S, FEWEST, LASTS = 185.0, 10, 4
"""Longest time until a cache of a controller is full, which holds minutes of writes; fewest records of a course, and of
its level."""
CACHED = 0.1
"""A mean is above the level that lasts if the cache of the controller holds this share of its writes."""


def penalty(level: str, reads: float, writes: float) -> tuple[str, dict[str, Any]] | None:
    """Return the cause and its values if random writes are slower than random reads (IOPS) as the level makes them.

    The cause has the name of the level, or "penalty" if writes are slower still. None if the rates speak against it.
    """
    ios = MEMBER_IOS.get(level)
    low, high = (share * (ios or 0) for share in AGREES)
    if ios is None or not writes or reads / writes < low:
        return None
    values = {"writes": writes, "reads": reads, "share": writes / reads, "left": 1 / ios}
    if reads / writes <= high:
        return level, values
    return "penalty", values | {"ios": ios}


def absorbed(course: Sequence[Counts]) -> dict[str, Any] | None:
    """Return the bytes that the first records of 4 KiB writes have above the level that lasts, and their time in s.

    None if the rate falls later or slowly: a cache of a controller fills once, and then the rate is level.
    """
    end = course[-1].iops if len(course) >= FEWEST else 0.0
    first = next((n for n, counts in enumerate(course) if counts.iops <= SAME * end), 0)
    later, seconds = course[first:], sum(counts.seconds for counts in course[:first])
    if not first or len(later) < LASTS or seconds > FIRST_S:
        return None
    if any(not end / SAME <= counts.iops <= SAME * end for counts in later):
        return None
    above = sum((counts.iops - end) * counts.seconds for counts in course[:first]) * 4 * KiB
    return {"bytes": above, "s": seconds}


@once
def caches(run: Run) -> dict[str, tuple[dict[str, Any], float]]:
    """Return what the cache of a controller absorbed, and the IOPS that last, by the saturation of an array."""
    held: dict[str, tuple[dict[str, Any], float]] = {}
    for test in look.tests(run, "write-saturation") if run.plan.device.facts.get("level") else ():
        course = [record.counts for record in look.records(run, test.name, look.main_phase(run, test))]
        if values := absorbed(course):
            held[test.name] = values, course[-1].iops
    return held


def raised(run: Run, row: Figures) -> dict[str, Any] | None:
    """Return why a mean of 4 KiB writes is above the level that lasts: the cache takes much of each of its records."""
    written = row.tally.bytes / max(len(row.rounds), 1)
    for values, lasts in caches(run).values():
        if values["bytes"] >= CACHED * written and row.iops > SAME * lasts:
            return {"written": written, "bytes": values["bytes"], "mean": row.iops, "lasts": lasts}
    return None
