"""Slow stretches of an inspected drive, each with the result of its second reading."""

from typing import NamedTuple

from stend.findings.look.once import once
from stend.model import surface
from stend.model.events import Result
from stend.model.record import Run
from stend.model.surface import Band, Strip

PHASE, AGAIN = "surface", "again"
FEW = 2
"""Least reads that take very long in the second reading of a stretch where reads falter."""


class Stretch(NamedTuple):
    """A stretch of the surface, and whether its second reading showed it too; None without a second reading."""

    band: Band
    again: bool | None


@once
def stretches(run: Run, test: str) -> tuple[Stretch, ...]:
    """Return the slow stretches of a test in order of place."""
    parts = surface_of(run, test)
    second = run.of(test, AGAIN)
    turning = run.plan.device.rotational
    return tuple(Stretch(band, _again(band, second, rotational=turning)) for band in surface.bands(parts))


@once
def surface_of(run: Run, test: str) -> tuple[Strip, ...]:
    """Return the parts of the surface that a test read."""
    return tuple(surface.strips(run.of(test, PHASE), rotational=run.plan.device.rotational))


def _again(band: Band, second: list[Result], *, rotational: bool) -> bool | None:
    usual = surface.strips(second[:1], rotational=rotational)
    each = [part for r in second[1:] for part in surface.strips([r], rotational=rotational)]
    near = [part for part in each if part.first_bytes < band.end_bytes]
    near = [part for part in near if part.end_bytes > band.first_bytes]
    if not usual or not sum(part.reads for part in near):
        return None
    kind = surface.main_kind(near)
    here, whole = (surface.table(parts, kind).sum(axis=0) for parts in (near, usual))
    if band.kind == "slow":
        level = surface.median_s(whole) or band.usual_s
        return surface.median_s(here) >= surface.SLOW * level
    late = sum(int(count) for at, count in enumerate(here.tolist()) if surface.upper_s(at) > band.limit_s)
    return late >= FEW and late / max(int(here.sum()), 1) >= surface.FEW / 2
