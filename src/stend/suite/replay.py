"""Replay: the IOs of a captured trace at their times, after the trace itself has brought the drive into its state.

Ours, after the replay-native test of RWSW PTS (recall): there step mixes are played, here every IO at its address.
"""

from stend.model.definition import Identity, Phase, Profile, Test
from stend.suite._played import OPTIONS, asked, prepared


def phases(profile: Profile, device: Identity) -> tuple[Phase, ...]:
    """Purge; write the range the trace is laid on; the trace unhurried by its times; the trace as it was."""
    replay = asked(profile, device).hold(profile.options["speed"], device)
    return *prepared(profile, device), Phase(name="replay", round=(replay,), boundary="test")


TEST = Test(
    title="Trace Replay",
    clause="own",
    phases=phases,
    charts=("replay", "replay_time"),
    options=OPTIONS | {"speed": 1.0},
    summary="a captured trace's IOs at their times (--trace FILE), after a pass of the same",
)
