"""SLC cache: sequential writes over the whole purged drive, second by second (the reviews').

Then again after a rest, on the now full drive. Then on a partly full drive: purge, fill a part, rest, write the rest.
"""

from stend.model.definition import Bytes, Hold, Identity, Idle, Phase, Profile, Test
from stend.suite._clauses import purged, sequential, span

BLOCK_KIB, POINT = 128, [1, 32]
REST_MINUTES = 30
"""A choice of stend: long enough for the drives of the reviews to empty their cache."""
FULL_PCT = [25, 50, 75]


def phases(profile: Profile, device: Identity) -> tuple[Phase, ...]:
    """Return the writes on the fresh drive, after a rest, and on the partly full drive."""
    whole = profile.active_range(device)
    rest = Idle(seconds=profile.minutes(profile.options["rest_minutes"]).seconds)
    start = (
        purged(),
        _written(profile, device, "fresh", 0, whole),
        Phase(name="rest", round=(rest,), boundary="test"),
        _written(profile, device, "rested", 0, whole),
    )
    part_full = []
    for pct in profile.options["full_pct"]:
        part = whole * pct // 100
        part_full += [
            purged(f"-{pct}"),
            _written(profile, device, f"fill-{pct}", 0, part),
            Phase(name=f"rest-{pct}", round=(rest,), boundary="test"),
            _written(profile, device, f"full-{pct}", part, whole - part),
        ]
    return (*start, *part_full)


def _written(profile: Profile, device: Identity, name: str, start: int, size: int) -> Phase:
    """Return a phase that writes a part of the drive once, in order."""
    threads, depth = profile.options["point"]
    place = span(profile, device, start, size)
    workload = sequential(0, profile.options["block_kib"], threads, depth, **place)
    amount = Bytes(bytes=place["range_bytes"])
    return Phase(name=name, round=(Hold(workload=workload, amount=amount),), boundary="test")


TEST = Test(
    title="SLC Cache",
    clause="review",
    phases=phases,
    charts=("slc_time", "slc_bytes"),
    options={"block_kib": BLOCK_KIB, "point": POINT, "rest_minutes": REST_MINUTES, "full_pct": FULL_PCT},
    summary="sequential writes over the whole drive: fresh, after a rest, and 25, 50, 75 % full",
)
