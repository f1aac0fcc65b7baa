"""Wake: the first read after rests of growing length, and reads without a rest. A test of stend. It only reads.

A read that is due every 10 s is the first one after 10 s of rest. Each rest is therefore a load at a rate with even
arrivals. The first read of such a load comes after a longer rest, because the load has to start: it is a ramp and
counts in no figure. AnandTech measured an idle wake-up latency. Here the length of the rest shows when a drive falls
asleep.
"""

import msgspec

from stend.model.definition import Hold, Identity, Phase, Profile, Seconds, Test, Workload
from stend.suite._clauses import random

RESTS_S = [0.001, 0.01, 0.1, 1.0, 10.0, 60.0]
"""Windows sends an idle drive to sleep after 0.1 to 2 s; others fall asleep by themselves within a minute. A choice of
stend."""
READS = 20
"""Fewest reads after each rest: the least sample with ten IOs beyond its median."""
LEAST_S, AWAKE_S = 100, 10
"""Least seconds of reads after each rest, and seconds of the reads without a rest: short rests have more reads."""
MOST = 10_000
"""Most reads after each rest, unless more are requested."""
RAMP_S = 2
"""Seconds by which a ramp is longer than its first rest: two intervals of the engine, in which that read ends."""
BLOCK_KIB = 4


def phases(profile: Profile, device: Identity) -> tuple[Phase, ...]:
    """Return reads at QD1 without a rest, then those after each rest."""
    rests_s = (max(profile.seconds(rest_s).seconds, RESTS_S[0]) for rest_s in profile.options["rests_s"])
    awake = random(100, BLOCK_KIB, 1, 1)
    first = Hold(workload=awake, amount=profile.seconds(AWAKE_S))
    least_s, reads = profile.seconds(LEAST_S).seconds, profile.options["reads"]
    ramp_s = profile.seconds(RAMP_S).seconds
    rests = (
        step
        for rest_s in dict.fromkeys(rests_s)
        for step in _after(awake, rest_s, max(reads, min(round(least_s / rest_s), MOST)), ramp_s)
    )
    return (Phase(name="rests", round=(first, *rests), boundary="phase"),)


def _after(awake: Workload, rest_s: float, reads: int, ramp_s: float) -> tuple[Hold, Hold]:
    """Return the ramp, which has the first read, and at least so many reads, each a rest after the one before it."""
    load = msgspec.structs.replace(awake, rate_iops=1 / rest_s, arrivals="even")
    ramp = Hold(workload=load, amount=Seconds(seconds=rest_s + ramp_s), ramp=True)
    return ramp, Hold(workload=load, amount=Seconds(seconds=max(rest_s * reads, ramp_s)))


TEST = Test(
    title="Wake",
    clause="own",
    phases=phases,
    charts=("wake",),
    options={"rests_s": RESTS_S, "reads": READS},
    summary="reads only: the first read after rests of 1 ms to 60 s",
    reads=True,
)
