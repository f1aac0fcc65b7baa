"""Heat: sequential writes, then reads, each until the drive throttles or its temperature is steady. A test of stend.

The drive is filled first, so that its cache is used up, and cools down before each load. Rounds of a minute have no
pause. Between two of them the drive's temperature is read.
"""

from functools import partial

from stend.model import warming
from stend.model.definition import Hold, Identity, Idle, Phase, PlannedTest, Profile, Test
from stend.model.record import Run
from stend.suite._clauses import filled, minutes, purged, sequential

BLOCK_KIB, POINT = 128, [1, 32]
REST_MINUTES = 15
"""Rest before each load. A drive with a large heatsink needs longer to cool down, and starts warmer (a choice of
stend)."""
MINUTES = 90
"""Most minutes of each load. A drive that is still heating up then is reported as such (a choice of stend)."""
WRITES, READS = "heat-writes", "heat-reads"


def phases(profile: Profile, device: Identity) -> tuple[Phase, ...]:
    """Return purge, fill, a rest before writes, and a rest before reads."""
    options = profile.options
    loads = (sequential(pct, options["block_kib"], *options["point"]) for pct in (0, 100))
    rest = Idle(seconds=profile.minutes(options["rest_minutes"]).seconds)
    rounds = profile.repeats(options["minutes"], least=min(options["minutes"], warming.STEADY_ROUNDS + 2))
    places = zip((WRITES, READS), ("writes_on", "reads_on"), loads, strict=True)
    heats = [
        part
        for name, choose, load in places
        for part in (
            Phase(name=name.replace("heat", "rest"), round=(rest,), boundary="test"),
            Phase(name=name, round=minutes(profile, [load]), rounds=rounds, choose=choose, boundary="test"),
        )
    ]
    return (purged(), filled(1, profile.depth, times=1), *heats)


def _on(past: Run, test: PlannedTest, name: str) -> tuple[Hold, ...]:
    """Return another minute of a load, or nothing once it has heated the drive enough."""
    return () if warming.heated(past, test.name, name) else tuple(test.phase(name).holds)


writes_on, reads_on = partial(_on, name=WRITES), partial(_on, name=READS)


TEST = Test(
    title="Heat",
    clause="own",
    phases=phases,
    charts=("heat",),
    options={"block_kib": BLOCK_KIB, "point": POINT, "rest_minutes": REST_MINUTES, "minutes": MINUTES},
    summary="sequential writes, then reads, until the drive throttles or its temperature is steady",
)
