"""The engine for virtual drives: it returns the drive's counts, on the drive's own clock."""

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypedDict

import msgspec
import numpy as np

from stend.base.errors import BadInput, LoadFailed
from stend.engines.content import Content
from stend.engines.tallied import tally
from stend.model.beside import Beside
from stend.model.counts import Counts
from stend.model.definition import Workload
from stend.model.pace import Pace
from stend.model.tally import NONE
from stend.model.verified import Verified
from stend.model.workload import Replay
from stend.sim import Pattern
from stend.sim.account import Done
from stend.sim.drive import Drive
from stend.sim.feed import Words
from stend.sim.requests import FLUSH as FLUSHES
from stend.sim.requests import ROWS, TRIM, Weighted
from stend.trace.form import FLUSH, READ
from stend.words import Sentence

if TYPE_CHECKING:
    from stend.engines.mapped import Requests
    from stend.engines.survey.virtual import VirtualSurvey


class Drawing(TypedDict):
    """How the requests of a workload are drawn: see `Engine.start`."""

    seed: int
    from_bytes: int
    limit_bytes: int | None


def pattern(workload: Workload, *, seed: int, from_bytes: int, limit_bytes: int | None) -> Pattern:
    """Return a workload as a pattern of the virtual drive."""
    return Pattern(
        random_pct=100 if workload.verify and workload.verify.every_bytes else workload.random_pct,
        read_pct=workload.read_pct,
        sizes=tuple((size, float(share)) for size, share in workload.sizes),
        range_bytes=workload.range_bytes,
        start_bytes=workload.start_bytes,
        threads=workload.threads,
        depth=workload.depth,
        zones=tuple((float(ios), float(part)) for ios, part in workload.zones),
        align_bytes=workload.align_bytes,
        from_bytes=from_bytes,
        limit_bytes=limit_bytes or 0,
        seed=seed,
        fua=workload.sync == "fua",
        flush_every=workload.flush_every if workload.sync == "flush" else 0,
        weighted=tuple(
            Weighted(s.share, s.random, s.read, s.block_bytes, s.zone[0] / 100, s.zone[1] / 100)
            for s in workload.streams
        ),
        trim_pct=workload.trim_pct,
        trim_bytes=workload.trim_bytes,
        rate_iops=workload.rate_iops,
        even=workload.arrivals == "even",
        beside=tuple(
            pattern(load, seed=seed + 1 + n, from_bytes=0, limit_bytes=None) for n, load in enumerate(workload.beside)
        ),
    )


def counts(done: Done, load: int = 0) -> Counts:
    """Return a Done as the counts of the record: those of the load itself, or of the one at that place beside it."""
    first = load * ROWS
    rows = done.ledger.sums[first : first + 2].tolist()
    reads, writes = (tally(row, bins) for row, bins in zip(rows, done.ledger.bins[first : first + 2], strict=True))
    return Counts(seconds=done.seconds, read=reads, write=writes)


def pace(done: Done, workload: Workload, load: int = 0) -> Pace | None:
    """Return the flushes and trims of a load, and how many IOs it sent, or None if its workload is not paced."""
    if not workload.paced:
        return None
    rows = slice(load * ROWS, load * ROWS + ROWS)
    sums, bins = done.ledger.sums[rows], done.ledger.bins[rows]
    sent = int(sums[:2, 0].sum()) if workload.rate_iops else 0
    flush, discard = (tally(sums[row].tolist(), bins[row]) if sums[row, 0] else NONE for row in (FLUSHES, TRIM))
    return Pace(sent=sent, flush=flush, discard=discard)


def paced(drive: Drive, seconds: float) -> None:
    """Sleep for an interval of virtual time if the drive has a pace, divided by that pace."""
    if drive.spec.pace:
        time.sleep(seconds / drive.spec.pace)


def _schedule(batch: "Requests") -> tuple[Words, Words, Words]:
    """Return a trace's requests as arrays of the virtual drive, without flushes and discards."""
    data = batch.op < FLUSH
    return batch.offset[data], np.where(batch.op == READ, -batch.length, batch.length)[data], batch.due[data]


class SimulatedLoad:
    """A pattern running on a virtual drive."""

    def __init__(self, drive: Drive, interval_s: float, workload: Workload) -> None:
        self.drive, self.interval_s, self.workload = drive, interval_s, workload
        self.began = self.ended = drive.now_s
        self.over = self.stopped = False
        self._unsent = workload.replay.ios if workload.replay else 0
        self._sent = self._waiting = 0
        self.weight = drive.weight if drive.spec.scale > 1 else 0
        self.pace: Pace | None = None
        self.beside: tuple[Beside, ...] = ()
        self.content: Content | None = None

    @property
    def verified(self) -> Verified | None:
        """Return the blocks of a finished load whose content is verified, or None for other loads."""
        return self.content.verified() if self.content and self.over else None

    def next(self) -> Counts | None:
        """Return the counts of the next interval of virtual time, or None once all of a limit is written."""
        if self.over:
            return None
        interval = self.advance(self.interval_s)
        paced(self.drive, interval.seconds)
        return interval

    def advance(self, seconds: float) -> Counts:
        """Return the counts of an interval of this length. Raise LoadFailed if the simulated load dies in it."""
        if self.drive.course.load_dies(self.drive.now_s + seconds):
            raise LoadFailed(Sentence("load_killed", drive=self.drive.spec.model), died=True)
        done = self.drive.advance(seconds)
        self.ended = self.drive.now_s
        self.over = not done.more
        return self._taken(done)

    def _taken(self, done: Done) -> Counts:
        """Return the counts of an interval, and keep its pace and the loads beside."""
        self.pace = pace(done, self.workload)
        if self.workload.replay:
            self.pace, self._unsent = Pace(sent=self._unsent), 0
        elif self.workload.rate_iops and not self.workload.beside:
            sent, waiting = (self._sent, self._waiting) if self.stopped else self.drive.schedule_counts
            self.pace = Pace(sent=sent - self._sent, unsent=waiting)
            self._sent, self._waiting = sent, waiting
        loads = enumerate(self.workload.beside, 1)
        self.beside = tuple(Beside(counts=counts(done, n), pace=pace(done, load, n)) for n, load in loads)
        return counts(done)

    def stop(self) -> Counts | None:
        """Let the IOs in flight end and return their counts. The drive is idle afterwards."""
        self.over = True
        if self.stopped:
            return None
        self.stopped = True
        tail = self.drive.stop()
        self.ended = self.drive.now_s
        if tail is None:
            self.pace, self.beside = None, ()
            return None
        return self._taken(tail)


class SimulatedEngine:
    """An engine for a virtual drive, whose time passes as fast as it can be computed."""

    def __init__(
        self, drive: Drive, *, interval_s: float = 1.0, traces: Mapping[str, str] | None = None, block_bytes: int = 512
    ) -> None:
        self.drive, self.interval_s, self.traces, self.block_bytes = drive, interval_s, traces or {}, block_bytes
        self.load: SimulatedLoad | VirtualSurvey | None = None

    def start(
        self, workload: Workload, *, seed: int, from_bytes: int = 0, limit_bytes: int | None = None
    ) -> "SimulatedLoad | VirtualSurvey":
        """Start a workload. See `Engine.start`."""
        self.close()
        if any(load.trim_pct for load in (workload, *workload.beside)) and not self.drive.spec.trims:
            raise BadInput(f"{self.drive.spec.model} has no trims")
        workload = self._within(workload)
        if workload.survey:
            from stend.engines.survey.virtual import VirtualSurvey

            self.load = VirtualSurvey(self.drive, workload, seed, self.interval_s, from_bytes)
            return self.load
        if workload.replay:
            self._play(workload, workload.replay)
        else:
            self._start(workload, pattern(workload, seed=seed, from_bytes=from_bytes, limit_bytes=limit_bytes))
        self.load = SimulatedLoad(self.drive, self.interval_s, workload)
        if workload.verify:
            self.load.content = Content(self.drive.medium, workload, seed, from_bytes, limit_bytes)
        return self.load

    def _start(self, workload: Workload, requests: Pattern) -> None:
        if workload.rate_iops and not workload.beside:
            self.drive.arrive(requests, workload.rate_iops, even=workload.arrivals == "even")
        else:
            self.drive.start(requests)

    def _within(self, workload: Workload) -> Workload:
        """Return the workload, and those beside it, with their ranges in bytes."""
        room = workload.range_bytes or self.drive.spec.capacity_bytes - workload.start_bytes
        beside = tuple(self._within(load) for load in workload.beside)
        return msgspec.structs.replace(workload, range_bytes=room, beside=beside)

    def _play(self, workload: Workload, played: Replay) -> None:
        """Play the reads and writes of a trace, without flushes and discards."""
        from stend.engines import mapped

        trace = mapped.find_trace(self.traces, played)
        batches = mapped.requests(trace, workload, workload.range_bytes, self.block_bytes)
        self.drive.play(map(_schedule, batches), played.ios, workload.depth, timed=played.timed)

    def prepare(self, workload: Workload, *, seed: int, from_bytes: int = 0, limit_bytes: int | None = None) -> None:
        """Do nothing: a virtual drive needs no preparation."""

    def idle(self, seconds: float) -> None:
        """Advance the virtual time."""
        self.close()
        self.drive.idle(seconds)
        paced(self.drive, seconds)

    def now(self) -> float:
        """Return the drive's own clock in seconds."""
        return self.drive.now_s

    def slept_s(self) -> float:
        """Return 0, because a virtual clock is never suspended."""
        return 0.0

    def close(self) -> None:
        """Stop the running load."""
        if self.load is not None:
            self.load.stop()
            self.load = None
