"""Power: watts at rest, under loads at growing queue depth, and at fixed rates.

A test of stend. It needs a meter (`--meter`). It follows TechPowerUp's page on power (idle, load by queue depth, a
fixed rate, efficiency). The rests come first, because a drive continues to work for hours after random writes. Each
rest starts after reads, because these wake the drive. A meter that queries the drive itself is not read during a rest,
only at its end.
"""

import msgspec

from stend.model.definition import Hold, Identity, Idle, Phase, PlannedTest, Profile, Step, Test, Workload
from stend.model.record import Run
from stend.suite._clauses import filled, half_hourly, minutes, purged, random, sequential

RESTS_S = [1.0, 10.0, 60.0]
"""Rests after which an idle drive is measured: Windows sends one to sleep after 0.1 to 2 s. A choice of stend."""
TAIL_S = 5
"""Seconds of each rest after the stated ones, in which a meter has a value. A choice of stend."""
WAKE_S = 10
POINTS = [[1, 1], [1, 4], [4, 8]]
"""Threads and depth of each load: 1, 4 and 32 outstanding IOs. A choice of stend."""
RATE_PCTS = [10, 50]
"""Fixed rates, in percent of the highest measured rate. A choice of stend."""
RATE_DEPTH = 256
"""Most IOs in flight at a fixed rate."""
STREAM_KIB, RANDOM_KIB = 128, 4
CONDITION_ROUNDS = 12
"""Half hours of random writes before the measurement, at most, as in `journal`."""
LOADS, RATES = "loads", "rates"


def phases(profile: Profile, device: Identity) -> tuple[Phase, ...]:
    """Return purge, the rests, fill, preconditioning, the loads by direction, and those at fixed rates."""
    options = profile.options
    wake = Hold(workload=random(100, RANDOM_KIB, 1, 1), amount=profile.seconds(WAKE_S))
    rests = [profile.seconds(rest_s + TAIL_S).seconds for rest_s in options["rests_s"]]
    idle = tuple(step for rest_s in rests for step in (wake, Idle(seconds=rest_s)))
    points = profile.ladder(options["points"])
    return (
        purged(),
        Phase(name="idle", round=idle, boundary="phase"),
        filled(profile.threads, profile.depth),
        half_hourly(
            profile, _random(0, [profile.threads, profile.depth]), min(CONDITION_ROUNDS, profile.rounds), "condition"
        ),
        Phase(name="loads-read", round=minutes(profile, _loads(100, points)), boundary="phase"),
        Phase(name="loads-write", round=minutes(profile, _loads(0, points)), boundary="phase"),
        Phase(name=RATES, round=minutes(profile, [_random(100, points[-1])]), choose="at_rates", boundary="phase"),
    )


def _random(read_pct: int, point: list[int]) -> Workload:
    return random(read_pct, RANDOM_KIB, *point)


def _loads(read_pct: int, points: list[list[int]]) -> list[Workload]:
    """Return streams, then random IO, at each number of outstanding IOs."""
    return [
        *(sequential(read_pct, STREAM_KIB, *point) for point in points),
        *(_random(read_pct, point) for point in points),
    ]


def at_rates(past: Run, test: PlannedTest) -> tuple[Step, ...]:
    """Return random reads, then writes, at parts of their highest rate, or nothing once they were run."""
    (planned,) = test.phase(RATES).holds
    if past.of(test.name, RATES):
        return ()
    pcts, depth = test.profile.options["rate_pcts"], RATE_DEPTH
    steps = list[Step]()
    for phase in ("loads-read", "loads-write"):
        done = [(r.counts.iops, r.step.workload) for r in past.of(test.name, phase) if isinstance(r.step, Hold)]
        best, load = max(((iops, load) for iops, load in done if load.random_pct), key=lambda one: one[0])
        for rate in (float(f"{best * pct / 100:.3g}") for pct in pcts):
            paced = msgspec.structs.replace(load, threads=1, depth=depth, rate_iops=rate, arrivals="even")
            steps.append(Hold(workload=paced, amount=planned.amount))
    return tuple(steps)


TEST = Test(
    title="Power",
    clause="own",
    phases=phases,
    charts=("power", "watts"),
    options={"rests_s": RESTS_S, "points": POINTS, "rate_pcts": RATE_PCTS},
    summary="watts at rest, by load and queue depth, and at fixed rates; needs a meter",
    requires=("watts",),
)
