"""Latency curve: response time against IOPS, threads by queue depth, for each mix and block size (the reviews').

The test purges and fills the drive. For each mix and size it runs rounds of all points, each with five seconds of
warm-up and thirty measured, until the deepest point is steady. The figures are the mean of the window: four rounds of
at most 25. After each curve come points of stend in an open loop: shares of its highest IOPS as a rate with Poisson
arrivals.
"""

import msgspec

from stend.model.definition import Hold, Identity, Phase, PlannedTest, Profile, Steady, Step, Test, Workload
from stend.model.record import Run
from stend.suite._clauses import filled, purged, random

THREADS, DEPTHS = [1, 2, 4], [1, 2, 4, 8, 16, 32]
BLOCKS_KIB, MIXES = [64, 32, 16, 8, 4], [100, 65, 0]
WARM_S, RECORD_S = 5, 30
RULE = "fit-90-110"
OPEN_PCTS = [25, 50, 75, 90]
OPEN_DEPTH = 1024
"""Most IOs of an open loop in flight. Further ones wait in the host, and their response times count on."""
CURVE, OPEN = "curve-", "open-"
"""Prefixes of the phases of a closed curve and of its open-loop points."""


def phases(profile: Profile, device: Identity) -> tuple[Phase, ...]:
    """Return purge, fill, and a phase of rounds for each mix and block size."""
    options, ladder = profile.options, profile.ladder
    curves = [(mix, block) for mix in ladder(options["mixes"]) for block in ladder(options["blocks_kib"])]
    return (purged(), filled(1, 32), *(phase for mix, block in curves for phase in _curve(profile, mix, block)))


def _curve(profile: Profile, read_pct: int, block_kib: float) -> tuple[Phase, Phase]:
    """Return the closed curve of a mix and block size, then its open-loop points."""
    options, ladder = profile.options, profile.ladder
    grid = [(threads, depth) for threads in ladder(options["threads_ladder"]) for depth in ladder(options["depths"])]
    points = [random(read_pct, block_kib, *point) for point in grid]
    name = f"{read_pct}-{block_kib:g}k"
    closed = Phase(
        name=f"{CURVE}{name}",
        round=_measured(profile, points),
        until=(Steady(track=(points[-1],), rule=RULE),),
        rounds=profile.rounds,
    )
    opened = _at_rates(profile, random(read_pct, block_kib, 1, OPEN_DEPTH), 10_000)
    return closed, Phase(name=f"{OPEN}{name}", round=opened, choose="open_points")


def _measured(profile: Profile, points: list[Workload]) -> tuple[Step, ...]:
    amounts = (profile.seconds(WARM_S), profile.seconds(RECORD_S))
    return tuple(Hold(workload=point, amount=amount) for point in points for amount in amounts)


def _at_rates(profile: Profile, load: Workload, most_iops: float) -> tuple[Step, ...]:
    """Return a load at shares of its highest IOPS, in two digits so that runs of one model have the same rates."""
    rates = [float(f"{most_iops * pct / 100:.2g}") for pct in profile.ladder(profile.options["open_pcts"])]
    return _measured(profile, [msgspec.structs.replace(load, rate_iops=max(rate, 1.0)) for rate in rates])


def open_points(past: Run, test: PlannedTest) -> tuple[Step, ...]:
    """Return the open-loop points of the first curve that has none, or nothing if its closed curve is not measured."""
    phase = next((p for p in test.phases if p.name.startswith(OPEN) and not past.of(test.name, p.name)), None)
    if phase is None:
        return ()
    closed = past.of(test.name, phase.name.replace(OPEN, CURVE, 1))
    most = max((r.counts.iops for r in closed if isinstance(r.step, Hold)), default=0.0)
    example = phase.round[0]
    return _at_rates(test.profile, example.workload, most) if most and isinstance(example, Hold) else ()


TEST = Test(
    title="Latency Curve",
    clause="review",
    phases=phases,
    charts=("latency_curve",),
    options={
        "threads_ladder": THREADS,
        "depths": DEPTHS,
        "blocks_kib": BLOCKS_KIB,
        "mixes": MIXES,
        "open_pcts": OPEN_PCTS,
    },
    summary="response time against IOPS, 1 to 4 threads x 1 to 32 deep, five block sizes, three mixes; and at rates",
)
