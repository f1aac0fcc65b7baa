"""Wake: the first read after rests of growing length, and reads without a rest. Ours; reads only.

A read that is due every 10 s is the first one after 10 s of rest. Each rest is therefore a load at a rate with even
arrivals. AnandTech measured an idle wake-up latency; here the length of the rest shows when a drive falls asleep.
"""

import msgspec

from stend.model.definition import Hold, Identity, Phase, Profile, Seconds, Test, Workload
from stend.suite._clauses import random

RESTS_S = [0.001, 0.01, 0.1, 1.0, 10.0, 60.0]
"""Windows sends an idle drive to sleep after 0.1 to 2 s; others fall asleep by themselves within a minute; ours."""
READS = 20
"""Fewest reads after each rest: the least sample with ten IOs beyond its median."""
LEAST_S, AWAKE_S = 10, 10
"""Least seconds of each rest, and seconds of the reads without a rest."""
BLOCK_KIB = 4


def phases(profile: Profile, device: Identity) -> tuple[Phase, ...]:
    """Return reads at QD1 without a rest, then those after each rest."""
    rests_s = (max(profile.seconds(rest_s).seconds, RESTS_S[0]) for rest_s in profile.options["rests_s"])
    awake = random(100, BLOCK_KIB, 1, 1)
    first = Hold(workload=awake, amount=profile.seconds(AWAKE_S))
    least_s, reads = profile.seconds(LEAST_S).seconds, profile.options["reads"]
    rests = tuple(_after(awake, rest_s, max(reads, round(least_s / rest_s))) for rest_s in dict.fromkeys(rests_s))
    return (Phase(name="rests", round=(first, *rests), boundary="phase"),)


def _after(awake: Workload, rest_s: float, reads: int) -> Hold:
    """Return at least so many reads, the first one a rest after the start; the last one has a rest to finish."""
    load = msgspec.structs.replace(awake, rate_iops=1 / rest_s, arrivals="even")
    return Hold(workload=load, amount=Seconds(seconds=rest_s * (reads + 1)))


TEST = Test(
    title="Wake",
    clause="own",
    phases=phases,
    charts=("wake",),
    options={"rests_s": RESTS_S, "reads": READS},
    summary="reads only: the first read after rests of 1 ms to 60 s",
    reads=True,
)
