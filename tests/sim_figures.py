"""Figures of a virtual drive of each kind, as text that must not depend on how its kernels run."""

import json

import msgspec

from stend.base.units import KiB
from stend.sim import Pattern, build, load

DRIVES = ("small", "kc2000", "sas15k", "st600mx0052", "x25e-raid", "ideal")
LOADS = ((4 * KiB, 50, 100), (128 * KiB, 0, 0), (512, 0, 100), (64 * KiB, 100, 100))
"""Block size, read and random percent."""
PAUSE_S, LOAD_S = 0.01, 0.01


def figures(name: str) -> str:
    """Counts, bins and health of a fresh drive after each load and a pause, then sums of two loads at the same time."""
    drive, told = build(load(name)), []
    for size, read, random in LOADS:
        drive.start(
            Pattern(
                random_pct=random,
                read_pct=read,
                sizes=((size, 1.0),),
                range_bytes=drive.capacity_bytes,
                threads=2,
                depth=4,
            )
        )
        done = drive.advance(LOAD_S)
        told += [done.seconds, done.tallies.tolist(), done.bins.nonzero()[1].tolist(), done.bins.sum().item()]
        drive.stop()
        drive.idle(PAUSE_S)
    reads, writes = (
        Pattern(random_pct=100, read_pct=pct, sizes=((8 * KiB, 1.0),), range_bytes=drive.capacity_bytes)
        for pct in (100, 0)
    )
    drive.start(msgspec.structs.replace(reads, beside=(writes,)))
    told += drive.advance(LOAD_S).ledger.sums.tolist()
    return json.dumps([told, drive.health()])
