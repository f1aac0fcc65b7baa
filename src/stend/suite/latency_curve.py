"""Latency curve: response time against IOPS, threads by queue depth, for each mix and block size (the reviews').

Purge and fill; then for each mix and size rounds of all points, each with five seconds of warm-up and thirty measured,
until the deepest point is steady. The figures are the mean of the window: four rounds of at most 25.
"""

from stend.model.definition import Hold, Identity, Phase, Profile, Steady, Test
from stend.suite._clauses import filled, purged, random

THREADS, DEPTHS = [1, 2, 4], [1, 2, 4, 8, 16, 32]
BLOCKS_KIB, MIXES = [64, 32, 16, 8, 4], [100, 65, 0]
WARM_S, RECORD_S = 5, 30
RULE = "fit-90-110"


def phases(profile: Profile, device: Identity) -> tuple[Phase, ...]:
    """Return purge, fill, and a phase of rounds for each mix and block size."""
    options, ladder = profile.options, profile.ladder
    curves = [(mix, block) for mix in ladder(options["mixes"]) for block in ladder(options["blocks_kib"])]
    return (purged(), filled(1, 32), *(_curve(profile, mix, block) for mix, block in curves))


def _curve(profile: Profile, read_pct: int, block_kib: float) -> Phase:
    options, ladder = profile.options, profile.ladder
    grid = [(threads, depth) for threads in ladder(options["threads_ladder"]) for depth in ladder(options["depths"])]
    points = [random(read_pct, block_kib, *point) for point in grid]
    amounts = (profile.seconds(WARM_S), profile.seconds(RECORD_S))
    return Phase(
        name=f"curve-{read_pct}-{block_kib:g}k",
        round=tuple(Hold(workload=point, amount=amount) for point in points for amount in amounts),
        until=(Steady(track=(points[-1],), rule=RULE),),
        rounds=profile.rounds,
    )


TEST = Test(
    title="Latency Curve",
    clause="review",
    phases=phases,
    charts=("latency_curve",),
    options={"threads_ladder": THREADS, "depths": DEPTHS, "blocks_kib": BLOCKS_KIB, "mixes": MIXES},
    summary="response time against IOPS, 1 to 4 threads x 1 to 32 deep, five block sizes, three mixes",
)
