"""Write saturation: random 4 KiB writes from fresh, never paused, until steady or a limit (PTS 2.0.2 clause 10).

A steady-state check is one minute after every thirty minutes of the same writes: a round is 31 one-minute records.
Without checks (`seek_steady` off: the reviews' 600 minutes) a round is one minute.
"""

from stend.model.definition import Capacities, Hold, Identity, Phase, Profile, Rule, Seconds, Steady, Test, Workload
from stend.model.record import SATURATED_FILLS
from stend.suite._clauses import known, purged, random, sequential
from stend.suite._composite import composite

FILLS = SATURATED_FILLS
"""4 x user capacity (found in two implementations and a review)."""
LIMIT_MINUTES = {"1.1": 24 * 60, "2.0.2": 6 * 60}
"""6 h of 2.0.x is recall-med, 24 h of 1.1 recall-high."""
RECORDS = 31
NO_LIMIT = 25
"""The usual limit of rounds does not apply here; a lower limit chosen by the user does."""
HISTOGRAM_MINUTES = 20
"""2.0.x only. Open point 2: at the test's own threads and depth, so that the writes go on without a pause."""


def phases(profile: Profile, device: Identity) -> tuple[Phase, ...]:
    """Return purge, then saturation without preconditioning. In 2.0.x the writes go on for twenty minutes more."""
    options = profile.options
    stimulus = WORKLOADS[known(options["workload"], WORKLOADS, "workload of write-saturation")](
        profile.threads, profile.depth
    )
    minutes = options["minutes"] or LIMIT_MINUTES.get(profile.specification, 6 * 60)
    saturate = checked(profile, stimulus, minutes) if options["seek_steady"] else saturated(profile, stimulus, minutes)
    more = (Hold(workload=stimulus, amount=profile.minutes(1)),) * options["histogram_minutes"]
    histogram = () if profile.specification == "1.1" or not more else (Phase(name="histogram", round=more),)
    return (purged(), saturate, *histogram)


def checked(profile: Profile, stimulus: Workload, minutes: float) -> Phase:
    """Return a phase that writes until the half-hourly checks are steady, or one of the limits is reached."""
    limit: Seconds = profile.minutes(minutes)
    fills = profile.options["fills"]
    until: tuple[Rule, ...] = (Steady(track=(stimulus,), rule=profile.steady), limit)
    rounds = int(minutes) // RECORDS + 1
    return Phase(
        name="saturate",
        round=(Hold(workload=stimulus, amount=profile.minutes(1)),) * RECORDS,
        until=(*until, Capacities(times=fills)) if fills else until,
        rounds=rounds if profile.rounds >= NO_LIMIT else min(rounds, profile.rounds),
        boundary="test",
    )


def saturated(profile: Profile, stimulus: Workload, minutes: float) -> Phase:
    """Return a phase that writes for this many minutes, without checks."""
    record = Hold(workload=stimulus, amount=profile.minutes(1))
    return Phase(name="saturate", round=(record,), rounds=profile.repeats(minutes), boundary="test")


# The further stimuli of 2.0.x (found in one implementation); `write-intensive` alone is required.
WORKLOADS = {
    "write-intensive": lambda threads, depth: random(0, 4, threads, depth),
    "oltp": lambda threads, depth: random(65, 8, threads, depth),
    "video-on-demand": lambda threads, depth: sequential(90, 128, threads, depth),
    "metadata": lambda threads, depth: sequential(50, 0.5, threads, depth),
    "composite": lambda threads, depth: composite(40, threads, depth),
}

TEST = Test(
    title="Write Saturation",
    clause="PTS 10",
    phases=phases,
    charts=("saturation", "histogram"),
    options={
        "workload": "write-intensive",
        "seek_steady": True,
        "minutes": 0,
        "fills": FILLS,
        "histogram_minutes": HISTOGRAM_MINUTES,
    },
    summary="random 4 KiB writes from fresh, never paused, until steady or a limit",
)
