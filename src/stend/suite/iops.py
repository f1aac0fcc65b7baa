"""IOPS: random IO in seven read/write mixes and eight block sizes, in rounds until steady (PTS 2.0.2 clause 7).

Purge; write 2 x user capacity sequentially; then the loops in the prescribed order, mixes outside, sizes inside.
"""

from stend.definition import Capacities, Hold, Identity, Phase, Profile, Purge, Steady, Test, Workload
from stend.units import KiB

MIXES = (100, 95, 65, 50, 35, 5, 0)
BLOCKS_KIB = (1024, 128, 64, 32, 16, 8, 4, 0.5)
TRACKED = ((0, 4), (65, 64), (100, 1024))
"""(read %, KiB) that must all be steady in 2.0.x."""
TRACKED_1_1 = ((0, 4),)
"""PTS-E 1.1 tracks RND 4 KiB 0/100 alone."""


def phases(profile: Profile, device: Identity) -> tuple[Phase, ...]:
    """Purge, workload independent preconditioning, rounds of 56 one-minute records."""
    minute = profile.minutes(1)
    cells = {
        (read_pct, block): Workload(
            random_pct=100,
            read_pct=read_pct,
            block_bytes=round(block * KiB),
            threads=profile.threads,
            depth=profile.depth,
        )
        for read_pct in MIXES
        for block in BLOCKS_KIB
    }
    fill = Workload(random_pct=0, read_pct=0, block_bytes=128 * KiB, threads=profile.threads, depth=profile.depth)
    tracked = TRACKED_1_1 if profile.specification == "1.1" else TRACKED
    return (
        Phase(name="purge", round=(Purge(),)),
        Phase(name="precondition", round=(Hold(workload=fill, amount=Capacities(times=2)),), boundary="phase"),
        Phase(
            name="rounds",
            round=tuple(Hold(workload=cell, amount=minute) for cell in cells.values()),
            until=(Steady(track=tuple(cells[key] for key in tracked), rule=profile.steady),),
            rounds=profile.rounds,
        ),
    )


TEST = Test(title="IOPS", clause="PTS 7", phases=phases, charts=("convergence", "window", "iops_matrix"))
