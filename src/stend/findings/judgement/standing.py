"""Say why a run as a whole cannot carry a verdict."""

from stend.definition import Hold, Profile
from stend.findings.look.grounds import Because
from stend.record import Run
from stend.units import GB

LEAST_BYTES = 8 * GB
"""No drive on sale is smaller; what is, is filled before a rate can be taken, and is a scratch file or a toy."""
LEAST_SHARE = 0.5
"""Of the capacity: a small active range leaves a flash drive with most of it spare (PTS 2.0.2 asks for 100 or 75 %)."""
MINUTE_S = 60.0


def standing(run: Run) -> Because | None:
    """Return why no use is judged by this run, or None: it is damaged, unfinished, shortened, or of too little."""
    load_s = sum(r.counts.seconds for r in run.results if isinstance(r.step, Hold))
    drive = run.plan.device
    if run.source:
        return Because("imported", {"name": run.source.name})
    if run.wrong:
        return Because("damaged")
    if run.ended is None or run.ended.outcome in ("failed", "stopped"):
        return Because("unfinished", {"seconds": load_s})
    if any(_shortened(test.profile) for test in run.plan.tests):
        return Because("shortened", {"seconds": load_s, "capacity": drive.capacity_bytes})
    if drive.capacity_bytes < LEAST_BYTES:
        return Because("tiny", {"capacity": drive.capacity_bytes})
    if drive.kind == "file":
        return Because("file")
    if run.plan.range_bytes < LEAST_SHARE * drive.capacity_bytes:
        return Because("range", {"share": run.plan.range_bytes / drive.capacity_bytes})
    return None


def _shortened(profile: Profile) -> bool:
    """Return whether a profile's minutes or repetitions are shorter than its clauses say."""
    return profile.quick or profile.minute_s < MINUTE_S or profile.shorten > 1
