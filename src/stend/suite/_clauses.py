"""Parts that several tests share: workloads, the purge, the fill, the half-hourly steady-state check."""

from collections.abc import Iterable

import msgspec

from stend.base.errors import BadInput
from stend.base.units import KiB, MiB
from stend.model.definition import Capacities, Hold, Identity, Phase, Profile, Purge, Steady, Workload

FILLS = 2
"""Workload independent preconditioning: 2 x user capacity (PTS 2.0.2 and 1.1, found)."""
HALF_HOUR = 30
"""A steady-state check is one minute in every thirty of the same writes. Any fixed phase is compatible with that."""


def random(
    read_pct: int, block_kib: float, threads: int, depth: int, *, start_bytes: int = 0, range_bytes: int = 0
) -> Workload:
    """Return random IO of one block size, over the active range or a `span` of it."""
    return Workload(
        random_pct=100,
        read_pct=read_pct,
        block_bytes=round(block_kib * KiB),
        threads=threads,
        depth=depth,
        start_bytes=start_bytes,
        range_bytes=range_bytes,
    )


def sequential(read_pct: int, block_kib: float, threads: int, depth: int, **place: int) -> Workload:
    """Return sequential IO of one block size, over the active range or a `span` of it."""
    return msgspec.structs.replace(random(read_pct, block_kib, threads, depth, **place), random_pct=0)


def purged(tag: str = "") -> Phase:
    """Return a phase that purges the drive."""
    return Phase(name=f"purge{tag}", round=(Purge(),))


def filled(threads: int, depth: int, block_kib: float = 128, times: float = FILLS, tag: str = "") -> Phase:
    """Return a phase that writes the capacity sequentially, `times` times."""
    fill = sequential(0, block_kib, threads, depth)
    return Phase(
        name=f"precondition{tag}", round=(Hold(workload=fill, amount=Capacities(times=times)),), boundary="phase"
    )


def half_hourly(profile: Profile, writes: Workload, rounds: int, name: str = "precondition") -> Phase:
    """Return a phase that writes without a pause until the last minutes of five half hours are steady."""
    return Phase(
        name=name,
        round=(Hold(workload=writes, amount=profile.minutes(1)),) * profile.repeats(HALF_HOUR),
        until=(Steady(track=(writes,), rule=profile.steady),),
        rounds=rounds,
        boundary="phase",
    )


def span(profile: Profile, device: Identity, start_bytes: float, size_bytes: float) -> dict[str, int]:
    """Return a part of the active range as `start_bytes` and `range_bytes` of a workload, both in whole MiB."""
    start = int(start_bytes) // MiB * MiB
    room = profile.active_range(device) - start
    return {"start_bytes": start, "range_bytes": max(MiB, min(int(size_bytes), room) // MiB * MiB)}


def known(name: str, choices: Iterable[str], what: str) -> str:
    """Return the name if it is one of the choices. Raise BadInput that lists them otherwise."""
    if name not in choices:
        raise BadInput(f"there is no {what} {name!r}; choose one of {', '.join(choices)}")
    return name


def minutes(profile: Profile, workloads: Iterable[Workload]) -> tuple[Hold, ...]:
    """Return a step of one minute for each workload."""
    return tuple(Hold(workload=workload, amount=profile.minutes(1)) for workload in workloads)
