"""Application profiles of Fujitsu's StorageBench and of Iometer, each over a ladder of outstanding IOs (the reviews').

Tables: peers.md, 6; `mem` marks a row that is remembered and not confirmed. Iometer's mixes start at any sector, the
default of its access specifications.
"""

from stend.base.units import KiB
from stend.model.definition import Identity, Phase, Profile, Test, Workload
from stend.suite._clauses import filled, known, minutes, purged

FILE_SERVER = ((0.5, 10), (1, 5), (2, 5), (4, 60), (8, 2), (16, 4), (32, 4), (64, 10))
WEB_SERVER = (
    (0.5, 22), (1, 15), (2, 8), (4, 23), (8, 15), (16, 2), (32, 6), (64, 7), (128, 1), (512, 1),
)  # mem; pages confirm 100 % reads and the range of sizes  # fmt: skip

# name: (random %, read %, KiB or ((KiB, percent of IOs), ...))
WORKLOADS: dict[str, tuple[int, int, float | tuple[tuple[float, int], ...]]] = {
    "file-copy": (100, 50, 64),
    "file-server": (100, 67, 64),
    "database": (100, 67, 8),
    "streaming": (0, 100, 64),
    "restore": (0, 0, 64),
    "iometer-file-server": (100, 80, FILE_SERVER),  # confirmed by three sources
    "iometer-web-server": (100, 100, WEB_SERVER),
    "iometer-workstation": (80, 80, 8),  # mem
    "iometer-database": (100, 67, 8),  # confirmed
}
OUTSTANDING = [1, 3, 8, 16, 32, 64, 128, 256, 512]
"""mem"""


def phases(profile: Profile, device: Identity) -> tuple[Phase, ...]:
    """Return purge and fill, then each profile up its ladder, a minute at each depth."""
    options = profile.options
    ladders = (
        Phase(name=name, round=minutes(profile, [_workload(name, depth, device) for depth in options["outstanding"]]))
        for name in options["workloads"]
    )
    return (purged(), filled(1, 32), *ladders)


def _workload(name: str, depth: int, device: Identity) -> Workload:
    random_pct, read_pct, size = WORKLOADS[known(name, WORKLOADS, "application profile")]
    mix = size if isinstance(size, tuple) else ()
    largest = max(kib for kib, _ in mix) if isinstance(size, tuple) else size
    return Workload(
        random_pct=random_pct,
        read_pct=read_pct,
        block_bytes=round(largest * KiB),
        block_mix=tuple((round(kib * KiB), share) for kib, share in mix),
        align_bytes=device.logical_bytes if mix else 0,
        depth=depth,
    )


TEST = Test(
    title="Application Profiles",
    clause="review",
    phases=phases,
    charts=("profiles",),
    options={"workloads": list(WORKLOADS), "outstanding": OUTSTANDING},
    summary="file copy, servers, databases, streaming, restore; each over a ladder of outstanding IOs",
)
