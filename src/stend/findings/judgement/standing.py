"""Say why a run as a whole cannot carry a verdict."""

from collections.abc import Iterator

from stend.base.units import GB
from stend.findings.look.grounds import Because
from stend.model.definition import Hold, Profile
from stend.model.record import Run

LEAST_BYTES = 8 * GB
"""No drive on sale is smaller; what is, is filled before a rate can be taken, and is a scratch file or a toy."""
LEAST_SHARE = 0.5
"""Of the capacity: a small active range leaves a flash drive with most of it spare (PTS 2.0.2 asks for 100 or 75 %)."""
MINUTE_S = 60.0


def standing(run: Run) -> Because | None:
    """Return why no use is judged by this run, or None: it is damaged, unfinished, shortened, or of too little."""
    return next(_against(run), None)


def _against(run: Run) -> Iterator[Because]:
    drive = run.plan.device
    if run.source:
        yield Because("imported", {"name": run.source.name})
    if run.wrong:
        yield Because("damaged")
    if run.ended is None or run.ended.outcome in ("failed", "stopped"):
        yield Because("unfinished")
    if any(_shortened(test.profile) for test in run.plan.tests):
        yield Because("shortened", {"seconds": sum(r.counts.seconds for r in run.results if isinstance(r.step, Hold))})
    if drive.capacity_bytes < LEAST_BYTES:
        yield Because("tiny", {"capacity": drive.capacity_bytes})
    if drive.kind == "file":
        yield Because("file")
    if run.plan.range_bytes < LEAST_SHARE * drive.capacity_bytes:
        yield Because("range", {"share": run.plan.range_bytes / drive.capacity_bytes})


def _shortened(profile: Profile) -> bool:
    """Return whether a profile's minutes or repetitions are shorter than its clauses say."""
    return profile.quick or profile.minute_s < MINUTE_S or profile.shorten > 1
