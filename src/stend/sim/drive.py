"""Base class of virtual drives: requests in, counts out; time passes only in `advance`, `stop`, `idle` and `format`."""

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from stend.base.errors import StepFailed
from stend.sim.accidents import Course
from stend.sim.account import Account, Done, delay, delayed, met_limit, stretch, wake
from stend.sim.arrivals import Arrivals
from stend.sim.feed import Feed, Schedule
from stend.sim.heat import Heat
from stend.sim.medium import Medium
from stend.sim.power import Power, Words
from stend.sim.requests import (
    BAD,
    BEGUN,
    DRAINED,
    ENDED,
    ENDED_AT,
    FAILED,
    FAILED_AT,
    OUTSTANDING_AT,
    PLAN,
    READ,
    SLOW,
    STATE,
    WORK,
    WRITE,
    Ledger,
    Loop,
    Pattern,
    Stream,
    ledger,
    loop,
    mean_bytes,
    stream,
)
from stend.sim.serving import FOREVER, serve
from stend.sim.spec import Spec
from stend.sim.waking import Waking
from stend.words import Sentence

NS = 1_000_000_000
NOTHING = np.zeros(2)
SINGLE_IOPS = 2000
"""Highest rate at which a scaled drive simulates each read of an open loop with even arrivals."""
POUR_NS, POUR_STEP_NS = 20_000_000_000, 200_000
POUR_BYTES = 16384
"""Bytes. Larger writes change too much of a scaled drive while its queue builds up, and are undone."""
QUEUED_BYTES = 16 << 20
"""Most bytes queued in a scaled drive, because more would be a notable part of it. Other requests wait in the host."""


def _small(pattern: Pattern) -> bool:
    """Return True if building up the queue of a scaled drive changes little of it."""
    small = pattern.sizes[0][0] <= POUR_BYTES or len(pattern.sizes) > 1 or pattern.read_pct == 100
    return small and not pattern.trim_pct


class Drive(ABC):
    """Clocks, scaling, the running pattern, health, heat and accidents of all kinds of virtual drives.

    "Inner" times and sizes are those of the scaled simulation.
    """

    def __init__(self, spec: Spec) -> None:
        self.spec = spec
        self.now_s = 0.0
        self.inner_ns = 0
        self.host_write_bytes = 0
        self.host_read_bytes = 0
        self.power, self.course, self.medium = Power(spec), Course(spec), Medium(spec)
        self.heat = Heat(spec.thermal, spec.power.idle_w)
        self._throttled_s = 0.0  # under load
        self._loop: Loop | None = None
        self._stream: Stream | None = None
        self._limit = self._given = 0
        self._per_slot, self._loads = 1.0, 1
        self._outstanding: tuple[int, ...] = ()  # IOs of each load, 0 with a rate; empty if no load has a rate
        self.weight = spec.scale  # how many IOs each simulated IO of the running pattern counts as
        self._waking = Waking(self.power, 0.0, 0)
        self._account: Account | None = None
        self._feed: Feed | None = None
        self._source: Stream | None = None
        self.mind: Callable[[], None] = lambda: None

    def start(self, pattern: Pattern) -> None:
        """Start a pattern in place of the running one."""
        self.check()
        self._stream = stream(pattern, self.spec.scale, self.inner_ns)
        loads = [load.outstanding for load in pattern.loads]
        outstanding, slots = sum(loads), self._slots(pattern, sum(loads))
        self._per_slot, self._account, self._feed, self._source = outstanding / slots, None, None, None
        self._limit, self._given, self.weight = pattern.limit_bytes, 0, self.spec.scale
        crowds = (0 if load.rate_iops else load.outstanding for load in pattern.loads)
        self._outstanding = tuple(crowds) if pattern.timed else ()
        rest = self._rested(0 if pattern.timed else outstanding)
        self._loop, self._loads = loop(outstanding, slots, self.inner_ns, loads, rest), len(loads)
        room = self._take_up() if self.spec.scale > 1 and pattern.writes else self._buffer_bytes()
        room = 0 if pattern.synced else room
        built = pattern.limit_bytes or pattern.timed or pattern.beside or pattern.synced or outstanding == 1
        if built:  # no queue builds up that later IOs find full: flushes of several writers run at the same time
            self._loop.at[BEGUN] = outstanding
        if self.spec.scale > 1 and not pattern.limit_bytes and not pattern.timed:
            kept = None if all(map(_small, pattern.loads)) else self._kept()
            room //= max(map(mean_bytes, pattern.loads))
            self._loop = self._poured(self._stream, self._loop, outstanding, slots + room)
            self._restore(kept)
        self._drop_waits()
        if not pattern.limit_bytes and not pattern.timed:
            pending_ns, every = self._pending_ns(0.0), [load.flush_every for load in pattern.loads]
            aged = bool(built) and self.spec.scale == 1
            self._account = Account(self._loop, self.spec.scale, self.inner_ns, pending_ns, every, aged=aged)

    def _slots(self, pattern: Pattern, outstanding: int) -> int:
        """Return how many requests are in the drive at most. Those with a rate do not wait in the host."""
        if pattern.timed:
            return outstanding
        slots = min(outstanding, self.spec.host.queue or outstanding)
        return min(slots, max(8, QUEUED_BYTES // max(map(mean_bytes, pattern.loads)))) if self.spec.scale > 1 else slots

    def _rested(self, outstanding: int) -> Words:
        """Return `Loop.rest` of a load that starts now. `outstanding` is 0 for an open loop."""
        scaled = self.weight > 1
        self._waking = Waking(self.power, self.now_s if scaled else self.power.since_s, outstanding)
        return self.power.begin(self.now_s, self.inner_ns, rested=not scaled)

    def play(self, requests: Schedule, ios: int, slots: int, *, timed: bool, seed: int = 0, scale: int = 0) -> None:
        """Start a schedule of `ios` requests (of the drive at full size) with at most `slots` of them in flight.

        `seed` decides which requests of a slow place are late. With `scale` 1 a scaled drive simulates each request.
        """
        self.check()
        self.weight = scale or self.spec.scale
        self._feed = Feed(requests, ios, self.spec.scale, self.inner_ns, timed=timed, seed=seed)
        self._stream, self._account, self._per_slot, self._source = self._feed.stream, None, 1.0, None
        self._limit, self._given, self._loads, self._outstanding = 0, 0, 1, ()
        slots = max(min(slots, self.spec.host.queue or slots), 1)
        self._drop_waits()
        self._loop = loop(slots, slots, self.inner_ns, rest=self._rested(0 if timed else slots))
        self._loop.at[BEGUN] = slots

    def arrive(self, pattern: Pattern, rate_iops: float, *, even: bool) -> None:
        """Start a pattern as an endless open loop. Its threads x depth requests at most are in flight.

        Response times count from when a request was due. On a scaled drive a backlog grows `scale` times as slowly. It
        simulates each of few reads (SINGLE_IOPS), because a simulated one would represent minutes.
        """
        single = even and rate_iops <= SINGLE_IOPS and not pattern.writes
        arrivals = Arrivals(pattern, rate_iops, even=even, scale=self.spec.scale)
        self.play(arrivals, 0, pattern.threads * pattern.depth, timed=True, scale=int(single))
        self._source = arrivals.source

    @property
    def schedule_counts(self) -> tuple[int, int]:
        """Return how many requests of the running schedule were issued, and how many are due and wait for that."""
        if self._feed is None or self._loop is None:
            return 0, 0
        sent, waiting = self._feed.sent(self._loop), self._feed.waiting(self.inner_ns)
        return sent * self.weight, waiting * self.weight

    def _poured(self, requests: Stream, inside: Loop, outstanding: int, ios: int) -> Loop:
        """Return the fresh loop with queue and buffer as they are after `ios` requests and the first one of each slot.

        Requests in the host have waited as long as that rate implies. Without this step the build-up of the queue would
        last `scale` times as long in scaled time.
        """
        slots, waiting, queued = len(inside.heap), inside.waiting, inside.queued
        inside = inside._replace(waiting=waiting[:0], queued=queued[:0])
        inside.at[BEGUN] = inside.at[OUTSTANDING_AT] = slots
        spent, ended = ledger(self._loads), self.inner_ns + POUR_NS
        began, first_ns, first = self.inner_ns, self.inner_ns, 0.0
        while (done := spent.answers()[:, 0].sum()) < ios + slots and self.inner_ns < ended:
            if done < ios:
                first_ns, first = self.inner_ns, done
            self.inner_ns += max(POUR_STEP_NS, (self.inner_ns - began) // 50)
            self._serve(requests, inside, spent, self.inner_ns)
        each_ns = (self.inner_ns - first_ns) / max(done - first, 1)
        waiting[:] = self.inner_ns - np.round(np.arange(outstanding - slots, 0, -1) * each_ns).astype(np.int64)
        inside.issued[:] -= round((outstanding - slots) * each_ns)
        inside.at[BEGUN] = inside.at[OUTSTANDING_AT] = outstanding
        return inside._replace(waiting=waiting, queued=queued)

    def advance(self, seconds: float) -> Done:
        """Run the pattern for this time, or until it ends. Raise StepFailed at an IO error or an accident."""
        requests, slots = self._stream, self._loop
        if requests is None or slots is None:
            raise RuntimeError("advance() before start()")
        self.course.check(self.now_s + seconds, self._unsafe_bytes())
        done, more, began = ledger(self._loads), True, self.inner_ns
        source = requests if self._source is None else self._source
        source.plan.reshape(-1, PLAN)[:, BAD : BAD + 2] = self.course.bad(self.now_s)
        if passed := self._waking.spend(seconds):
            watts = self._waking.watts
            self.heat.spend(passed, self.power.spend(passed, watts, watts), self.course.ambient_c(self.now_s))
        speed = self.heat.speed  # of all this time: what it becomes meanwhile holds from the next call on
        for length, silent in self.course.pieces(self.now_s + passed, seconds - passed):
            if silent:
                self._silent(slots, length)
                passed += length
            elif more:
                took, more = self._advance(requests, slots, done, length, speed)
                passed += took
        self._count(done, passed, more, self.weight, speed, self.inner_ns - began)
        self.power.end(self.now_s, passed, slots.rest, self.inner_ns)
        for load in np.flatnonzero(source.at.reshape(-1, STATE)[:, ENDED] == FAILED):
            where = int(source.plan[load * PLAN + FAILED_AT]) * self.spec.scale
            raise StepFailed(Sentence("sim_io_error", drive=self.spec.model, where=where))
        return Done(passed, done.sums[:2], done.bins[:2], more, done)

    def _advance(self, requests: Stream, slots: Loop, done: Ledger, seconds: float, speed: float) -> tuple[float, bool]:
        """Run one uninterrupted piece of time. Return its length in seconds, and True while there is more to do."""
        began, before = self.inner_ns, done.ways()
        until = began + round(seconds * NS / self.weight * speed)
        if self._feed and self._feed.keep_time(began, speed, slots):
            self._wake(slots)
        more = self._serve(requests, slots, done, until)
        self.inner_ns = until if more else max(int(slots.at[ENDED_AT]), began)
        passed = seconds if more else (self.inner_ns - began) * self.weight / NS / speed
        self._throttled_s += passed if speed < 1 else 0.0
        ways, lasted_ns = done.ways() - before, max(self.inner_ns - began, 1)
        busy, commands = self._busy(ways[:2, 1], lasted_ns), ways[:, 0].sum() * NS / lasted_ns
        above_w = self.power.above_w(busy, ways[:2, 1], commands) * speed
        watts = self.power.work(passed, above_w, slots.rest, self.inner_ns, lasted_ns)
        self.heat.spend(passed, watts, self.course.ambient_c(self.now_s))
        return passed, more

    def _silent(self, slots: Loop, seconds: float) -> None:
        """Let all outstanding IOs wait this much longer."""
        ns = round(seconds * NS)
        if self._account:
            self._account.wait(seconds)
            return
        delay(slots, seconds)
        inner_ns = round(ns / self.weight * self.heat.speed)
        if self._feed and self._feed.stand_still(self.inner_ns, ns, inner_ns, slots):
            self._wake(slots)

    def _wake(self, slots: Loop) -> None:
        """Let the slots that wait for a request's time claim one again now."""
        wake(slots, self.inner_ns)

    def _count(self, done: Ledger, passed: float, more: bool, scale: int, speed: float, lasted_ns: int = 0) -> None:
        self.now_s += passed
        if scale > 1:
            done.sums[:, :4] *= scale
            done.bins[:] *= scale
            self._report_single_ios(done)
        if self._account and lasted_ns:
            usual_ns = lasted_ns * self._account.outstanding / max(float(done.answers()[:, 0].sum()), 1.0)
            self._account.settle(done, self.inner_ns, lasted_ns, self._pending_ns(usual_ns))
        if speed < 1:
            stretch(done, 1 / speed)
        if self._limit:
            self._given = met_limit(done, self._limit, self._given, more)
        waits_ns = self._waking.waits_ns(done.answers()[:, 0].sum() / max(passed, 1e-9))
        if len(waits_ns):
            delayed(done, waits_ns)
        self.host_read_bytes += int(done.ways()[READ, 1])
        self.host_write_bytes += int(done.ways()[WRITE, 1])

    def stop(self) -> Done | None:
        """Stop issuing and wait for the outstanding IOs. Return their counts, or None if there were not any.

        These IOs are not multiplied by the scale, because the drive at full size has no more of them outstanding.
        """
        requests, slots, self._stream, self._loop = self._stream, self._loop, None, None
        if requests is None or slots is None or not slots.at[0]:
            return None
        self.check()
        self._wake(slots)
        self._feed = self._source = None
        silent_s = self.course.silent_s(self.now_s)
        self._silent(slots, silent_s)
        drawn = requests.at.reshape(-1, STATE)
        drawn[:, ENDED], drawn[:, 0] = DRAINED, drawn[:, 1]
        done, began = ledger(self._loads), self.inner_ns
        self._serve(requests, slots, done, FOREVER)
        if not done.answers()[:, 0].any():
            return None
        self.inner_ns = max(int(slots.at[ENDED_AT]), began)
        passed = silent_s + (self.inner_ns - began) * self._per_slot / NS / self.heat.speed
        if self.spec.scale > 1:
            self._put_by()
        self._count(done, passed, True, max(round(self._per_slot), 1), self.heat.speed)
        self.power.end(self.now_s, passed, slots.rest, self.inner_ns)
        return Done(passed, done.sums[:2], done.bins[:2], False, done)

    def idle(self, seconds: float) -> None:
        """Let time pass without requests."""
        self.course.check(self.now_s + seconds, self._unsafe_bytes())
        ns = round(seconds * NS / self.spec.scale)
        self.inner_ns += ns
        worked_ns = self._rest(ns)
        above_w = self.power.above_w(self._busy(NOTHING, worked_ns), NOTHING) if worked_ns else 0.0
        for part_s, watts in self.power.rest(self.now_s, seconds, worked_ns * self.spec.scale / NS, above_w):
            self.heat.spend(part_s, watts, self.course.ambient_c(self.now_s))
        self.now_s += seconds

    def format(self) -> None:
        """Erase the drive, which takes `format_s`."""
        self.check()
        self.idle(self.spec.format_s)
        self.medium.clear()
        self.fresh()

    @property
    def capacity_bytes(self) -> int:
        """Return the capacity that the drive reports now."""
        return self.course.capacity_bytes(self.now_s)

    def health(self) -> dict[str, float]:
        """Return the drive's health data: temperature, throttling, bytes read and written."""
        return {
            "temperature_c": round(self.heat.celsius, 1),
            "throttled": float(self.heat.throttled),
            "throttle_s": round(self._throttled_s),
            "host_read_bytes": self.host_read_bytes,
            "host_write_bytes": self.host_write_bytes,
            "nand_write_bytes": self._nand_write_bytes(),
        }

    def check(self) -> None:
        """Raise StepFailed if the drive no longer answers."""
        self.course.check(self.now_s, self._unsafe_bytes())

    def _serve(self, requests: Stream, slots: Loop, done: Ledger, until: int) -> bool:
        """Run the closed loop until a time in inner ns. Return False once the stream is exhausted (`serving.serve`)."""
        feed = self._feed

        def kernel() -> bool:
            served = requests
            if feed is not None:
                served = self._stream = feed.read(slots)
                slots.at[WORK] = slots.at[WORK] if feed.over else min(slots.at[WORK], feed.unserved)
            served.plan[SLOW : SLOW + 4] = self.course.slow()
            return self._kernel(served, slots, done, until)

        return serve(kernel, slots, until, self.spec.name, self.mind)

    @abstractmethod
    def _kernel(self, requests: Stream, slots: Loop, done: Ledger, until: int) -> bool:
        """Do the part of `_serve` that one call may do (`Loop.at[WORK]`)."""

    @abstractmethod
    def fresh(self) -> None:
        """Forget all data."""

    def _rest(self, ns: int) -> int:
        """Do the background work of an idle time of `ns`, and return how many of them it took."""
        return 0

    def _busy(self, moved: npt.NDArray[np.float64], ns: int) -> float:
        """Return the share (0-1) of full power that an interval took. `moved` is inner bytes (read, written)."""
        host = self.spec.host
        return float(moved[0] / host.read_mb_s + moved[1] / host.write_mb_s) * 1e3 / ns

    def _buffer_bytes(self) -> int:
        """Return the bytes that the buffer takes before writes slow down to the speed of the medium."""
        return 0

    def _pending_ns(self, usual_ns: float) -> float:
        """Return the waiting (full size) that later answers will report. An IO usually waits `usual_ns`."""
        return 0.0

    def _report_single_ios(self, done: Ledger) -> None:
        """Add waits that hit only single IOs of the full-size drive, not all that a simulated IO represents."""
        return

    def _drop_waits(self) -> None:
        """Forget the waits of single IOs of an earlier load: those of the next load did not wait."""
        return

    def _kept(self) -> object:
        """Return a copy of the state that requests change and time does not."""
        return None

    def _restore(self, kept: object) -> None:
        """Undo the changes that requests made since `kept`. Clocks and queues stay."""
        return

    def _put_by(self) -> None:
        """Save the work in the buffer of a scaled drive: it empties, and fills again, too fast to be measured."""
        return

    def _take_up(self) -> int:
        """Restore what `_put_by` saved. Return the bytes that the buffer then takes before writes slow down."""
        return self._buffer_bytes()

    def _unsafe_bytes(self) -> int:
        """Return the acknowledged bytes that a power loss would destroy."""
        return 0

    def _nand_write_bytes(self) -> int:
        return self.host_write_bytes
