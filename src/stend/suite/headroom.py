"""Headroom: how many times as fast a captured trace can run before its response times exceed a limit. A test of stend.

A search over the speed, each step a replay of the whole trace; `stend.model.headroom` chooses the next speed.
"""

import math

import msgspec

from stend.base.errors import BadInput
from stend.model import headroom
from stend.model.definition import Hold, Identity, Idle, Phase, PlannedTest, Profile, Step, Test, Whole, Workload
from stend.model.record import Run
from stend.model.stats import MIN_BEYOND
from stend.model.workload import Replay
from stend.suite._played import OPTIONS, PlacedTrace, place_trace, prepared

RECORDED_SPEED = 1.0
"""The speed at which the trace was recorded. It is played first."""
REST_S = 30
"""Seconds of rest between two passes, so that the cache contents of one pass do not affect the next. A choice of
stend."""
MOST = 32
"""Most replays: ten doublings, one beyond, four bisections, the result once more, and as many again for a drive that
changes meanwhile. A choice of stend."""


def phases(profile: Profile, device: Identity) -> tuple[Phase, ...]:
    """Return purge, fill and a pass as for a replay, then the search. Raise BadInput if the trace has too few IOs."""
    placed = place_trace(profile, device)
    _check_sample_size(placed, profile.options["percentile"], device)
    if not placed.trace.seconds:
        raise BadInput(f"the IOs of the trace {placed.trace.name} have one time: it has no speed that could be raised")
    first = placed.hold(RECORDED_SPEED, device)
    search = Phase(name=headroom.PHASE, round=(first,), rounds=MOST, choose="next_speed")
    return *prepared(profile, device), search


def _check_sample_size(placed: PlacedTrace, percentile: float, device: Identity) -> None:
    """Raise BadInput if the drive gets too few IOs for the percentile. A scaled virtual drive gets one in `scale`."""
    scale = device.scale
    ios = (placed.trace.read.ios + placed.trace.write.ios) // scale
    needed = math.ceil(round(MIN_BEYOND * 100 / (100 - percentile), 6))
    if ios < needed:
        scaled = (
            "" if scale == 1 else f", because this scaled drive gets one IO in {scale} (?scale=1 plays all of them)"
        )
        raise BadInput(f"the p{percentile:g} of the trace needs {needed} reads and writes, and there are {ios}{scaled}")


def next_speed(past: Run, test: PlannedTest) -> tuple[Step, ...]:
    """Return a rest and the trace at the next speed, or nothing if the search is over."""
    options = test.profile.options
    done = headroom.passes(past, test)
    speed = headroom.following(done, options["least_speed"], options["most_speed"], options["within_pct"])
    if speed is None:
        return ()
    (example,) = test.phase(headroom.PHASE).holds
    match example:
        case Hold(workload=Workload(replay=Replay() as replay) as load, amount=Whole() as whole):
            faster = msgspec.structs.replace(replay, speed=speed)
            amount = msgspec.structs.replace(whole, seconds=whole.seconds / speed)
            faster_load = msgspec.structs.replace(load, replay=faster)
            rest = test.profile.seconds(options["rest_s"])
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
