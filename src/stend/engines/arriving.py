"""The schedule of an open loop as requests for the sender."""

from collections.abc import Iterator

import numpy as np

from stend.engines.mapped import Requests
from stend.engines.simulated import pattern
from stend.model.workload import Workload
from stend.sim.arrivals import Arrivals
from stend.trace.form import FUA, READ, WRITE


def arriving(workload: Workload, *, seed: int, from_bytes: int, limit_bytes: int | None) -> Iterator[Requests]:
    """Yield the requests of a workload with a rate, endlessly, due in ns from its start; see `Engine.start`."""
    drawn = pattern(workload, seed=seed, from_bytes=from_bytes, limit_bytes=limit_bytes)
    for offset, size, due in Arrivals(drawn, workload.rate_iops, even=workload.arrivals == "even"):
        op = np.where(size < 0, READ, WRITE)
        flags = np.full_like(op, FUA if workload.sync == "fua" else 0)
        yield Requests(due, op, flags, offset, np.abs(size), np.zeros_like(op))
