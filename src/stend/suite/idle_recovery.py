"""Host idle recovery, HIR: how rests of five lengths restore the speed of a saturated drive (PTS 2.0.2 clause 11).

The test purges the drive and writes until steady. For each rest it writes five seconds and rests, 360 times, and then
writes half an hour without a rest. A rest counts from the last IO. Its real length is the `gap_s` of the writes after
it.
"""

from stend.model.definition import Hold, Identity, Idle, Phase, Profile, Test
from stend.suite import write_saturation
from stend.suite._clauses import filled, half_hourly, purged, random

BURST_S = 5
RESTS_S = [5, 10, 15, 25, 50]
"""Wait states 1, 2, 3, 5 and 10: rests that last this many bursts (found in three implementations)."""
REPEATS = 360
"""360 x 5 s = 1800 s of writes, with rests and then (open point 7) without."""
SATURATION_MINUTES = 600
AFTER_FILL_MINUTES = 60


def phases(profile: Profile, device: Identity) -> tuple[Phase, ...]:
    """Return purge, saturation, and five wait states, each with the return to the baseline after it."""
    burst = Hold(workload=random(0, 4, profile.threads, profile.depth), amount=profile.seconds(BURST_S))
    count = profile.repeats(profile.options["repeats"], least=3)
    waits = []
    for rest_s in profile.options["rests_s"]:
        state = f"{rest_s / BURST_S:g}"
        rest = Idle(seconds=profile.seconds(rest_s).seconds)
        waits += [
            Phase(name=f"wait-{state}", round=(burst, rest), rounds=count, boundary="phase"),
            Phase(name=f"baseline-{state}", round=(burst,) * count, boundary="phase"),
        ]
    return (purged(), *_saturated(profile), *waits)


def _saturated(profile: Profile) -> tuple[Phase, ...]:
    """Return the phases before the rests: `steady` is the clause's, `saturation` and `fill` are the reviews'."""
    writes = random(0, 4, profile.threads, profile.depth)
    match profile.options["after"]:
        case "saturation":
            return (write_saturation.saturated(profile, writes, profile.options["saturation_minutes"]),)
        case "fill":
            return (
                filled(profile.threads, profile.depth),
                write_saturation.saturated(profile, writes, AFTER_FILL_MINUTES),
            )
        case _:
            return (half_hourly(profile, writes, profile.rounds),)


TEST = Test(
    title="Host Idle Recovery",
    clause="PTS 11",
    phases=phases,
    charts=("convergence", "window", "recovery"),
    options={"after": "steady", "saturation_minutes": SATURATION_MINUTES, "rests_s": RESTS_S, "repeats": REPEATS},
    summary="bursts of writes with rests of 5 to 50 s between them, on a saturated drive",
)
