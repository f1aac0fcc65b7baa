"""Hot range: random 4 KiB on a small part of a full drive, over hours, until its cache has filled (the reviews').

Each mix uses a separate part, so that each starts cold.
"""

from stend.base.units import GiB
from stend.model.definition import Hold, Identity, Phase, Profile, Test
from stend.suite._clauses import filled, random, span

HOT_GIB, HOURS = 20, 4
"""20 GiB on 32 GiB of cache (published). Four hours are a choice of stend: the published curves are flat by then."""
MIXES = [100, 65, 35, 0]
BLOCK_KIB, POINT = 4, [4, 16]


def phases(profile: Profile, device: Identity) -> tuple[Phase, ...]:
    """Return one sequential fill of the drive, then each mix for hours, in records of a minute."""
    options = profile.options
    size = min(options["hot_gib"] * GiB, profile.active_range(device) // len(options["mixes"]))
    threads, depth = options["point"]
    mixes = []
    for number, read_pct in enumerate(options["mixes"]):
        place = span(profile, device, number * size, size)
        hot = Hold(workload=random(read_pct, options["block_kib"], threads, depth, **place), amount=profile.minutes(1))
        name = f"mix-{read_pct}"
        mixes.append(Phase(name=name, round=(hot,), rounds=profile.repeats(60 * options["hours"]), boundary="phase"))
    return (filled(1, 32, times=1), *mixes)


TEST = Test(
    title="Hot Range",
    clause="review",
    phases=phases,
    charts=("hot_range",),
    options={"hot_gib": HOT_GIB, "hours": HOURS, "mixes": MIXES, "block_kib": BLOCK_KIB, "point": POINT},
    summary="random 4 KiB on 20 GiB of a full drive, until its cache has filled",
)
