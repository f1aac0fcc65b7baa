"""Composite block size workload, CBW (PTS 2.0.2 clause 13; the enterprise composite workload of 1.1).

The load has twelve block sizes, 40/60 reads to writes and three access zones. It is swept over threads x depth from
high to low.
"""

from stend.model.definition import Identity, Phase, Profile, Test
from stend.suite import _demand
from stend.suite._composite import composite
from stend.suite._demand import max_point, mid_point, min_point

__all__ = ["TEST", "max_point", "mid_point", "min_point"]

READ_PCT = 40
"""Found twice."""


def phases(profile: Profile, device: Identity) -> tuple[Phase, ...]:
    """Return purge, preconditioning, sweep and three points, all with the composite."""
    return _demand.phases(profile, composite, READ_PCT)


TEST = Test(
    title="Composite Block Size Workload",
    clause="PTS 13",
    phases=phases,
    charts=("convergence", "window", "demand", "histogram"),
    options={"levels": _demand.LEVELS},
    summary="twelve block sizes, 40/60, three zones, at every threads x depth; histograms at three points",
)
