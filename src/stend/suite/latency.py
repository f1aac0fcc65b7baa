"""Latency: response times of small random IO at QD1, in rounds until steady (PTS 2.0.2 clause 9).

The test purges the drive and writes 2 x user capacity sequentially. It then runs rounds of three mixes by three block
sizes, one minute each. In 2.0.x twenty minutes of RND 4 KiB 0/100 follow immediately, for the histogram.
"""

from stend.model.definition import Hold, Identity, Phase, Profile, Steady, Test
from stend.suite._clauses import filled, purged, random

MIXES = [100, 65, 0]
BLOCKS_KIB = [8, 4, 0.5]
DEPTHS = [1]
"""Queue depths. One thread at QD1 was found in three implementations."""
TRACKED = (0, 4)
"""(read %, KiB) whose average response time must be steady: RND 4 KiB 0/100 (found)."""
HISTOGRAM_MINUTES = 20
"""2.0.x only; T1 Q1 (found in one implementation)."""


def phases(profile: Profile, device: Identity) -> tuple[Phase, ...]:
    """Return purge, fill, rounds of nine one-minute records, and histogram, per queue depth or for all together."""
    depths = profile.options["depths"]
    if profile.options["together"]:
        return _series(profile, depths, "")
    return tuple(phase for depth in depths for phase in _series(profile, [depth], f"-q{depth}"))


def _series(profile: Profile, depths: list[int], tag: str) -> tuple[Phase, ...]:
    minute, deepest = profile.minutes(1), max(depths)
    cells = {
        (read_pct, block, depth): random(read_pct, block, 1, depth)
        for read_pct in profile.options["mixes"]
        for block in profile.options["blocks_kib"]
        for depth in depths
    }
    known = tuple(cells[*TRACKED, depth] for depth in depths if (*TRACKED, depth) in cells)
    tracked = known or (list(cells.values())[-1],)
    rounds = Phase(
        name=f"rounds{tag}",
        round=tuple(Hold(workload=cell, amount=minute) for cell in cells.values()),
        until=(Steady(track=tracked, quantity="latency", rule=profile.steady),),
        rounds=profile.rounds,
    )
    histogram = Phase(
        name=f"histogram{tag}", round=(Hold(workload=tracked[0], amount=minute),) * profile.options["histogram_minutes"]
    )
    # Open point 4: the fill's threads and depth. 1/1 like the test itself, as in the IOPS clause; others use 32.
    start = (purged(tag), filled(1, deepest, tag=tag), rounds)
    return (*start, histogram) if histogram.round and profile.specification != "1.1" else start


TEST = Test(
    title="Latency",
    clause="PTS 9",
    phases=phases,
    charts=("convergence", "window", "latency_table", "histogram"),
    options={
        "mixes": MIXES,
        "blocks_kib": BLOCKS_KIB,
        "depths": DEPTHS,
        "together": False,
        "histogram_minutes": HISTOGRAM_MINUTES,
    },
    summary="response times of 8, 4 and 0.5 KiB random IO at QD1, in rounds until steady",
)
