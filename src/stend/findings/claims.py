"""Claim by claim: what the vendor says, what was measured fresh and in steady state, and when the claim holds."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from stend.findings import Finding, Sheet, look
from stend.findings.look import quantity
from stend.record import Run
from stend.units import KiB

NAME = "claims"
MET = 0.97
"""A claim within three per cent is met: vendors round."""
MIB = 1.048576
FIRST_S = 60
"""What the first minute of a saturation does is what a fresh drive does."""
SAYS = {
    "steady": (
        "{claim:t:claim.}: claimed {claimed}, measured {steady} in steady state ({share:pct}): holds.",
        "{claim:t:claim.}: заявлено {claimed}, в установившемся состоянии {steady} ({share:pct}): выполняется.",
    ),
    "fresh": (
        "{claim:t:claim.}: claimed {claimed}, measured {fresh} on a fresh drive but {steady} in steady state"
        " ({share:pct}):"
        " holds only when fresh.",
        "{claim:t:claim.}: заявлено {claimed}, на свежем накопителе {fresh}, в установившемся состоянии {steady}"
        " ({share:pct}): выполняется только на свежем.",
    ),
    "fresh_only": (
        "{claim:t:claim.}: claimed {claimed}, measured {fresh} on a fresh drive: holds there; steady state was not"
        " measured.",
        "{claim:t:claim.}: заявлено {claimed}, на свежем накопителе {fresh}: выполняется; установившееся состояние не"
        " измерялось.",
    ),
    "mib": (
        "{claim:t:claim.}: claimed {claimed}, measured {best}: met only if its MB were MiB.",
        "{claim:t:claim.}: заявлено {claimed}, измерено {best}: выполняется, только если МБ там означают МиБ.",
    ),
    "missed": (
        "{claim:t:claim.}: claimed {claimed}, measured {best} at best ({share:pct}): not reached.",
        "{claim:t:claim.}: заявлено {claimed}, измерено в лучшем случае {best} ({share:pct}): не достигается.",
    ),
    "unmeasured": (
        "{claim:t:claim.}: claimed {claimed}; can't tell, no test of this run measured it.",
        "{claim:t:claim.}: заявлено {claimed}; судить нельзя, в этом прогоне это не измерялось.",
    ),
}


class Claim(NamedTuple):
    """What a key of a sheet means."""

    random_pct: int
    read_pct: int
    block_bytes: int
    figure: str


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """One for each claim of the drive sheet that has a meaning here."""
    for key, value in sheet.get("claimed", {}).items():
        if (claim := meaning(key)) and isinstance(value, int | float):
            yield _finding(run, key, claim, value * (1e6 if claim.figure == "throughput" else 1))


def meaning(key: str) -> Claim | None:
    """`seq_write_128k_MB`, `rand_read_4k`, `rand_7030_8k` -> what it claims; None for other keys."""
    match = re.fullmatch(r"(seq|rand)_(read|write|\d{4})(?:_(\d+)k)?(_MB)?", key)
    if not match:
        return None
    reads = {"read": 100, "write": 0}.get(match[2], int(match[2][:2]) if match[2].isdigit() else 0)
    block = int(match[3] or (128 if match[1] == "seq" else 4)) * KiB
    return Claim(0 if match[1] == "seq" else 100, reads, block, "throughput" if match[4] else "iops")


def _finding(run: Run, key: str, claim: Claim, claimed: float) -> Finding:
    fresh, steady = _measured(run, claim)
    shape = "mbs" if claim.figure == "throughput" else "rate"
    best = max((x for x in (fresh, steady) if x is not None), default=None)
    values: dict[str, Any] = {"claim": key, "claimed": (claimed, shape)}
    if best is None:
        return Finding(name=NAME, key="unmeasured", values=values, confidence="can't tell")
    values |= {"best": (best, shape), "share": best / claimed}
    if steady is not None and steady >= MET * claimed:
        values |= {"steady": (steady, shape), "share": steady / claimed}
        return Finding(name=NAME, key="steady", values=values, side="pro")
    if fresh is not None and fresh >= MET * claimed:
        values |= {"fresh": (fresh, shape)}
        if steady is None:
            return Finding(name=NAME, key="fresh_only", values=values, confidence="medium", side="pro")
        values |= {"steady": (steady, shape), "share": steady / claimed}
        return Finding(name=NAME, key="fresh", values=values, side="con")
    straight = claim.figure == "throughput" and best * MIB >= MET * claimed
    return Finding(name=NAME, key="mib" if straight else "missed", values=values, side="con")


def _measured(run: Run, claim: Claim) -> tuple[float | None, float | None]:
    """(best fresh, best in steady state or in a plain record after preconditioning); None where not measured."""
    fresh, steady = [], []
    for test in look.tests(run):
        for cell in look.cells(run, test):
            load = cell.workload
            if (load.random_pct, load.read_pct, load.block_bytes) != claim[:3] or load.block_mix:
                continue
            if test.name == "fresh":
                fresh += [quantity(r.counts, claim.figure) for r in look.records(run, test.name, cell.phase)]
            elif test.name == "write-saturation":
                records = look.records(run, test.name, cell.phase)
                fresh += [
                    quantity(r.counts, claim.figure) for r in records if r.end_s <= FIRST_S + r.counts.seconds / 2
                ]
                steady.append(quantity(records[-1].counts, claim.figure))
            elif test.name not in look.UNSTEADY:
                steady.append(quantity(cell.counts, claim.figure))
    return max(fresh, default=None), max(steady, default=None)
