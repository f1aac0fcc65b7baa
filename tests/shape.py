"""The shape of response times of a synthetic drive: shares of IOs by times of the mean, with a long tail."""

import math
from functools import cache

from stend.model.definition import Workload
from stend.model.stats import bin_edges_ns

SHAPE = [(math.exp(0.3 * z), math.exp(-z * z / 2)) for z in (i / 4 - 3 for i in range(25))]
SHAPE += [(6 + 2 * i, 2e-3 * 0.55**i) for i in range(12)]
TOTAL = sum(share for _, share in SHAPE)


@cache
def middle_ns(index: int) -> tuple[float, float]:
    """The middle of a bin, and its square."""
    middle = sum(bin_edges_ns(index)) / 2
    return middle, middle**2


def played_bytes(workload: Workload) -> int | None:
    """About how many bytes a trace moves in total; None for a workload without an end."""
    return workload.replay.ios * workload.block_bytes if workload.replay else None
