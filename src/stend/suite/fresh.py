"""Fresh: peak figures of the drive right after a purge, for comparison with its specification (the reviews').

The purged drive is written sequentially, and the written blocks are read. Reads of unwritten blocks would not reach the
flash. After a second purge come random writes. The peak is the best record of each phase.
"""

from stend.model.definition import Capacities, Hold, Identity, Phase, Profile, Test
from stend.suite._clauses import minutes, purged, random, sequential

SEQUENTIAL = [1, 128]
"""Threads x depth of the sequential phases, as in the reviews."""
MINUTES = 5


def phases(profile: Profile, device: Identity) -> tuple[Phase, ...]:
    """Return purge, one sequential write, sequential and random reads, a second purge, and random writes."""
    threads, depth = profile.options["sequential"]
    count = profile.options["minutes"]
    write, read = sequential(0, 128, threads, depth), sequential(100, 128, threads, depth)
    random_read, random_write = (random(pct, 4, profile.threads, profile.depth) for pct in (100, 0))
    return (
        purged(),
        Phase(name="sequential-write", round=(Hold(workload=write, amount=Capacities(times=1)),), boundary="test"),
        Phase(name="sequential-read", round=minutes(profile, [read] * count)),
        Phase(name="random-read", round=minutes(profile, [random_read] * count)),
        purged("-again"),
        Phase(name="random-write", round=minutes(profile, [random_write] * count), boundary="test"),
    )


TEST = Test(
    title="Fresh",
    clause="review",
    phases=phases,
    charts=("claims",),
    options={"sequential": SEQUENTIAL, "minutes": MINUTES},
    summary="peak 4 KiB and 128 KiB reads and writes right after a purge, against the claim",
)
