"""Block sweep: sequential and random IO of 512 B to 1 MiB, reads, writes and mixed, at 128 outstanding (reviews')."""

from stend.model.definition import Identity, Phase, Profile, Test
from stend.suite._clauses import filled, minutes, purged, random, sequential

BLOCKS_KIB = [1024, 512, 256, 128, 64, 32, 16, 8, 4, 2, 1, 0.5]
MIXES = [100, 67, 0]
"""Reviews used mixes of 33/67, 67/33 and 70/30. The default has one of them."""
POINT = [4, 32]
"""Four workers at QD32: 128 outstanding IOs; [8, 32] makes 256."""


def phases(profile: Profile, device: Identity) -> tuple[Phase, ...]:
    """Return purge and fill, then all sizes of each mix, a minute each, large to small and reads before writes."""
    options = profile.options
    threads, depth = options["point"]
    cells = [(mix, block) for mix in options["mixes"] for block in options["blocks_kib"]]
    return (
        purged(),
        filled(threads, depth),
        *(
            Phase(name=name, round=minutes(profile, [kind(mix, block, threads, depth) for mix, block in cells]))
            for name, kind in (("sequential", sequential), ("random", random))
        ),
    )


TEST = Test(
    title="Block Sweep",
    clause="review",
    phases=phases,
    charts=("block_sweep",),
    options={"blocks_kib": BLOCKS_KIB, "mixes": MIXES, "point": POINT},
    summary="sequential and random IO of 512 B to 1 MiB at 128 outstanding",
)
