"""Causes from the layout of an array and the cache of its controller."""

from collections.abc import Sequence
from typing import Any

from stend.base.units import KiB
from stend.model.counts import Counts

MEMBER_IOS = {"raid1": 2, "raid10": 2, "raid5": 4, "raid6": 6}
"""IOs of members that a random write of less than a stripe costs: both halves of a mirror are written; of an array with
parity, data and parity are read and then written."""
AGREES = (0.75, 2.0)
"""Random reads over random writes, in IOs of members: fewer speak against it, more have another cause too."""
SAME = 1.03
"""Records within this ratio are level; the first ones of writes into a cache are faster by more."""
FIRST, FEWEST = 3, 10
"""Most records until a cache of a controller is full, which holds minutes of writes; fewest records of a course."""


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
    later = course[first:]
    if not 0 < first <= FIRST or any(not end / SAME <= counts.iops <= SAME * end for counts in later):
        return None
    above = sum((counts.iops - end) * counts.seconds for counts in course[:first]) * 4 * KiB
    return {"bytes": above, "s": sum(counts.seconds for counts in course[:first])}
