"""Media: write every block of the drive with its address, then read every block and compare. A test of stend.

A shortened run writes a first part and one block in each of many parts of the drive. Together they show every wrap: if
addresses repeat after n bytes, some block of the comb lies between n and n plus the length of the first part, and
replaces a block of that part. Other faults are found where the sample happens to lie.
"""

import math

import msgspec

from stend.base.errors import BadInput
from stend.base.units import KiB, MiB
from stend.model.definition import Bytes, Hold, Identity, Phase, Profile, Test, Workload
from stend.model.workload import Verify
from stend.suite._clauses import sequential, span

BLOCK_KIB, POINT = 1024, [1, 8]
"""A choice of stend: large enough for the sequential speed of drives of 2026."""
TOOTH_BYTES = 4 * KiB
"""One block of a sample's comb: the smallest that fits all drives."""
PARTS, LEAST_PART = 64, 256 * MiB
"""Parts of the drive after each of which an interrupted run can continue, and their least size."""


def phases(profile: Profile, device: Identity) -> tuple[Phase, ...]:
    """Return the write of all places and then the read; for `--quick` only a sample of them.

    Raise BadInput for a drive that stores nothing.
    """
    if device.kind == "null":
        raise BadInput("media compares what a drive stores, and null stores nothing; name a drive, a file or sim:NAME")
    if profile.quick:
        return _sampled(profile, device)
    whole = profile.active_range(device)
    return _phase("write", _load(profile, 0, range_bytes=whole)), _phase("read", _load(profile, 100, range_bytes=whole))


def _load(profile: Profile, read_pct: int, **place: int) -> Workload:
    load = sequential(read_pct, profile.options["block_kib"], *profile.options["point"], **place)
    return msgspec.structs.replace(load, verify=Verify())


def _phase(name: str, load: Workload) -> Phase:
    """Return a phase that covers the range of a load in parts, each a round."""
    part = max(-(-load.range_bytes // (PARTS * MiB)) * MiB, LEAST_PART)
    rounds = -(-load.range_bytes // part)
    return Phase(
        name=name, round=(Hold(workload=load, amount=Bytes(bytes=min(part, load.range_bytes))),), rounds=rounds
    )


def _sampled(profile: Profile, device: Identity) -> tuple[Phase, ...]:
    """Return the phases of a sample: the first part, and a comb whose last block is the last one of the drive."""
    capacity = device.capacity_bytes
    every = -(-math.isqrt(capacity * TOOTH_BYTES) // MiB) * MiB
    begin = (capacity - TOOTH_BYTES) % every // TOOTH_BYTES * TOOTH_BYTES
    drawn = []
    for name, read_pct in (("write", 0), ("read", 100)):
        first = _load(profile, read_pct, **(span(profile, device, 0, every)))
        comb = msgspec.structs.replace(
            first,
            block_bytes=TOOTH_BYTES,
            start_bytes=begin,
            range_bytes=capacity - begin,
            verify=Verify(every_bytes=every),
        )
        for tag, load in (("", first), ("-comb", comb)):
            amount = Bytes(bytes=load.verify_bytes(0))
            drawn.append(Phase(name=f"{name}{tag}", round=(Hold(workload=load, amount=amount),)))
    return tuple(drawn)


TEST = Test(
    title="Media",
    clause="own",
    phases=phases,
    charts=("media_map",),
    options={"block_kib": BLOCK_KIB, "point": POINT},
    summary="every block written with its address and read back: is the capacity real, and is the data kept",
)
