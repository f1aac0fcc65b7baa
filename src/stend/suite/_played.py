"""A captured trace as what tests play: laid on a drive, written before, brought into its state by itself."""

from typing import Literal, NamedTuple

from stend.base import limits
from stend.base.errors import BadInput
from stend.base.units import MiB, binary
from stend.model.definition import Bytes, Hold, Identity, Phase, Profile, Whole, Workload
from stend.model.estimate import assumed
from stend.model.traced import Traced
from stend.model.workload import Fit, Replay
from stend.suite._clauses import purged, sequential

FILLS = 1
"""What the trace touches is written so often first, in order: blocks that were never written are read from nowhere."""
PASSES = 1
"""The trace as fast as its depths allow, so often before it is measured (RWSW: the applied workload; recall)."""
BOUND = 1024
"""IOs in flight at most; what is due beyond that waits, and is told as late for a full queue."""
CLOSED, HURRIED = 0, 10_000
"""Speeds: as the depths allow; where the trace tells none, as fast as there is room for."""
OPTIONS = {"trace": "", "fit": "auto", "fills": FILLS, "passes": PASSES}


class Asked(NamedTuple):
    """A trace, and how it is laid: over so many bytes."""

    trace: Traced
    fit: Fit
    span_bytes: int

    def hold(self, speed: float, device: Identity) -> Hold:
        """All of it once, so many times as fast; 0: as its depths allow."""
        load = played(self.trace, speed, self.fit, self.span_bytes)
        return Hold(workload=load, amount=_whole(self.trace, speed, device))


def asked(profile: Profile, device: Identity) -> Asked:
    """The trace that a test's settings name. BadInput where it cannot be read or does not fit."""
    from stend.trace import playable

    trace = playable.told(profile.options["trace"])
    return Asked(trace, *laid(trace, profile.active_range(device), profile.options["fit"]))


def prepared(profile: Profile, device: Identity) -> tuple[Phase, ...]:
    """Purge; write the range the trace is laid on; the trace unhurried by its times."""
    own, what = profile.options, asked(profile, device)
    span = what.span_bytes
    fill = sequential(0, 128, profile.threads, profile.depth, range_bytes=span)
    written = Hold(workload=fill, amount=Bytes(bytes=int(own["fills"] * span)))
    before = [Phase(name="precondition", round=(written,), boundary="phase")] if own["fills"] else []
    if own["passes"]:
        passed = what.hold(CLOSED, device)
        before.append(Phase(name="condition", round=(passed,), rounds=own["passes"], boundary="phase"))
    return purged(), *before


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
    if trace.longest_bytes > limits.MOST_BLOCK:
        most = binary(limits.MOST_BLOCK)
        raise BadInput(f"an IO of the trace has {binary(trace.longest_bytes)}; a replay sends at most {most} at once")
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
        depth=BOUND if speed else min(max(round(trace.depth), 1), BOUND),
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
