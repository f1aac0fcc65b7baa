"""Cold and warm: a queue depth ladder over the whole drive, and on a small part that was read, or written, for hours.

A part that is fast after being written shows a cache that keeps writes (write-through). A part that stays slow shows a
cache that writes bypass (write-around). Each way of warming uses a separate part, which starts cold (the reviews').
"""

from stend.base.units import GiB
from stend.model.definition import Hold, Identity, Phase, Profile, Test
from stend.suite._clauses import filled, minutes, random, span

DEPTHS, THREADS = [1, 2, 4, 8, 16, 32], 2
BLOCK_KIB, MIXES = 8, [100, 50]
"""8 KiB 50/50 is published; 100/0 is a choice of stend, for the cache alone."""
HOT_GIB, WARM_HOURS = 20, 3
WARM_POINT = [4, 16]
WAYS = {"reads": 100, "writes": 0}


def phases(profile: Profile, device: Identity) -> tuple[Phase, ...]:
    """Return one fill, the cold ladder, and for each way of warming hours of it and the ladder on that part."""
    options = profile.options
    size = min(options["hot_gib"] * GiB, profile.active_range(device) // len(WAYS))
    threads, depth = options["warm_point"]
    warm = []
    for number, (way, read_pct) in enumerate(WAYS.items()):
        place = span(profile, device, number * size, size)
        warming = Hold(workload=random(read_pct, BLOCK_KIB, threads, depth, **place), amount=profile.minutes(1))
        count = profile.repeats(60 * options["warm_hours"])
        warm += [
            Phase(name=f"warm-up-{way}", round=(warming,), rounds=count, boundary="phase"),
            _ladder(profile, f"warm-{way}", place),
        ]
    return (filled(1, 32, times=1), _ladder(profile, "cold", {}), *warm)


def _ladder(profile: Profile, name: str, place: dict[str, int]) -> Phase:
    """Return a phase with a minute at each depth of each mix, reads before mixes."""
    options = profile.options
    rungs = [
        random(mix, options["block_kib"], THREADS, depth, **place)
        for mix in options["mixes"]
        for depth in options["depths"]
    ]
    return Phase(name=name, round=minutes(profile, rungs))


TEST = Test(
    title="Cold and Warm",
    clause="review",
    phases=phases,
    charts=("cold_warm",),
    options={
        "depths": DEPTHS,
        "block_kib": BLOCK_KIB,
        "mixes": MIXES,
        "hot_gib": HOT_GIB,
        "warm_hours": WARM_HOURS,
        "warm_point": WARM_POINT,
    },
    summary="a queue depth ladder, cold over the whole drive and warm on 20 GiB read or written for 3 h",
)
