"""Replay: the IOs of a captured trace at their times, after a pass of the trace has conditioned the drive.

A test of stend, after the replay-native test of RWSW PTS (recall), which plays a mix per step. Here every IO keeps its
address.
"""

from stend.model.definition import Identity, Phase, Profile, Test
from stend.suite._played import OPTIONS, place_trace, prepared


def phases(profile: Profile, device: Identity) -> tuple[Phase, ...]:
    """Return the phases before a replay (`prepared`), then the trace at its recorded times."""
    replay = place_trace(profile, device).hold(profile.options["speed"], device)
    return *prepared(profile, device), Phase(name="replay", round=(replay,), boundary="test")


TEST = Test(
    title="Trace Replay",
    clause="own",
    phases=phases,
    charts=("replay", "replay_time"),
    options=OPTIONS | {"speed": 1.0},
    summary="a captured trace's IOs at their times (--trace FILE), after a pass of the same",
)
