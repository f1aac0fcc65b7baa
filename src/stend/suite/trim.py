"""Trim: rate and response times of trims by size, reads beside trims, and random writes to a half-trimmed drive.

A test of stend. Trims of each size go in order through a separate part of a full range, because a trim of unmapped
blocks can be faster. The last two phases write to the first half of a full range until steady: first with data in the
other half, then after that half was trimmed.
"""

import msgspec

from stend.base.errors import NotOnDrive
from stend.base.units import KiB
from stend.model.definition import Bytes, Hold, Identity, Phase, Profile, Test, Workload
from stend.suite._clauses import filled, half_hourly, minutes, purged, random, span
from stend.words import Sentence

SIZES_KIB = [4, 64, 1024, 32768]
"""FioSynth's trim loads and file systems (discard of extents up to gigabytes). A choice of stend."""
DEPTHS = [1, 32]
READS = (1, 8)
"""Threads and depth of the reads. A choice of stend."""
SHARES = [0, 5, 20, 50]
"""Percent of the IOs that are trims beside the reads. A choice of stend."""
BESIDE_KIB = 4
HALF_KIB = 1024
"""Size of the trims of the half."""


def phases(profile: Profile, device: Identity) -> tuple[Phase, ...]:
    """Return purge, fill, trims by size, refill, reads with trims, and the two saturations of a half.

    Raise NotOnDrive if the drive has no trims.
    """
    if not device.trim_bytes:
        why = Sentence("no_trims_file") if device.kind == "file" else Sentence("no_trims_kernel")
        raise NotOnDrive(Sentence("needs_trims", test="trim", target=device.target, why=why))
    whole = profile.active_range(device)
    half = span(profile, device, 0, whole / 2)
    writes = random(0, 4, profile.threads, profile.depth, **half)
    return (
        purged(),
        filled(profile.threads, profile.depth),
        Phase(name="sizes", round=minutes(profile, _sizes(profile, device)), boundary="phase"),
        filled(profile.threads, profile.depth, times=1, tag="-reads"),
        Phase(name="reads", round=minutes(profile, _reads(profile)), boundary="phase"),
        filled(1, profile.depth, times=1, tag="-half"),  # in one order, so that the halves share no erase blocks
        half_hourly(profile, writes, profile.rounds, name="half-full"),
        Phase(name="fill-trimmed", round=(_half(whole - half["range_bytes"], half["range_bytes"]),), boundary="phase"),
        half_hourly(profile, writes, profile.rounds, name="half-trimmed"),
    )


def trims(size_kib: float, depth: int, **place: int) -> Workload:
    """Return random trims of one size."""
    load = random(100, size_kib, 1, depth, **place)
    return msgspec.structs.replace(load, trim_pct=100, trim_bytes=load.block_bytes)


def _sizes(profile: Profile, device: Identity) -> list[Workload]:
    """Return trims in order of each size and depth, each in its part of the range if a trim fits into that."""
    options, cells = profile.options, []
    pairs = [(size, depth) for depth in options["depths"] for size in options["blocks_kib"]]
    each = profile.active_range(device) // len(pairs)
    for n, (size, depth) in enumerate(pairs):
        if size * KiB <= min(each, device.trim_bytes):
            load = trims(size, depth, **span(profile, device, n * each, each))
            cells.append(msgspec.structs.replace(load, random_pct=0))
    return cells


def _reads(profile: Profile) -> list[Workload]:
    reads = random(100, 4, *READS)
    return [
        msgspec.structs.replace(reads, trim_pct=share, trim_bytes=BESIDE_KIB * KiB if share else 0)
        for share in profile.options["trim_shares"]
    ]


def _half(size_bytes: int, start_bytes: int) -> Hold:
    """Return the trim of every block from `start_bytes` on."""
    load = msgspec.structs.replace(
        trims(HALF_KIB, 1, start_bytes=start_bytes, range_bytes=size_bytes), random_pct=0, depth=8
    )
    return Hold(workload=load, amount=Bytes(bytes=size_bytes))


TEST = Test(
    title="Trim",
    clause="own",
    phases=phases,
    charts=("trims",),
    options={"blocks_kib": SIZES_KIB, "depths": DEPTHS, "trim_shares": SHARES},
    summary="trims by size, 4K reads beside trims, and random writes to a half-trimmed drive",
)
