"""IOPS: random IO in seven read/write mixes and eight block sizes, in rounds until steady (PTS 2.0.2 clause 7).

The test purges the drive and writes 2 x user capacity sequentially. The loops follow in the prescribed order, mixes
outside, sizes inside.
"""

from stend.model.definition import Hold, Identity, Phase, Profile, Steady, Test
from stend.suite._clauses import filled, purged, random

MIXES = [100, 95, 65, 50, 35, 5, 0]
BLOCKS_KIB = [1024, 128, 64, 32, 16, 8, 4, 0.5]
TRACKED = ((0, 4), (65, 64), (100, 1024))
"""(read %, KiB) that must all be steady in 2.0.x (found); of a smaller matrix, those that it holds."""
TRACKED_1_1 = ((0, 4),)
"""PTS-E 1.1 tracks RND 4 KiB 0/100 alone (found)."""


def phases(profile: Profile, device: Identity) -> tuple[Phase, ...]:
    """Return purge, workload independent preconditioning, and rounds of 56 one-minute records."""
    cells = {
        (read_pct, block): random(read_pct, block, profile.threads, profile.depth)
        for read_pct in profile.options["mixes"]
        for block in profile.options["blocks_kib"]
    }
    tracked = [key for key in (TRACKED_1_1 if profile.specification == "1.1" else TRACKED) if key in cells]
    return (
        purged(),
        filled(profile.threads, profile.depth),
        Phase(
            name="rounds",
            round=tuple(Hold(workload=cell, amount=profile.minutes(1)) for cell in cells.values()),
            until=(Steady(track=tuple(cells[key] for key in tracked or cells), rule=profile.steady),),
            rounds=profile.rounds,
        ),
    )


TEST = Test(
    title="IOPS",
    clause="PTS 7",
    phases=phases,
    charts=("convergence", "window", "iops_matrix"),
    options={"mixes": MIXES, "blocks_kib": BLOCKS_KIB},
    summary="random IO, seven mixes x eight block sizes, in rounds until steady",
)
