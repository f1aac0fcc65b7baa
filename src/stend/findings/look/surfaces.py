"""The surface of an inspected drive: its parts, and slow stretches with the result of their second reading."""

from typing import NamedTuple

from stend.findings.look.once import once
from stend.model import surface
from stend.model.record import Run
from stend.model.surface import Band, Strip

PHASE, AGAIN = "surface", "again"


class Stretch(NamedTuple):
    """A stretch of the surface, and whether its second reading showed it too (None without one)."""

    band: Band
    again: bool | None


@once
def surface_of(run: Run, test: str) -> tuple[Strip, ...]:
    """Return the parts of the surface that a test read."""
    return tuple(surface.strips(run.of(test, PHASE)))


@once
def stretches(run: Run, test: str) -> tuple[Stretch, ...]:
    """Return the slow stretches of a test in order of place."""
    second = run.of(test, AGAIN)
    return tuple(Stretch(band, surface.again(band, second)) for band in surface.bands(surface_of(run, test)))
