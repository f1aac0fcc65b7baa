"""Zones of a disk: throughput at both ends of the range, and a stretch that is slower than its surroundings."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from stend.findings import Finding, Sheet, look
from stend.findings.look import grounds
from stend.findings.look.grounds import Ground
from stend.findings.look.levels import scatter
from stend.model.definition import PlannedTest
from stend.model.record import Run

LEAST = 1.1
EDGE = 0.05
NOISE = 5.0
"""A difference between both ends exceeds their noise by this many standard errors."""
NOISY = 1.25
"""If only a greater difference would stand out, no profile is called even."""
NEAR = 0.125
"""Surroundings of a position: this share of the range on each side, more than a slow stretch may take."""


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """Yield the findings of each profile of the range."""
    for test in look.tests(run, "lba-profile"):
        rates = [r.counts.bytes_per_s for r in look.records(run, test.name, "read")]
        if len(rates) < 4:
            continue
        scattered = scatter(rates)
        edge = max(int(len(rates) * EDGE), 1)
        outer, inner = median(rates[:edge]), median(rates[-edge:])
        why = grounds.undisturbed(Ground(run, test, look.records(run, test.name, "read")))
        values = {"outer": outer, "inner": inner, "ratio": outer / inner}
        part = covered(run, test, "read")
        if part < 1:
            values = {"share": part, "outer": outer, "reached": inner}
            yield Finding(key="partly", test=test.name, values=values, confidence="can't tell")
            continue
        if why:
            yield Finding(key="because", test=test.name, values=values | {"because": why}, confidence="can't tell")
            continue
        least = max(LEAST, 1 + NOISE * scattered * (2 / edge) ** 0.5)
        slow = _slower(rates, max(LEAST, 1 + NOISE * scattered * 2**0.5))
        if outer > least * inner and _falls(rates, least):
            yield Finding(key="zoned", test=test.name, values=values)
            if _contiguous(slow):
                yield Finding(key="slower", test=test.name, values=_spot(rates, slow))
        elif max(outer, inner) <= LEAST * min(outer, inner) and least <= NOISY and (_contiguous(slow) or not slow):
            shown = values | (_spot(rates, slow) if slow else {})
            yield Finding(key="spot" if slow else "even", test=test.name, values=shown)
        else:
            yield Finding(key="uneven", test=test.name, values=values, confidence="can't tell")


def covered(run: Run, test: PlannedTest, phase: str) -> float:
    """Return the share of the planned positions of a phase that were measured. A run that was stopped has fewer."""
    planned = sum(len(one.round) for one in test.phases if one.name == phase)
    return len(look.records(run, test.name, phase)) / planned if planned else 0.0


def _slower(rates: Sequence[float], least: float) -> list[int]:
    """Return the positions whose rate is `least` times lower than the usual rate around them."""
    near = max(round(len(rates) * NEAR), 2)
    usual = [median(rates[max(i - near, 0) : i + near + 1]) for i in range(len(rates))]
    return [i for i, rate in enumerate(rates) if rate * least < usual[i]]


def _contiguous(slow: Sequence[int]) -> bool:
    """Return whether the positions are one stretch."""
    return bool(slow) and slow[-1] - slow[0] == len(slow) - 1


def _spot(rates: Sequence[float], spot: Sequence[int]) -> dict[str, float]:
    """Return the start and end of the slow stretch as shares of the range, and its lowest rate in bytes/s."""
    return {"low": min(rates[i] for i in spot), "low_from": spot[0] / len(rates), "low_to": (spot[-1] + 1) / len(rates)}


def _falls(rates: Sequence[float], least: float) -> bool:
    """Return whether the rate falls quarter by quarter, so that one slow stretch does not count as a zone."""
    size = len(rates) // 4
    quarters = [median(rates[i * size : (i + 1) * size]) for i in range(4)]
    return all(after < before * (1 + (least - 1) / 4) for before, after in pairwise(quarters))
