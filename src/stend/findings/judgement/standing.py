"""Reasons why a run as a whole cannot support a verdict."""

from collections.abc import Iterator

from stend.base.units import GB
from stend.findings.look.grounds import Because
from stend.model.definition import Hold
from stend.model.record import Run

LEAST_BYTES = 8 * GB
"""No drive on sale is smaller. A smaller one is full before a rate can be measured: a scratch file or a toy."""
LEAST_SHARE = 0.5
"""Share of the capacity: a smaller active range leaves most of a flash drive spare (PTS 2.0.2: 100 or 75 %)."""
MINUTE_S = 60.0


def standing(run: Run) -> Because | None:
    """Return the first reason why a run has no verdict, or None."""
    return next(_against(run), None)


def _against(run: Run) -> Iterator[Because]:
    drive = run.plan.device
    if run.source:
        yield Because("imported", {"name": run.source.name})
    if run.wrong:
        yield Because("damaged")
    if run.outcome in ("unfinished", "failed", "stopped"):
        yield Because("unfinished")
    profiles = [test.profile for test in run.plan.tests]
    if any(of.quick or of.minute_s < MINUTE_S or of.shorten > 1 for of in profiles):  # less than the clauses require
        yield Because("shortened", {"seconds": sum(r.counts.seconds for r in run.results if isinstance(r.step, Hold))})
    if drive.capacity_bytes < LEAST_BYTES:
        yield Because("tiny", {"capacity": drive.capacity_bytes})
    if drive.kind == "file":
        yield Because("file")
    if run.plan.range_bytes < LEAST_SHARE * drive.capacity_bytes:
        yield Because("range", {"share": run.plan.range_bytes / drive.capacity_bytes})
