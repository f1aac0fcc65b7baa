"""Neighbours: a victim's response times while another load reads, writes, streams or trims on the same drive.

A test of stend. The victim works in the first half of a full range and the neighbour in the second, as two tenants do.
The victim runs alone first and last: the difference is how much the drive changed meanwhile. Both may be workloads of a
study. Before the first minute the victim runs alone until the drive has settled.
"""

from typing import Any

import msgspec

from stend.base import untrusted
from stend.base.errors import BadInput, NotOnDrive
from stend.model.definition import Bytes, Hold, Identity, Phase, Profile, Test, Workload
from stend.suite import trim
from stend.suite._clauses import filled, known, minutes, purged, random, sequential, span
from stend.words import Sentence

VICTIMS = ["reads", "synced-writes"]
RATES_IOPS = [1000, 50]
"""Reads per second of the victim on drives without and with moving parts; 0: a closed loop at QD1. A choice of
stend."""
IN_FLIGHT = 256
"""Most reads of a victim with a rate in flight. A choice of stend."""
NEIGHBOURS = ["read", "stream", "write", "trim"]
"""Reads first and trims last, because each changes the drive more than those before it."""
DEPTHS = [1, 8, 32]
"""Intensities of a neighbour: its queue depth. A choice of stend."""
STREAM_KIB, TRIM_KIB = 128, 64
SETTLE_S = 10
"""Seconds of a victim alone before its first minute, which count in no figure, as in `service-map`: a drive cleans
after a fill and after the neighbours of the victim before, a scaled one for a second. PTS has no rest between
preconditioning and test, and its window begins when the drive is steady. Loads beside each other have no steady state,
thus a fixed time (a choice of stend)."""


def phases(profile: Profile, device: Identity) -> tuple[Phase, ...]:
    """Return purge and fill, then for each victim a minute alone, beside each neighbour, and alone again.

    Trims of one victim or beside it would let the reads of the next one and beside it meet trimmed blocks. The halves
    that were trimmed are therefore filled again between the two.
    """
    found = [purged(), filled(profile.threads, profile.depth)]
    for place, victim in enumerate(profile.options["victims"], 1):
        beside = _beside(profile, device, victim, place)
        before = [hold.workload for hold in found[-1].holds]
        trimmed = any(load.trim_pct for load in before), any(other.trims for load in before for other in load.beside)
        if any(trimmed):
            found.append(_refilled(profile, device, place, *trimmed))
        found.append(beside)
    return tuple(found)


def _refilled(profile: Profile, device: Identity, place: int, first: bool, second: bool) -> Phase:
    """Return a fill of the half in which the victim works, of that of the neighbours, or of both."""
    middle = profile.active_range(device) / 2
    trimmed = span(profile, device, 0 if first else middle, middle * (first + second))
    fill = Hold(
        workload=sequential(0, STREAM_KIB, profile.threads, profile.depth, **trimmed),
        amount=Bytes(bytes=trimmed["range_bytes"]),
    )
    return Phase(name=f"precondition-{place}", round=(fill,), boundary="phase")


def _beside(profile: Profile, device: Identity, wanted: str | dict[str, Any], place: int) -> Phase:
    middle = profile.active_range(device) / 2
    own, other = span(profile, device, 0, middle), span(profile, device, middle, middle)
    options = profile.options
    if isinstance(wanted, dict):
        name, victim = f"load-{place}", _workload(wanted, own)
    else:
        name, victim = wanted, _victim(profile, device, known(wanted, VICTIMS, "victim"), own)
    if victim.trims and not device.trim_bytes:
        raise NotOnDrive(Sentence("no_trims_victim", test="neighbours", target=device.target))
    neighbours = [_workload(kind, other) for kind in options["neighbours"] if isinstance(kind, dict)]
    neighbours += [
        _neighbour(known(kind, NEIGHBOURS, "neighbour"), depth, other)
        for kind in options["neighbours"]
        if isinstance(kind, str) and (kind != "trim" or device.trim_bytes)
        for depth in profile.ladder(options["depths"])
    ]
    loads = [victim, *(msgspec.structs.replace(victim, beside=(load,)) for load in neighbours)]
    settling = Hold(workload=victim, amount=profile.seconds(SETTLE_S), ramp=True)
    return Phase(name=f"beside-{name}", round=(settling, *minutes(profile, [*loads, victim])), boundary="phase")


def _workload(fields: dict[str, Any], place: dict[str, int]) -> Workload:
    """Return a workload of a study at this place, unless it has a range. Raise BadInput if it is not valid."""
    load = untrusted.converted(fields, Workload, "a workload of neighbours")
    if load.beside or load.replay or load.verify or load.survey:
        raise BadInput(
            "a workload of neighbours is no replay or survey, and has no loads beside it: the test adds them"
        )
    return load if load.range_bytes else msgspec.structs.replace(load, **place)


def _victim(profile: Profile, device: Identity, name: str, place: dict[str, int]) -> Workload:
    if name == "synced-writes":
        return msgspec.structs.replace(random(0, 4, 1, 1, **place), sync="flush")
    rate = profile.options["rates_iops"][device.rotational]
    reads = random(100, 4, 1, IN_FLIGHT if rate else 1, **place)
    return msgspec.structs.replace(reads, rate_iops=float(rate))


def _neighbour(kind: str, depth: int, place: dict[str, int]) -> Workload:
    match kind:
        case "stream":
            return sequential(0, STREAM_KIB, 1, depth, **place)
        case "trim":
            return trim.trims(TRIM_KIB, depth, **place)
        case _:
            return random(100 if kind == "read" else 0, 4, 1, depth, **place)


TEST = Test(
    title="Neighbours",
    clause="own",
    phases=phases,
    charts=("neighbours",),
    options={"victims": VICTIMS, "rates_iops": RATES_IOPS, "neighbours": NEIGHBOURS, "depths": DEPTHS},
    summary="response times of a load while another one reads, writes, streams or trims beside it",
)
