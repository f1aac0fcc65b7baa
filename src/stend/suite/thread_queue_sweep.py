"""Thread and queue sweep: 8 KiB 70/30 at threads and depths of 2 to 16 (the reviews').

The test purges, fills, and preconditions with the same mix at 16/16 until steady. Then each point runs for a minute,
from low to high.
"""

from stend.model.definition import Identity, Phase, Profile, Test
from stend.suite._clauses import filled, half_hourly, minutes, purged, random

LEVELS = [2, 4, 8, 16]
BLOCK_KIB, READ_PCT = 8, 70
CONDITION_ROUNDS = 12
"""Half hours: at most six hours of preconditioning (mem)."""


def phases(profile: Profile, device: Identity) -> tuple[Phase, ...]:
    """Return purge, fill, preconditioning and sweep."""
    options = profile.options
    levels = options["levels"]
    sweep = [
        random(options["read_pct"], options["block_kib"], threads, depth) for threads in levels for depth in levels
    ]
    return (
        purged(),
        filled(levels[-1], levels[-1]),
        half_hourly(profile, sweep[-1], min(CONDITION_ROUNDS, profile.rounds), "condition"),
        Phase(name="sweep", round=minutes(profile, sweep)),
    )


TEST = Test(
    title="Thread and Queue Sweep",
    clause="review",
    phases=phases,
    charts=("thread_queue",),
    options={"levels": LEVELS, "block_kib": BLOCK_KIB, "read_pct": READ_PCT},
    summary="8 KiB 70/30 at 2 to 16 threads x 2 to 16 deep, after preconditioning at 16/16",
)
