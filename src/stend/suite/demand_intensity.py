"""Demand intensity and response time histogram, DIRTH (PTS 2.0.2 clause 14).

Random IO of a block size and mix of the operator's choice, swept over threads x depth from high to low.
"""

from stend.model.definition import Identity, Phase, Profile, Test, Workload
from stend.suite import _demand
from stend.suite._clauses import random
from stend.suite._demand import max_point, mid_point, min_point

__all__ = ["TEST", "max_point", "mid_point", "min_point"]

BLOCK_KIB, READ_PCT = 8, 65
"""The operator's choice; OLTP by default (found in one implementation)."""


def phases(profile: Profile, device: Identity) -> tuple[Phase, ...]:
    """Return purge, preconditioning, sweep and three points, all with one block size."""

    def stimulus(read_pct: int, threads: int, depth: int) -> Workload:
        return random(read_pct, profile.options["block_kib"], threads, depth)

    return _demand.phases(profile, stimulus, profile.options["read_pct"])


TEST = Test(
    title="Demand Intensity and Response Time Histogram",
    clause="PTS 14",
    phases=phases,
    charts=("convergence", "window", "demand", "histogram"),
    options={"levels": _demand.LEVELS, "block_kib": BLOCK_KIB, "read_pct": READ_PCT},
    summary="8 KiB 65/35 at every threads x depth; histograms at the Max, Mid and Min points",
)
