"""The composite block size workload of PTS 2.0.2 clause 13 (enterprise composite workload in 1.1), as in JESD219."""

from stend.base.units import KiB
from stend.model.definition import Workload

BLOCK_MIX_KIB = (
    (0.5, 4),
    (1, 1),
    (1.5, 1),
    (2, 1),
    (2.5, 1),
    (3, 1),
    (3.5, 1),
    (4, 67),
    (8, 10),
    (16, 7),
    (32, 3),
    (64, 3),
)
"""(KiB, percent of IOs); found twice."""
ZONES = ((50, 5), (30, 15), (20, 80))
"""(percent of IOs, percent of the range): half of all IO in the first twentieth; found twice."""
ALIGN_BYTES = 4 * KiB
"""Open point 14: JESD219 aligns IO of 4 KiB and more. Here every IO is aligned, as in fio's own example."""


def composite(read_pct: int, threads: int, depth: int) -> Workload:
    """Return twelve block sizes over three zones, with this percentage of reads."""
    return Workload(
        random_pct=100,
        read_pct=read_pct,
        block_bytes=4 * KiB,
        block_mix=tuple((round(size * KiB), share) for size, share in BLOCK_MIX_KIB),
        zones=ZONES,
        align_bytes=ALIGN_BYTES,
        threads=threads,
        depth=depth,
    )
