"""Individual Streams-WSAT (RWSW PTS 1.0.7, recalled and not checked): each stream of the applied workload alone.

Recall-med: each at 100 % to steady state, ideally with purge and preconditioning between them.
"""

from stend.model.definition import Identity, Phase, Profile, Test
from stend.suite._clauses import filled, half_hourly, purged
from stend.suite._streams import OPTIONS, alone, applied


def phases(profile: Profile, device: Identity) -> tuple[Phase, ...]:
    """Return for each stream: purge, fill, and that stream until its half-hourly minutes are steady."""
    return tuple(
        phase
        for stream in applied(profile)
        for tag in [f"-{stream.label.lower().replace(' ', '-')}"]
        for phase in (
            purged(tag),
            filled(profile.threads, profile.depth, tag=tag),
            half_hourly(profile, alone(stream, profile.threads, profile.depth), profile.rounds, name=f"saturate{tag}"),
        )
    )


TEST = Test(
    title="Individual Streams",
    clause="RWSW (recalled)",
    phases=phases,
    charts=("convergence", "window"),
    options=OPTIONS,
    summary="each stream of a capture alone until steady, from a purge",
)
