"""Demand intensity of a captured workload, RWSW-DIRTH (RWSW PTS 1.0.7, recalled and not checked).

Recall-med: the sweep of PTS clause 14 with the applied test workload in place of one block size and mix. The write
streams run alone before each round and before the points, as that clause does with its writes (a choice of stend).
"""

from functools import partial

from stend.model.definition import Identity, Phase, Profile, Test, Workload
from stend.model.workload import Stream, writing
from stend.suite import _demand
from stend.suite._demand import max_point, mid_point, min_point
from stend.suite._streams import OPTIONS, applied, mixed

__all__ = ["TEST", "max_point", "mid_point", "min_point"]


def phases(profile: Profile, device: Identity) -> tuple[Phase, ...]:
    """Return purge, preconditioning, sweep and three points, all with the streams."""
    return _demand.phases(profile, partial(_stimulus, applied(profile)), 100)


def _stimulus(streams: tuple[Stream, ...], read_pct: int, threads: int, depth: int) -> Workload:
    """Return the whole mix, or only its writes if `read_pct` is 0."""
    mix = mixed(streams, threads, depth)
    return mix if read_pct else writing(mix)


TEST = Test(
    title="Demand Intensity of a Captured Workload",
    clause="RWSW (recalled)",
    phases=phases,
    charts=("convergence", "window", "demand", "histogram"),
    options=OPTIONS | {"levels": _demand.LEVELS},
    summary="the streams of a capture at every threads x depth; histograms at the Max, Mid and Min points",
)
