"""Replay: the IOs of a captured trace at their times, after the trace itself has brought the drive into its state.

Ours, after the replay-native test of RWSW PTS (recall): there step mixes are played, here every IO at its address.
"""

from typing import Literal

from stend.definition import Bytes, Hold, Identity, Phase, Profile, Test, Whole, Workload
from stend.errors import BadInput
from stend.estimate import assumed
from stend.suite._clauses import purged, sequential
from stend.traced import Traced
from stend.units import MiB, binary
from stend.workload import Fit, Replay

FILLS = 1
"""What the trace touches is written so often first, in order: blocks that were never written are read from nowhere."""
PASSES = 1
"""The trace as fast as its depths allow, so often before it is measured (RWSW: the applied workload; recall)."""
BOUND = 1024
"""IOs in flight at most; what is due beyond that waits, and is told as late for a full queue."""
CLOSED, HURRIED = 0, 10_000
"""Speeds: as the depths allow; where the trace tells none, as fast as there is room for."""


def phases(profile: Profile, device: Identity) -> tuple[Phase, ...]:
    """Purge; write the range the trace is laid on; the trace unhurried by its times; the trace as it was."""
    from stend.trace import playable

    own = profile.options
    trace = playable.told(own["trace"])
    room = profile.active_range(device)
    fit, span = laid(trace, room, own["fit"])
    measured = played(trace, own["speed"], fit, span)
    hurried = played(trace, CLOSED, fit, span)
    fill = sequential(0, 128, profile.threads, profile.depth, range_bytes=span)
    written = Hold(workload=fill, amount=Bytes(bytes=int(own["fills"] * span)))
    passed = Hold(workload=hurried, amount=_whole(trace, CLOSED, device))
    replay = Hold(workload=measured, amount=_whole(trace, own["speed"], device))
    before = [Phase(name="precondition", round=(written,), boundary="phase")] if own["fills"] else []
    if own["passes"]:
        before.append(Phase(name="condition", round=(passed,), rounds=own["passes"], boundary="phase"))
    return purged(), *before, Phase(name="replay", round=(replay,), boundary="test")


def laid(trace: Traced, room: int, wished: Literal["auto", "shift", "scale", "wrap"]) -> tuple[Fit, int]:
    """How the trace's addresses are laid on `room` bytes, how many of those they take. BadInput where they do not fit.

    Left to us they are moved to the beginning where they fit, and drawn together where they do not.
    """
    span = -(-trace.span_bytes // MiB) * MiB
    fit: Fit = ("shift" if span <= room else "scale") if wished == "auto" else wished
    if fit == "shift" and span > room:
        raise BadInput(
            f"the trace spans {binary(span)}, the range holds {binary(room)}: --fit scale or wrap lays it there"
        )
    room = room // MiB * MiB
    if trace.longest_bytes > room:
        raise BadInput(f"an IO of the trace has {binary(trace.longest_bytes)}, the range only {binary(room)}")
    return fit, min(span, room) if fit != "scale" else room


def played(trace: Traced, speed: float, fit: Fit, span: int) -> Workload:
    """The trace as a workload over `span` bytes."""
    if speed == CLOSED and not trace.depth:
        return played(trace, HURRIED, fit, span)
    both = trace.read + trace.write
    return Workload(
        random_pct=100,
        read_pct=trace.read_pct,
        block_bytes=max(both.bytes // max(both.ios, 1) // 512, 1) * 512,
        depth=BOUND if speed else max(round(trace.depth), 1),
        range_bytes=span,
        replay=Replay(
            trace=trace.number,
            ios=trace.ios - trace.discards,
            seconds=trace.seconds,
            first_bytes=trace.first_bytes,
            span_bytes=trace.span_bytes,
            longest_bytes=trace.longest_bytes,
            speed=speed,
            fit=fit,
        ),
    )


def _whole(trace: Traced, speed: float, device: Identity) -> Whole:
    """Its time; where that is the drive's to decide, at most the trace's own."""
    moved = (trace.read.bytes + trace.write.bytes) / assumed(device).bytes_per_s
    return Whole(seconds=trace.seconds / speed if speed else min(moved, trace.seconds), write_bytes=trace.write.bytes)


TEST = Test(
    title="Trace Replay",
    clause="own",
    phases=phases,
    charts=("replay", "replay_time"),
    options={"trace": "", "speed": 1.0, "fit": "auto", "fills": FILLS, "passes": PASSES},
    summary="a captured trace's IOs at their times (--trace FILE), after a pass of the same",
)
