"""Pieces that the clauses of several tests have in common: workloads, the purge, the fill, the half-hourly check."""

from stend.definition import Capacities, Hold, Phase, Profile, Purge, Steady, Workload
from stend.units import KiB

FILLS = 2
"""Workload independent preconditioning: 2 x user capacity (PTS 2.0.2 and 1.1, found)."""
HALF_HOUR = 30
"""A steady-state check is one minute in every thirty of the same writes; any fixed phase is compatible with that."""


def random(read_pct: int, block_kib: float, threads: int, depth: int) -> Workload:
    """Random IO of one block size."""
    return Workload(random_pct=100, read_pct=read_pct, block_bytes=round(block_kib * KiB), threads=threads, depth=depth)


def sequential(read_pct: int, block_kib: float, threads: int, depth: int) -> Workload:
    """Sequential IO of one block size."""
    return Workload(random_pct=0, read_pct=read_pct, block_bytes=round(block_kib * KiB), threads=threads, depth=depth)


def purged(tag: str = "") -> Phase:
    """Purge, as a phase of its own."""
    return Phase(name=f"purge{tag}", round=(Purge(),))


def filled(threads: int, depth: int, block_kib: float = 128, times: float = FILLS, tag: str = "") -> Phase:
    """Write the capacity sequentially, `times` over."""
    fill = sequential(0, block_kib, threads, depth)
    return Phase(
        name=f"precondition{tag}", round=(Hold(workload=fill, amount=Capacities(times=times)),), boundary="phase"
    )


def half_hourly(profile: Profile, writes: Workload, rounds: int, name: str = "precondition") -> Phase:
    """Write without a pause until the last minutes of five half hours are steady."""
    return Phase(
        name=name,
        round=(Hold(workload=writes, amount=profile.minutes(1)),) * profile.repeats(HALF_HOUR),
        until=(Steady(track=(writes,), rule=profile.steady),),
        rounds=rounds,
        boundary="phase",
    )
