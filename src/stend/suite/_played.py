"""Replay of a captured trace as part of a test: place it on the drive, write its range, and condition the drive."""

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
"""Times that the range of the trace is written first, in order, because reads of unwritten blocks reach no medium."""
PASSES = 1
"""Passes as fast as the depths of the trace allow, before the measurement (RWSW: the applied workload; recall)."""
BOUND = 1024
"""Most IOs in flight. Further due IOs wait and are reported as late because of a full queue."""
CLOSED, HURRIED = 0, 10_000
"""Speeds: CLOSED keeps the depths of the trace. HURRIED is used instead if the trace has no depths."""
OPTIONS = {"trace": "", "fit": "auto", "fills": FILLS, "passes": PASSES}


class PlacedTrace(NamedTuple):
    """A trace and its placement: over `span_bytes` of the drive, in the manner of `fit`."""

    trace: Traced
    fit: Fit
    span_bytes: int

    def hold(self, speed: float, device: Identity) -> Hold:
        """Return a step that plays the whole trace once at this multiple of its speed. 0 means as its depths allow."""
        load = played(self.trace, speed, self.fit, self.span_bytes)
        moved_s = (self.trace.read.bytes + self.trace.write.bytes) / assumed(device).bytes_per_s
        seconds = self.trace.seconds / speed if speed else min(moved_s, self.trace.seconds)
        return Hold(workload=load, amount=Whole(seconds=seconds, write_bytes=self.trace.write.bytes))


def place_trace(profile: Profile, device: Identity) -> PlacedTrace:
    """Return the trace of a test's settings, placed on the drive. Raise BadInput if it is unreadable or too large."""
    from stend.trace import playable

    trace = playable.summarise(profile.options["trace"])
    return PlacedTrace(trace, *laid(trace, profile.active_range(device), profile.options["fit"]))


def prepared(profile: Profile, device: Identity) -> tuple[Phase, ...]:
    """Return the phases before a replay: purge, write the range of the trace, play it as its depths allow."""
    options, placed = profile.options, place_trace(profile, device)
    span = placed.span_bytes
    fill = sequential(0, 128, profile.threads, profile.depth, range_bytes=span)
    written = Hold(workload=fill, amount=Bytes(bytes=int(options["fills"] * span)))
    before = [Phase(name="precondition", round=(written,), boundary="phase")] if options["fills"] else []
    if options["passes"]:
        passed = placed.hold(CLOSED, device)
        before.append(Phase(name="condition", round=(passed,), rounds=options["passes"], boundary="phase"))
    return purged(), *before


def laid(trace: Traced, room: int, wished: Literal["auto", "shift", "scale", "wrap"]) -> tuple[Fit, int]:
    """Return how the trace's addresses are placed on `room` bytes, and how many bytes they take.

    "auto" moves them to the start of the range if they fit ("shift"), and otherwise scales them down ("scale"). Raise
    BadInput if they do not fit, or an IO of the trace is too large.
    """
    span = -(-trace.span_bytes // MiB) * MiB
    fit: Fit = ("shift" if span <= room else "scale") if wished == "auto" else wished
    if fit == "shift" and span > room:
        raise BadInput(f"the trace spans {binary(span)}, the range holds {binary(room)}: use --fit scale or --fit wrap")
    room = room // MiB * MiB
    if trace.longest_bytes > room:
        raise BadInput(f"an IO of the trace has {binary(trace.longest_bytes)}, the range only {binary(room)}")
    if trace.longest_bytes > limits.MOST_BLOCK:
        most = binary(limits.MOST_BLOCK)
        raise BadInput(f"an IO of the trace has {binary(trace.longest_bytes)}; a replay sends at most {most} at once")
    return fit, min(span, room) if fit != "scale" else room


def played(trace: Traced, speed: float, fit: Fit, span: int) -> Workload:
    """Return the trace as a workload over `span` bytes."""
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
