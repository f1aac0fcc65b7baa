"""Headroom: how many times as fast a captured trace can run before its response times exceed a limit. Ours.

A search over the speed, each step a replay of the whole trace; `stend.model.headroom` says which speed comes next.
"""

import math

import msgspec

from stend.base.errors import BadInput
from stend.model import headroom
from stend.model.definition import Hold, Identity, Idle, Phase, PlannedTest, Profile, Step, Test, Whole, Workload
from stend.model.record import Run
from stend.model.stats import MIN_BEYOND
from stend.model.workload import Replay
from stend.suite._played import OPTIONS, Asked, asked, prepared

__all__ = ["TEST", "next_speed"]

OWN = 1.0
"""The trace's own speed, which is played first."""
REST_S = 30
"""Between two passes, so that one does not begin with what the one before left in the drive's cache; ours."""
MOST = 32
"""Replays at most: ten doublings, one beyond, four middles, what is found once more, and as many for a drive that
changes; ours."""


def phases(profile: Profile, device: Identity) -> tuple[Phase, ...]:
    """Purge, fill and a pass as for a replay; then the trace as often as the search asks. BadInput for few IOs."""
    own, what = profile.options, asked(profile, device)
    _enough(what, own["percentile"], device)
    first = what.hold(OWN, device)
    search = Phase(name=headroom.PHASE, round=(first,), rounds=MOST, choose="next_speed")
    return *prepared(profile, device), search


def _enough(what: Asked, percentile: float, device: Identity) -> None:
    """Whether the IOs that the drive is really asked carry the percentile; of a scaled virtual one those are fewer."""
    scale = device.facts.get("scale", 1)
    ios = (what.trace.read.ios + what.trace.write.ios) // scale
    needed = math.ceil(round(MIN_BEYOND * 100 / (100 - percentile), 6))
    if ios < needed:
        asked_of = (
            "" if scale == 1 else f", as one in {scale} is asked of this scaled drive (?scale=1 asks all of them)"
        )
        raise BadInput(
            f"the p{percentile:g} of the trace needs {needed} reads and writes, and there are {ios}{asked_of}"
        )


def next_speed(past: Run, test: PlannedTest) -> tuple[Step, ...]:
    """A rest, then the trace at the speed that comes next; nothing where the search is over."""
    own = test.profile.options
    done = headroom.passes(past, test)
    speed = headroom.following(done, own["least_speed"], own["most_speed"], own["within_pct"])
    if speed is None:
        return ()
    (example,) = next(phase for phase in test.phases if phase.name == headroom.PHASE).round
    match example:
        case Hold(workload=Workload(replay=Replay() as replay) as load, amount=Whole() as whole):
            faster = msgspec.structs.replace(replay, speed=speed)
            amount = msgspec.structs.replace(whole, seconds=whole.seconds / speed)
            faster_load = msgspec.structs.replace(load, replay=faster)
            rest = test.profile.seconds(own["rest_s"])
            return (*([Idle(seconds=rest.seconds)] if done else ()), Hold(workload=faster_load, amount=amount))
    raise TypeError(example)


TEST = Test(
    title="Saturation Headroom",
    clause="own",
    phases=phases,
    charts=("headroom",),
    options=OPTIONS
    | {
        "limit_ms": 2.0,
        "percentile": 99.0,
        "least_speed": 0.25,
        "most_speed": 1000.0,
        "within_pct": 5.0,
        "rest_s": REST_S,
    },
    summary="how many times as fast a trace (--trace FILE) can run before its p99 exceeds --limit-ms",
)
