"""The flash drive: its arrays laid out from a Spec and driven by flash_kernel."""

from typing import Any, cast

import msgspec
import numpy as np
import numpy.typing as npt

from stend.base import units
from stend.base.errors import BadInput
from stend.sim import flash_kernel
from stend.sim import flash_state as k
from stend.sim.account import delayed, parts
from stend.sim.drive import Drive
from stend.sim.requests import READ, WRITE, Ledger, Loop, Pattern, Stream
from stend.sim.spec import Flash, Host, Spec, Tail
from stend.sim.stalls import Stalls, write_share

_By = tuple[npt.NDArray[np.int64], ...]
NEVER = 1 << 62
NEAR_US = 5000
"""A read within this many microseconds after a write may wait for work that the write started (fitted)."""
FEWEST = 16
"""Fewest superblocks: with fewer, cleaning has no choice of victims."""
MOST_PAGES = 1 << 27
"""Most pages: 512 GiB without scaling, which take about 2 GiB of memory."""
LOW = 3
"""Superblocks kept free for cleaning, in addition to the spare space."""


MOST_BUFFER = 0.25
"""Share of the capacity that the buffer of a scaled drive may stand for: with more, hardly anything is behind it."""


def layout(flash: Flash, capacity_bytes: int, scale: int) -> tuple[int, int, int]:
    """Return (logical pages, pages of a superblock, superblocks) of the scaled drive.

    Scaling keeps dies, units and times. It also keeps the number of superblocks, or their size if that is given. Raise
    BadInput if the drive is too small or too large for this scale, or if its buffer is: it is not divided.
    """
    if scale > 1 and flash.buffer_bytes * scale > MOST_BUFFER * capacity_bytes:
        most = max(int(MOST_BUFFER * capacity_bytes // flash.buffer_bytes), 1)
        raise BadInput(
            f"a buffer of {units.binary(flash.buffer_bytes)} is not scaled: at a scale of {scale} it holds as much as "
            f"{units.binary(flash.buffer_bytes * scale)} would. The scale of this drive can be at most {most}"
        )
    logical = capacity_bytes // scale // k.PAGE
    row = flash.dies * flash.unit_bytes // k.PAGE
    row = int(np.lcm.reduce([row, 64, flash.gather_bytes // k.PAGE or 1, row * flash.slc.levels if flash.slc else 1]))
    wanted = flash.superblock_bytes / k.PAGE if flash.superblock_bytes else logical / max(flash.superblocks, 1)
    pages = max(round(wanted / row), 1) * row
    if logical < FEWEST * pages:
        most = max(scale * logical // (FEWEST * pages), 1)
        if most == scale:
            raise BadInput(
                f"a virtual drive of {units.binary(capacity_bytes)} is too small for its dies and their units"
            )
        raise BadInput(f"the scale of a virtual drive of this size can be at most {most}, not {scale}")
    if logical > MOST_PAGES:
        least = -(-scale * logical // MOST_PAGES)
        raise BadInput(f"a virtual drive of this size needs too much memory: set its scale to {least} or more")
    reserve = LOW + lanes(flash) - 1
    return logical, pages, round(logical * (1 + flash.spare_pct / 100) / pages) + reserve


def lanes(flash: Flash) -> int:
    """Return how many superblocks are written at once. Folding of one-bit superblocks needs a second lane."""
    return 2 if flash.slc else flash.lanes


def parameters(flash: Flash, host: Host, pages: int, logical: int, scale: int) -> npt.NDArray[np.int64]:
    """Return the parameter array of the kernel, with times in ns."""
    unit = flash.unit_bytes // k.PAGE
    p = np.zeros(k.PARAMETERS, np.int64)
    p[k.PAGES], p[k.UNIT], p[k.DIES], p[k.CHANNELS] = pages, unit, flash.dies, flash.channels
    p[k.GATHER] = max(flash.gather_bytes // k.PAGE, unit)
    p[k.LOW], p[k.LANES] = LOW + lanes(flash) - 1, lanes(flash)
    p[k.T_READ], p[k.T_PROGRAM], p[k.T_CHANNEL] = ns(flash.read_us), ns(flash.program_us), ns(flash.transfer_us)
    p[k.T_ERASE] = ns(flash.erase_us * pages * k.PAGE / flash.dies / flash.block_bytes)
    p[k.BUFFER] = max(flash.buffer_bytes // k.PAGE, 2 * p[k.GATHER])
    p[k.SENSE], p[k.T_SUSPEND] = flash.sense_bytes // k.PAGE, ns(flash.suspend_us)
    p[k.MOVE_SENSE] = (flash.move_sense_bytes or flash.sense_bytes) // k.PAGE
    p[k.T_MOVE] = ns(flash.move_us)
    p[k.BEHIND] = flash.behind_pct / 100 * k.CREDIT
    p[k.SPREAD] = ns(flash.program_us * flash.program_spread_pct / 100)
    p[k.POLICY], p[k.THROUGH] = k.POLICIES.index(flash.cleaning), flash.write_through
    p[k.SEGMENT] = flash.segment_bytes // k.PAGE if flash.table_bytes else 0
    p[k.REST_TARGET] = round(logical * flash.idle_free_pct / 100 / pages) + p[k.LOW]
    if flash.slc:
        p[k.SLC_PAGES], p[k.T_SLC] = pages // flash.slc.levels, ns(flash.slc.program_us)
        p[k.SLC_LEAVE] = p[k.LOW] + round(logical * flash.slc.leave_pct / 100 / pages)
        p[k.SLC_FOLD] = flash.slc.fold_pct / 100 * k.CREDIT
        p[k.SLC_SHARE], p[k.SLC_SHORT] = (
            flash.slc.share_pct / 100 * k.CREDIT,
            p[k.LOW] + round(logical * flash.slc.short_pct / 100 / pages),
        )
    p[k.T_NEAR], p[k.SCALE] = ns(NEAR_US), scale
    p[k.PAUSE] = max(flash.pause_every_writes // scale, 1) if flash.pause_every_writes else NEVER
    p[k.T_PAUSE] = ns(flash.pause_ms * 1000)
    p[k.T_FLUSH] = ns(host.flush_us)
    waiting(p, flash.tail)
    serving(p, host)
    return p


def waiting(p: npt.NDArray[np.int64], tail: Tail) -> None:
    """Set the parameters that make some response times long."""
    p[k.T_JITTER_READ], p[k.T_JITTER_WRITE] = ns(tail.read_jitter_us), ns(tail.write_jitter_us)
    p[k.RETRY], p[k.T_RETRY] = tail.retry_pct / 100 * k.CREDIT, ns(tail.retry_us)
    p[k.BUSY], p[k.T_BUSY] = tail.busy_pct / 100 * k.CREDIT, ns(tail.busy_us)
    p[k.T_MIXED], p[k.BACKGROUND] = ns(tail.mixed_us), tail.background_pct / 100 * k.CREDIT
    p[k.LATE] = tail.write_jitter_pct / 100 * k.CREDIT


def serving(p: npt.NDArray[np.int64], host: Host) -> None:
    """Set the parameters of the link and the command processor."""
    p[k.T_LINK_IN], p[k.T_LINK_OUT] = ns(k.PAGE / host.write_mb_s), ns(k.PAGE / host.read_mb_s)
    p[k.T_COMMAND_READ], p[k.T_COMMAND_WRITE] = ns(host.read_command_us), ns(host.write_command_us)
    p[k.T_ANSWER_READ], p[k.T_ANSWER_WRITE] = ns(host.read_answer_us), ns(host.write_answer_us)
    p[k.T_PAGE_READ], p[k.T_PAGE_WRITE] = ns(host.read_page_us), ns(host.write_page_us)
    p[k.T_TURN] = ns(host.turn_us)
    p[k.T_TRIM], p[k.T_TRIM_MIB] = ns(host.trim_command_us), ns(host.trim_mib_us)
    p[k.T_PARTIAL], p[k.ONE_WAY] = ns(host.partial_us), host.one_way


def ns(us: float) -> int:
    """Return microseconds as whole nanoseconds."""
    return round(us * 1000)


def memory(spec: Spec, flash: Flash) -> k.Flash:
    """Return all arrays of a drive."""
    logical, pages, superblocks = layout(flash, spec.capacity_bytes, spec.scale)
    if spec.accidents.lies_about_flush:
        flash = msgspec.structs.replace(flash, write_through=False)
    words = parameters(flash, spec.host, pages, logical, spec.scale)
    words[k.VOLATILE] = not spec.protected and not spec.accidents.lies_about_flush
    ring = 1 << int(flash.buffer_bytes // k.PAGE + pages).bit_length()
    return k.Flash(
        state=np.zeros(k.STATE, np.int64),
        parameters=words,
        rng=np.array([0x9E3779B97F4A7C15 ^ (spec.seed * 2 + 1)], np.uint64),
        map=np.empty(logical, np.uint32),
        back=np.zeros(superblocks * pages, np.uint32),
        live=np.empty(superblocks * pages // 64, np.uint64),
        valid=np.empty(superblocks, np.uint32),
        age=np.zeros(superblocks, np.int64),
        slc=np.zeros(superblocks, np.uint8),
        free=np.empty(superblocks + 1, np.int64),
        lanes=np.zeros((2, 4), np.int64),
        die=np.zeros(flash.dies, np.int64),
        sense=np.zeros(flash.dies, np.int64),
        channel=np.zeros(flash.channels, np.int64),
        release_at=np.zeros(ring, np.int64),
        release_pages=np.zeros(ring, np.int64),
        table=np.empty(max(flash.table_bytes // spec.scale // flash.segment_bytes, 1), np.int64),
    )


class FlashDrive(Drive):
    """A solid-state drive."""

    def __init__(self, spec: Spec) -> None:
        super().__init__(spec)
        if spec.flash is None:
            raise BadInput(f"virtual drive {spec.name} is of flash but has no [flash] part")
        self.flash = spec.flash
        self.memory = memory(spec, spec.flash)
        self._programmed = 0
        self._by: _By | None = None
        self.stalls = Stalls(spec.flash.tail, spec.seed)
        self.fresh()

    def fresh(self) -> None:
        """Reset the drive to never written. The wear counters stay."""
        m, s, p = self.memory, self.memory.state, self.memory.parameters
        self._by = None
        superblocks = m.valid.shape[0]
        m.map.fill(k.NONE)
        m.live.fill(0)
        m.valid.fill(k.OPEN)
        m.slc.fill(0)
        m.table.fill(-1)
        m.free[:superblocks] = np.arange(superblocks)[::-1]
        kept = s[[k.HOST, k.FLASH, k.ERASED, k.SLC_FLASH]].copy()
        s.fill(0)
        s[[k.HOST, k.FLASH, k.ERASED, k.SLC_FLASH]] = kept
        s[k.VICTIM_AT], s[k.BEFORE_PAUSE] = -1, p[k.PAUSE]
        s[k.FREE] = superblocks
        for lane in range(int(p[k.LANES])):
            self._open(lane)

    def _open(self, lane: int) -> None:
        m, s, p = self.memory, self.memory.state, self.memory.parameters
        s[k.FREE] -= 1
        block = int(m.free[s[k.FREE]])
        slc = lane == k.HOST_LANE and p[k.SLC_PAGES] > 0
        m.slc[block] = slc
        s[k.SLC_USED] += slc
        first = block * p[k.PAGES]
        m.lanes[lane] = first, first + (p[k.SLC_PAGES] if slc else p[k.PAGES]), block, 0

    def start(self, pattern: Pattern) -> None:
        """Start a pattern as Drive does."""
        super().start(pattern)
        self.stalls.write_share = write_share(pattern)

    def _advance(self, requests: Stream, slots: Loop, done: Ledger, seconds: float, speed: float) -> tuple[float, bool]:
        """Run one piece of time. Only closed loops lose time to stalls, and loads with a limit have no stalls."""
        stalled_s = self.stalls.drawn_s(seconds) if self._account or self._feed or self._outstanding else 0.0
        lost_s = stalled_s if self._account else 0.0
        passed, more = super()._advance(requests, slots, done, seconds - lost_s, speed)
        return passed + lost_s, more

    def _count(self, done: Ledger, passed: float, more: bool, scale: int, speed: float, lasted_ns: int = 0) -> None:
        super()._count(done, passed, more, scale, speed, lasted_ns)
        crowds = self._outstanding or (self._account.outstanding if self._account else 0,)
        each = parts(done) if self._outstanding else [done]
        rates = [part.ways()[:2, 0].sum() / max(passed, 1e-9) for part in each]
        for part, waits_ns in zip(each, self.stalls.waits_ns(*zip(crowds, rates, strict=True)), strict=True):
            if len(waits_ns) and part.ways()[:2, 0].any():
                delayed(part, waits_ns)
        if not self._account:
            reads, writes = done.ways()[:2, 0]
            self.stalls.write_share = writes / max(reads + writes, 1)

    def _serve(self, requests: Stream, slots: Loop, done: Ledger, until: int) -> bool:
        began, before = self.inner_ns, done.ways()[:, 0]
        more = super()._serve(requests, slots, done, until)
        grown = done.ways()[:, 0] - before
        if self.flash.busy_cleaning_pct and grown[READ] > 0 and grown[WRITE] == 0:
            ended = until if more else int(slots.at[2])
            self._clean(began, (ended - began) * self.weight // self.spec.scale, self.flash.busy_cleaning_pct)
        return more

    def _kernel(self, requests: Stream, slots: Loop, done: Ledger, until: int) -> bool:
        return bool(flash_kernel.serve(self.memory, requests, slots, done, until))

    def _rest(self, ns: int) -> int:
        share, before = self.flash.idle_cleaning_pct / 100, int(self.memory.state[k.FLASH])
        self._clean(self.inner_ns - ns, ns, self.flash.idle_cleaning_pct)
        worked = int(self.memory.state[k.FLASH]) - before
        return round(worked * self._move_ns / share) if worked else 0

    def _clean(self, began: int, ns: int, share_pct: float) -> None:
        """Clean in the background with a percentage of the dies' time."""
        m = self.memory
        flash_kernel.rest(m, began, int(min(ns * share_pct / 100 / self._move_ns, k.MOST_MOVES * len(m.back))))
        flash_kernel.settle(m, began + ns)

    @property
    def _move_ns(self) -> float:
        """Return the ns to move a page: of all dies together, or of the command processor if that is longer."""
        p = self.memory.parameters
        dies_ns = float((p[k.T_PROGRAM] / p[k.UNIT] + p[k.T_READ] / p[k.MOVE_SENSE]) / p[k.DIES])
        return max(dies_ns, float(p[k.T_MOVE]), 1e-3)

    def _busy(self, moved: npt.NDArray[np.float64], ns: int) -> float:
        programmed = int(self.memory.state[k.FLASH]) - self._programmed
        self._programmed += programmed
        return max(super()._busy(moved, ns), programmed * self._move_ns / ns)

    def _buffer_bytes(self) -> int:
        return self.flash.buffer_bytes

    def _pending_ns(self, usual_ns: float) -> float:
        return float(self.memory.state[k.PAUSED] * self.memory.parameters[k.T_PAUSE])

    def _report_single_ios(self, done: Ledger) -> None:
        """Add the wait for a pause to one full-size IO for each that waited, as far as IOs were answered."""
        s, p = self.memory.state, self.memory.parameters
        waited = min(int(s[k.PAUSED]), int(done.answers()[:, 0].sum()))
        if waited:
            s[k.PAUSED] -= waited
            delayed(done, np.full(waited, float(p[k.T_PAUSE])))

    def _drop_waits(self) -> None:
        self.memory.state[k.PAUSED] = 0

    def _kept(self) -> tuple[npt.NDArray[Any], ...]:
        return tuple(a.copy() for a in self._changed())

    def _restore(self, kept: object) -> None:
        if kept is None:
            return
        clocks = self.memory.state[k.CLOCKS].copy()
        gathered = self.memory.lanes[:, 3].copy()
        for a, old in zip(self._changed(), cast(tuple[npt.NDArray[Any], ...], kept), strict=True):
            a[:] = old
        self.memory.state[k.CLOCKS], self.memory.lanes[:, 3] = clocks, gathered

    def _changed(self) -> tuple[npt.NDArray[Any], ...]:
        m = self.memory
        return m.state, m.map, m.back, m.live, m.valid, m.age, m.slc, m.free, m.lanes, m.table

    def _put_by(self) -> None:
        """Save the remaining times of dies and buffer, and advance the clock to when all their work is done."""
        m, now = self.memory, self.inner_ns
        waiting = self._waiting()
        self._by = (m.die - now, m.channel - now, waiting, m.release_at[waiting] - now)
        self.inner_ns = max(now, int(m.die.max()))

    def _take_up(self) -> int:
        """Restore the saved work of dies and buffer from now on."""
        if self._by is None:
            return self.flash.buffer_bytes
        m, now, (die, channel, waiting, left) = self.memory, self.inner_ns, self._by
        m.die[:], m.channel[:] = np.maximum(m.die, now + die), np.maximum(m.channel, now + channel)
        m.release_at[waiting], self._by = now + left, None
        return 0

    def _waiting(self) -> npt.NDArray[np.int64]:
        """Return the places of the ring that are in use by the buffer."""
        first, count = (int(self.memory.state[place]) for place in (k.OLDEST, k.PENDING))
        return np.arange(first, first + count) & (len(self.memory.release_at) - 1)

    def _unsafe_bytes(self) -> int:
        if self.spec.protected and not self.spec.accidents.lies_about_flush:
            return 0
        m, queued = self.memory, self._waiting()
        waiting = int(m.release_pages[queued[m.release_at[queued] > self.inner_ns]].sum()) + int(m.lanes[:, 3].sum())
        return waiting * k.PAGE

    def _nand_write_bytes(self) -> int:
        return int(self.memory.state[k.FLASH]) * k.PAGE * self.spec.scale

    def health(self) -> dict[str, float]:
        """Return the health data of Drive and the mean erase cycles of a superblock."""
        return super().health() | {"erase_cycles": int(self.memory.state[k.ERASED]) / len(self.memory.valid)}
