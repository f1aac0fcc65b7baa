"""Multi-WSAT (RWSW PTS 1.0.7, recalled and not checked): the applied test workload as one fixed mix, without a pause.

Recall-med: the streams' shares stay fixed, run to steady state as write saturation is. Recall-low: purge and twice the
capacity in order before it.
"""

from stend.model.definition import Identity, Phase, Profile, Test
from stend.suite._clauses import filled, half_hourly, minutes, purged
from stend.suite._streams import OPTIONS, applied, mixed

RECORD_MINUTES = 10
"""Minutes of the histogram, in steady state. A choice of stend."""


def phases(profile: Profile, device: Identity) -> tuple[Phase, ...]:
    """Return purge, fill, the mix until its half-hourly minutes are steady, and the mix for ten minutes more."""
    mix = mixed(applied(profile), profile.threads, profile.depth)
    return (
        purged(),
        filled(profile.threads, profile.depth),
        half_hourly(profile, mix, profile.rounds, name="saturate"),
        Phase(name="histogram", round=minutes(profile, [mix] * RECORD_MINUTES)),
    )


TEST = Test(
    title="Multi-Stream Write Saturation",
    clause="RWSW (recalled)",
    phases=phases,
    charts=("convergence", "window", "histogram"),
    options=OPTIONS,
    summary="the streams of a capture as one fixed mix, without a pause until steady",
)
