"""Demand: a stimulus at every threads x depth, high to low, then histograms at the Max, Mid and Min points.

The composite test (PTS 2.0.2 clause 13) and demand intensity (clause 14) share it. The order of the steps was found in
one implementation, whose comments cite the clause.
"""

from collections.abc import Callable

from stend.model.counts import Counts
from stend.model.definition import Hold, Phase, PlannedTest, Profile, Steady, Step, Workload
from stend.model.record import Run
from stend.model.workload import writing
from stend.suite._clauses import half_hourly, purged

Stimulus = Callable[[int, int, int], Workload]
"""(read %, threads, depth) -> workload."""

LEVELS = [32, 16, 8, 6, 4, 2, 1]
PRE_MINUTES = 5
SETTLE_MINUTES, RECORD_MINUTES = 60, 10
CEILING_S = 0.005
"""MaxIOPS must have an average response time below 5 ms; whether the clause requires that is recall-low."""
ABOUT = 0.99
"""MaxIOPS is the lowest total of outstanding IOs with about the most IOPS (recall-high); the 1 % is a choice of
stend."""


def phases(profile: Profile, stimulus: Stimulus, read_pct: int) -> tuple[Phase, ...]:
    """Return purge, preconditioning until steady, rounds of the whole sweep until steady, and three points.

    Open point 16: no sequential fill between purge and preconditioning.
    """
    levels = profile.options["levels"]
    deepest = (levels[0], levels[0])
    writes, tracked = stimulus(0, *deepest), stimulus(read_pct, *deepest)
    minute = profile.minutes(1)
    before = (Hold(workload=writes, amount=minute),) * PRE_MINUTES
    sweep = tuple(Hold(workload=stimulus(read_pct, t, q), amount=minute) for t in levels for q in levels)
    return (
        purged(),
        half_hourly(profile, writes, profile.rounds),
        Phase(
            name="sweep",
            round=(*before, *sweep),
            until=(Steady(track=(tracked,), rule=profile.steady),),
            rounds=profile.rounds,
        ),
        *(
            Phase(name=name, round=_settled(profile, tracked), choose=f"{name}_point", boundary="phase")
            for name in ("max", "mid", "min")
        ),
    )


def _settled(profile: Profile, point: Workload) -> tuple[Step, ...]:
    """Return an hour of writes at this point's threads and depth, then ten minutes of the stimulus itself."""
    writes, minute = writing(point), profile.minutes(1)
    settle = (Hold(workload=writes, amount=minute),) * profile.repeats(SETTLE_MINUTES)
    return (*settle, *(Hold(workload=point, amount=minute),) * profile.repeats(RECORD_MINUTES))


def max_point(past: Run, test: PlannedTest) -> tuple[Step, ...]:
    """Return the steps at the point with the most IOPS below the ceiling of the response time (see `most`)."""
    return _settled(test.profile, most(points(past, test)))


def mid_point(past: Run, test: PlannedTest) -> tuple[Step, ...]:
    """Return the steps at the point nearest to the middle between MaxIOPS and MinIOPS (open point 9: how many)."""
    measured = points(past, test)
    middle = (measured[most(measured)].iops + measured[least(measured)].iops) / 2
    return _settled(test.profile, min(measured, key=lambda w: abs(measured[w].iops - middle)))


def min_point(past: Run, test: PlannedTest) -> tuple[Step, ...]:
    """Return the steps at the point with the fewest outstanding IOs."""
    return _settled(test.profile, least(points(past, test)))


def points(past: Run, test: PlannedTest) -> dict[Workload, Counts]:
    """Return every point of the sweep, added up over the measurement window (open point 9: or its last round)."""
    workloads = dict.fromkeys(hold.workload for hold in test.phase("sweep").holds[PRE_MINUTES:])
    return {workload: past.window(test.name, "sweep", workload) for workload in workloads}


def most(measured: dict[Workload, Counts]) -> Workload:
    """Return the point of MaxIOPS: the fewest outstanding IOs with about the most IOPS below the ceiling.

    If no point is below the ceiling, all points count.
    """
    under = {w: c for w, c in measured.items() if c.both.mean_s < CEILING_S} or measured
    top = max(counts.iops for counts in under.values())
    return min((w for w, c in under.items() if c.iops >= ABOUT * top), key=lambda w: w.outstanding)


def least(measured: dict[Workload, Counts]) -> Workload:
    """Return the point of MinIOPS: the fewest outstanding IOs."""
    return min(measured, key=lambda w: w.outstanding)
