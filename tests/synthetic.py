"""A drive in closed form, its truth known: plausible runs of any planned test in a moment, for reports and findings.

Not the virtual drive of `stend.sim`: no flash in here, only the curves that a reader expects to see.
"""

import math
import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from stend.base.units import GB, MB, GiB, KiB, MiB
from stend.gate import Door
from stend.model.beside import Beside
from stend.model.counts import Counts
from stend.model.definition import Identity, Profile, Workload
from stend.model.events import Event
from stend.model.pace import Pace
from stend.model.record import Run
from stend.model.stats import bin_index
from stend.model.surveyed import SHIFT, Cell, Surveyed, places
from stend.model.tally import Tally
from stend.model.verified import BLOCK, Range, Verified
from stend.model.workload import Stream
from stend.planning import plan as planning
from stend.runner.loop import run
from stend.words import Sentence
from tests.metering import metered
from tests.shape import SHAPE, TOTAL, middle_ns, played_bytes

CAPACITY = 480 * GB // (128 * KiB) * (128 * KiB)


@dataclass
class Truth:
    """What a finding should find again."""

    capacity_bytes: int = CAPACITY
    read_iops: float = 300_000
    half_depth: float = 24
    read_bps: float = 2000 * MB
    write_bps: float = 1500 * MB
    fresh_iops: float = 200_000
    steady_iops: float = 20_000
    pool_fills: float = 1.2
    fall_fills: float = 0.03
    slc: tuple[tuple[float, float], ...] = ((64 * GiB, 2100 * MB), (400 * GiB, 700 * MB), (math.inf, 500 * MB))
    recovery_bps: float = 60 * MB
    cache_bytes: float = 0
    cache_speedup: float = 1
    cache_fill_s: float = 3600
    keeps_writes: bool = False
    write_back: bool = False
    noise: float = 0.01
    tail_every_s: float = 0
    outer_bps: float = 0
    inner_bps: float = 0
    flush_s: float = 0.7e-3
    model: str = "Synthetic 1000"
    serial: str = "SYN-0001"


ASLEEP_S = 5e-3
"""What the first read after a rest of a second or more takes longer."""


@dataclass
class Synthetic:
    """Engine and state of one drive; time is its own."""

    truth: Truth = field(default_factory=Truth)
    interval_s: float = 5.0
    clock: float = 0.0
    written: float = 0.0
    debt: float = 0.0
    warm_s: dict[int, float] = field(default_factory=dict)
    dice: random.Random = field(default_factory=lambda: random.Random(1))

    def start(self, workload: Workload, *, seed: int, from_bytes: int = 0, limit_bytes: int | None = None) -> "Load":
        self.clock += 0.03
        kind = Surveying if workload.survey else Load
        return kind(self, workload, from_bytes, played_bytes(workload) if limit_bytes is None else limit_bytes)

    def prepare(self, workload: Workload, *, seed: int, from_bytes: int = 0, limit_bytes: int | None = None) -> None:
        pass

    def idle(self, seconds: float) -> None:
        self.clock += seconds
        self.debt = max(self.debt - seconds * self.truth.recovery_bps, -self.pool)

    def now(self) -> float:
        return self.clock

    def slept_s(self) -> float:
        return 0.0

    def close(self) -> None:
        pass

    @property
    def pool(self) -> float:
        return self.truth.pool_fills * self.truth.capacity_bytes

    def fresh(self) -> None:
        self.written, self.debt, self.warm_s = 0.0, -self.pool, {}

    def rate(self, workload: Workload, at_bytes: float) -> float:
        """IOs per second now."""
        truth, outstanding = self.truth, workload.outstanding
        block = workload.block_bytes or 4 * KiB
        reads = min(truth.read_iops * outstanding / (outstanding + truth.half_depth), truth.read_bps / block)
        hits = self.hits(workload)
        reads = 1 / ((1 - hits) / reads + hits / (reads * max(truth.cache_speedup, 1)))
        if truth.outer_bps and workload.random_pct == 0:
            place = at_bytes / truth.capacity_bytes
            return (truth.outer_bps + (truth.inner_bps - truth.outer_bps) * place) / block
        writes = self.write_rate(workload, block) * outstanding / (outstanding + 1)
        writes *= truth.cache_speedup if truth.write_back and hits else 1
        share = workload.read_pct / 100
        return 1 / (share / reads + (1 - share) / writes)

    def hits(self, workload: Workload) -> float:
        """The share of reads of a part of the drive that its cache holds."""
        part = workload.range_bytes
        if not self.truth.cache_bytes or part > self.truth.capacity_bytes / 4:
            return 0.0
        warm = min(self.warm_s.get(workload.start_bytes, 0.0) / self.truth.cache_fill_s, 1)
        return warm * min(1.0, self.truth.cache_bytes / part)

    def write_rate(self, workload: Workload, block: int) -> float:
        truth = self.truth
        if workload.random_pct == 0:
            return min(next(rate for until, rate in truth.slc if self.written < until), truth.write_bps * 2) / block
        fall = math.exp(-max(self.debt, 0.0) / (truth.fall_fills * truth.capacity_bytes))
        level = truth.steady_iops + (truth.fresh_iops - truth.steady_iops) * fall
        return min(level * min(1.0, 4 * KiB / block), truth.write_bps / block)

    def step(self, workload: Workload, seconds: float, at_bytes: float, most_bytes: float) -> Counts:
        """One interval: its counts, and what it leaves behind."""
        if workload.rate_iops:
            return self.at_rate(workload, seconds)
        block = workload.block_bytes or 4 * KiB
        if workload.read_pct == 0 and workload.random_pct == 0:
            edge = next(until for until, _ in self.truth.slc if self.written < until) - self.written
            most_bytes = min(most_bytes, max(edge, block))
        rate = self.rate(workload, at_bytes) * (1 + self.dice.gauss(0, self.truth.noise))
        if workload.sync == "flush":
            busy = workload.outstanding / rate + self.truth.flush_s / workload.flush_every
            rate = workload.outstanding / busy
        ios = max(round(rate * seconds), 1)
        if ios * block > most_bytes:
            ios = max(int(most_bytes) // block, 1)
            seconds = ios / rate
        reads = round(ios * workload.read_pct / 100)
        self.clock += seconds
        self.written += (ios - reads) * block
        self.debt = min(self.debt + (ios - reads) * block, self.truth.capacity_bytes)
        hits = self.hits(workload)
        if workload.range_bytes <= self.truth.capacity_bytes / 4 and (workload.read_pct or self.truth.keeps_writes):
            self.warm_s[workload.start_bytes] = self.warm_s.get(workload.start_bytes, 0.0) + seconds
        art_ns = workload.outstanding / rate * 1e9
        fast = round(reads * hits)
        answer_ns = 80_000 * workload.outstanding
        slow_ns = max((art_ns * reads - answer_ns * fast) / max(reads - fast, 1), art_ns)
        read = self.tally(fast, block, answer_ns) + self.tally(reads - fast, block, slow_ns)
        write = self.tally(ios - reads, block, art_ns)
        every = self.truth.tail_every_s
        if every and self.clock // every != (self.clock - seconds) // every:
            ns = art_ns * 1000
            write += Tally(1, block, ns, ns**2, ns, {bin_index(ns): 1})
        return Counts(seconds, seconds * 0.2, read, write)

    def at_rate(self, workload: Workload, seconds: float) -> Counts:
        """One interval of an open loop: a queue whose wait grows as reads and writes together fill the drive's time."""
        streams = workload.streams or (
            Stream(share=100, random=True, read=workload.read_pct > 50, block_bytes=workload.block_bytes),
        )
        rates = [(s.read, s.block_bytes, workload.rate_iops * s.share / 100) for s in streams]
        fill = sum(
            rate / self.truth.read_iops if read else rate * size / self.truth.write_bps for read, size, rate in rates
        )
        kept = min(0.98 / fill, 1.0)
        art_ns = 80_000 / (1 - min(fill, 0.98)) if fill < 1 else 1e8
        art_ns += ASLEEP_S * 1e9 if workload.rate_iops <= 1 else 0
        self.clock += seconds
        tallies = {True: NONE, False: NONE}
        for read, size, rate in rates:
            self.written += 0 if read else rate * kept * seconds * size
            tallies[read] += self.tally(round(rate * kept * seconds), size, art_ns)
        return Counts(seconds, seconds * 0.2, tallies[True], tallies[False])

    def tally(self, ios: int, block: int, art_ns: float) -> Tally:
        if not ios:
            self.dice.getrandbits(len(SHAPE) * 64)  # the dice fall as if there were some
            return NONE
        roll = self.dice.random
        bins: dict[int, int] = {}
        for times, share in SHAPE:
            if count := int(ios * share / TOTAL + roll()):
                index = bin_index(art_ns * times)
                bins[index] = bins.get(index, 0) + count
        if not bins:
            return NONE
        got, total, squares = 0, 0.0, 0.0
        for index, count in bins.items():
            middle, square = middle_ns(index)
            got += count
            total += middle * count
            squares += square * count
        return Tally(got, got * block, total, squares, middle_ns(max(bins))[0], bins)


NONE = Tally()


class Load:
    """Intervals of a synthetic drive at work."""

    def __init__(self, drive: Synthetic, workload: Workload, from_bytes: int, left: int | None) -> None:
        self.drive, self.workload, self.left = drive, workload, left
        self.at_bytes = float(workload.start_bytes + from_bytes)
        self.first_bytes = self.until_bytes = workload.start_bytes + from_bytes
        self.began = self.ended = drive.clock
        self.pace: Pace | None = None
        self.beside: tuple[Beside, ...] = ()

    def next(self) -> Counts | None:
        if self.left is not None and self.left <= 0:
            return None
        most = self.left if self.left is not None else math.inf
        if self.workload.trims or self.workload.beside:
            counts = self.shared(self.workload)
            self.beside = self.others()
        else:
            counts = self.drive.step(self.workload, self.drive.interval_s, self.at_bytes, most)
        self.pace = self.paced(self.workload, counts)
        done = counts.read.bytes + counts.write.bytes + (self.pace.discard.bytes if self.pace else 0)
        self.until_bytes += done
        self.at_bytes = (self.at_bytes + done) % self.drive.truth.capacity_bytes
        if self.left is not None:
            self.left -= done
        self.ended = self.drive.clock
        return counts

    def shared(self, workload: Workload) -> Counts:
        """The load itself: each IO of a load beside it, and each trim, makes its own wait longer."""
        others = sum(load.outstanding for load in self.workload.beside if load != workload)
        if workload.trim_pct == 100:
            self.drive.clock += 0 if others else self.drive.interval_s
            return Counts(self.drive.interval_s, 0.2 * self.drive.interval_s)
        alone = replace(workload, beside=(), trim_pct=0)
        counts = self.drive.step(alone, self.drive.interval_s, self.at_bytes, math.inf)
        slower = 1 + others / 8 + workload.trim_pct / 50
        kept = 1 if workload.rate_iops else 1 / slower
        read, write = (
            self.drive.tally(int(t.ios * kept), workload.block_bytes, t.latency_ns / t.ios * slower) if t.ios else t
            for t in (counts.read, counts.write)
        )
        return Counts(counts.seconds, counts.cpu_s, read, write)

    def others(self) -> tuple[Beside, ...]:
        clock, done = self.drive.clock, []
        for load in self.workload.beside:
            counts = self.shared(load)
            done.append(Beside(counts=counts, pace=self.paced(load, counts)))
        self.drive.clock = clock
        return tuple(done)

    def paced(self, workload: Workload, counts: Counts) -> Pace | None:
        if not workload.paced:
            return None
        flush = Tally()
        if workload.sync == "flush":
            flush = self.drive.tally(counts.write.ios // workload.flush_every, 0, self.drive.truth.flush_s * 1e9)
        return Pace(flush=flush, discard=self.trimmed(workload, counts))

    def trimmed(self, workload: Workload, counts: Counts) -> Tally:
        """Trims of 20 us and 1 us for each MiB, one after the other."""
        if not workload.trim_pct:
            return Tally()
        size = workload.trim_bytes or workload.block_bytes
        each_ns = 20_000 + size * 1000 / MiB
        ios = int(counts.seconds * 1e9 / each_ns * min(workload.depth, 8) / 8)
        if workload.trim_pct < 100:
            ios = int(counts.ios * workload.trim_pct / (100 - workload.trim_pct))
        elif self.left is not None:
            ios = min(ios, -(-self.left // size))
        return self.drive.tally(ios, size, each_ns * max(workload.depth / 8, 1))

    def stop(self) -> Counts | None:
        self.pace, self.beside = None, ()
        return None

    @property
    def verified(self) -> Verified | None:
        """The last eighth of the drive loses what is written to it."""
        load, end = self.workload, self.drive.truth.capacity_bytes
        if not load.verify:
            return None
        first, until = max(self.first_bytes, end * 7 // 8), min(int(self.until_bytes), end)
        lost = Range(fault="dropped", first_bytes=first, end_bytes=until, blocks=(until - first) // BLOCK)
        bad = (lost,) if load.read_pct and first < until else ()
        return Verified(blocks=(int(self.until_bytes) - self.first_bytes) // BLOCK, bad=bad)


class Surveying(Load):
    """A survey of a drive whose places are all alike."""

    total = NONE

    def next(self) -> Counts | None:
        counts = super().next()
        self.total += counts.read if counts else NONE
        return counts

    def taken(self) -> Surveyed:
        many = len(places(self.workload))
        cells: list[dict[int, int]] = [{} for _ in range(many)]
        for index, count in self.total.bins.items():
            for n, bins in enumerate(cells):
                share = count // many + (n < count % many)
                bins[index >> SHIFT] = bins.get(index >> SHIFT, 0) + share
        self.total = NONE
        found = (Cell({at: n for at, n in bins.items() if n}, {}, sum(bins.values()) // 4) for bins in cells)
        return Surveyed(cells=tuple(found), last=True)


class SyntheticDevice:
    """The same drive as the runner's device."""

    def __init__(self, drive: Synthetic, identity: Identity) -> None:
        self.drive, self.identity, self.door = drive, identity, Door("still")
        self.door.writes = True

    def purge(self) -> Sentence:
        self.drive.fresh()
        return Sentence("purge_nothing")

    def health(self) -> dict[str, Any]:
        return {"temperature_c": 40 + 20 * (1 - math.exp(-self.drive.clock / 3600))}


def identity(truth: Truth, **facts: Any) -> Identity:
    known: dict[str, Any] = {"interface": "NVMe", "firmware": "1.0", "rotational": bool(truth.outer_bps)}
    known["facts"] = {} if truth.outer_bps else {"trim_max_bytes": 1 << 30}
    return Identity(
        kind="synthetic",
        target="synthetic",
        path="synthetic",
        capacity_bytes=truth.capacity_bytes,
        model=truth.model,
        serial=truth.serial,
        virtual=True,
        **{**known, **facts},
    )


def events(
    names: Iterable[str],
    truth: Truth | None = None,
    *,
    profile: str | Profile = "enterprise-2.0.2",
    interval_s: float = 5.0,
    **changes: Any,
) -> list[Event]:
    """All events of a run of these tests on a synthetic drive; `changes` are overrides of the profile."""
    return list(told(names, Run(), truth or Truth(), profile, interval_s, changes))


def told(
    names: Iterable[str], past: Run, truth: Truth, profile: str | Profile, interval_s: float, changes: dict[str, Any]
) -> Iterator[Event]:
    """The same one by one, as `past` takes them in."""
    base = planning.load_profile(profile) if isinstance(profile, str) else profile
    chosen, deviations = planning.adjust(base, changes)
    drawn = planning.draw(names, chosen, identity(truth), deviations=deviations)
    drive = Synthetic(truth, interval_s=interval_s)
    drive.fresh()
    events = run(drawn, SyntheticDevice(drive, drawn.device), drive, seed=1, at=1_795_000_000.0, past=past)
    return metered(events, past) if any(test.requires for test in drawn.tests) else iter(events)


def made(
    *names: str,
    truth: Truth | None = None,
    profile: str | Profile = "enterprise-2.0.2",
    interval_s: float = 5.0,
    **changes: Any,
) -> Run:
    """A finished run of these tests on a synthetic drive."""
    past = Run()
    for _ in told(names, past, truth or Truth(), profile, interval_s, changes):
        pass
    return past
