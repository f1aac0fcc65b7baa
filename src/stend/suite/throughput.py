"""Throughput: sequential reads and writes of large blocks, in rounds until steady (PTS 2.0.2 clause 8).

For each block size the test purges the drive, writes 2 x user capacity with it, and runs rounds of one minute reading
and one minute writing. The stream of each minute continues where the previous one ended, and wraps at the end of the
range.
"""

from stend.model.definition import Hold, Identity, Phase, Profile, Steady, Test
from stend.suite._clauses import filled, purged, sequential

BLOCKS_KIB = [1024, 128]
"""Both sizes in E 1.1 and 2.0.x. Whether PTS-C 2.0.x may leave out 128 KiB is open point 17."""
POINTS = [[1, 32]]
"""Threads x depth: 1/32 in 2.0.x (found in two implementations)."""
MIXES = (100, 0)
"""Reads first (found in one implementation)."""
TRACKED = (100, 0)
"""Open point 1: implementations track only writes, recall-med has both. Both are the stricter choice."""


def phases(profile: Profile, device: Identity) -> tuple[Phase, ...]:
    """Return purge, fill with the block size under test and rounds, for each block size and each threads x depth."""
    return tuple(
        phase
        for block in profile.options["blocks_kib"]
        for threads, depth in profile.options["points"]
        for phase in _series(profile, block, threads, depth)
    )


def _series(profile: Profile, block: float, threads: int, depth: int) -> tuple[Phase, ...]:
    tag = f"-{block:g}k-t{threads}q{depth}"
    streams = {read_pct: sequential(read_pct, block, threads, depth) for read_pct in MIXES}
    tracked = tuple(streams[read_pct] for read_pct in TRACKED)
    return (
        purged(tag),
        filled(threads, depth, block, tag=tag),
        Phase(
            name=f"rounds{tag}",
            round=tuple(Hold(workload=stream, amount=profile.minutes(1)) for stream in streams.values()),
            until=(Steady(track=tracked, quantity="throughput", rule=profile.steady),),
            rounds=profile.rounds,
        ),
    )


TEST = Test(
    title="Throughput",
    clause="PTS 8",
    phases=phases,
    charts=("convergence", "window", "throughput_bars"),
    options={"blocks_kib": BLOCKS_KIB, "points": POINTS},
    summary="sequential reads and writes of 1 MiB and 128 KiB, in rounds until steady",
)
