"""LBA profile: sequential throughput at positions over the whole range, the zones of a disk (the reviews')."""

from stend.model.definition import Hold, Identity, Phase, Profile, Test, Workload
from stend.suite._clauses import filled, sequential, span

POSITIONS, SECONDS, LEAST = 128, 5, 16
"""Positions, seconds at each, and the fewest positions of a shortened run."""
BLOCK_KIB, POINT = 128, [1, 32]


def phases(profile: Profile, device: Identity) -> tuple[Phase, ...]:
    """Return one write of the whole range (reads need written blocks), then reads, then writes, at each position."""
    threads, depth = profile.options["point"]
    count = profile.repeats(profile.options["positions"], least=LEAST)
    step = profile.active_range(device) // count
    places = [span(profile, device, number * step, step) for number in range(count)]

    def along(read_pct: int) -> list[Workload]:
        return [sequential(read_pct, BLOCK_KIB, threads, depth, **place) for place in places]

    amount = profile.seconds(profile.options["seconds"])
    return (
        filled(threads, depth, times=1),
        Phase(name="read", round=tuple(Hold(workload=w, amount=amount) for w in along(100))),
        Phase(name="write", round=tuple(Hold(workload=w, amount=amount) for w in along(0))),
    )


TEST = Test(
    title="LBA Profile",
    clause="review",
    phases=phases,
    charts=("lba_profile",),
    options={"positions": POSITIONS, "seconds": SECONDS, "point": POINT},
    summary="sequential throughput at 128 positions over the range",
)
