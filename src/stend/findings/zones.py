"""Zones of a disk: throughput at the beginning and the end of the range."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from stend.findings import Finding, Sheet, look
from stend.findings.look import grounds
from stend.findings.look.grounds import Ground
from stend.findings.look.levels import scatter
from stend.record import Run

NAME = "zones"
LEAST = 1.1
EDGE = 0.05
NOISE = 5.0
"""A difference of both ends stands out of their noise by so many standard errors."""
NOISY = 1.25
"""Where only a greater difference would stand out, nothing is called even."""


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """One for each profile of the range."""
    for test in look.tests(run, "lba-profile"):
        rates = [r.counts.bytes_per_s for r in look.records(run, test.name, "read")]
        if len(rates) < 4:
            continue
        scattered = scatter(rates)
        edge = max(int(len(rates) * EDGE), 1)
        outer, inner = median(rates[:edge]), median(rates[-edge:])
        why = grounds.undisturbed(Ground(run, test, look.records(run, test.name, "read")))
        values = {"outer": outer, "inner": inner, "ratio": outer / inner}
        if why:
            yield Finding(
                name=NAME, key="because", test=test.name, values=values | {"because": why}, confidence="can't tell"
            )
            continue
        least = max(LEAST, 1 + NOISE * scattered * (2 / edge) ** 0.5)
        if outer > least * inner and _falls(rates, least):
            yield Finding(name=NAME, key="zoned", test=test.name, values=values)
        elif max(outer, inner) <= LEAST * min(outer, inner) and least <= NOISY:
            yield Finding(name=NAME, key="even", test=test.name, values=values)
        else:
            yield Finding(name=NAME, key="uneven", test=test.name, values=values, confidence="can't tell")


def _falls(rates: Sequence[float], least: float) -> bool:
    """Quarter by quarter: a slow stretch somewhere is no zone."""
    size = len(rates) // 4
    quarters = [median(rates[i * size : (i + 1) * size]) for i in range(4)]
    return all(after < before * (1 + (least - 1) / 4) for before, after in pairwise(quarters))
