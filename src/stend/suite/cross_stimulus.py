"""Cross stimulus recovery, XSR: sequential, random, sequential writes without a gap (PTS 2.0.2 clause 12).

After a purge, without preconditioning, come three long groups of one-minute records. There is no steady-state rule.
"""

from stend.model.definition import Hold, Identity, Phase, Profile, Test
from stend.suite._clauses import purged, random, sequential

GROUPS = {
    "sequential": sequential(0, 1024, 1, 32),
    "random": random(0, 8, 1, 32),
    "sequential-again": sequential(0, 1024, 1, 32),
}
"""Threads and depth 1/32 in 2.0.x (found in one implementation); in 1.1 the operator's choice (recall-med)."""
HOURS = [8, 6, 8]
"""Found in one implementation."""


def phases(profile: Profile, device: Identity) -> tuple[Phase, ...]:
    """Return the purge, then the three groups."""
    return (
        purged(),
        *(
            Phase(
                name=name,
                round=(Hold(workload=workload, amount=profile.minutes(1)),),
                rounds=profile.repeats(60 * hours),
                boundary="test",
            )
            for (name, workload), hours in zip(GROUPS.items(), profile.options["hours"], strict=True)
        ),
    )


TEST = Test(
    title="Cross Stimulus Recovery",
    clause="PTS 12",
    phases=phases,
    charts=("cross_stimulus",),
    options={"hours": HOURS},
    summary="8 h of sequential, 6 h of random and 8 h of sequential writes without a gap",
)
