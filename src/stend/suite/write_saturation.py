"""Write saturation: random 4 KiB writes from fresh, never paused, until steady or a limit (PTS 2.0.2 clause 10).

A steady-state check is one minute after every thirty of the same writes; so a round is 31 one-minute records.
"""

from stend.definition import Capacities, Hold, Identity, Phase, Profile, Purge, Steady, Test, Workload
from stend.units import KiB

FILLS = 4
LIMIT_MINUTES = {"1.1": 24 * 60, "2.0.2": 6 * 60}
"""6 h of 2.0.x is recall-med, 24 h of 1.1 recall-high."""
RECORDS = 31


def phases(profile: Profile, device: Identity) -> tuple[Phase, ...]:
    """Purge, then saturate; no preconditioning."""
    writes = Workload(random_pct=100, read_pct=0, block_bytes=4 * KiB, threads=profile.threads, depth=profile.depth)
    limit = LIMIT_MINUTES.get(profile.specification, 6 * 60)
    return (
        Phase(name="purge", round=(Purge(),)),
        Phase(
            name="saturate",
            round=(Hold(workload=writes, amount=profile.minutes(1)),) * RECORDS,
            until=(
                Steady(track=(writes,), rule=profile.steady),
                Capacities(times=FILLS),
                profile.minutes(limit),
            ),
            rounds=limit // RECORDS + 1,
            boundary="test",
        ),
    )


TEST = Test(title="Write Saturation", clause="PTS 10", phases=phases, charts=("saturation",))
