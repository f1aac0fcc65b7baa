"""Kinds whose rate depends on the load: rests, caches of hybrids, zones of disks, depths, and tails."""

import math
import random
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from stend.definition import Workload
from stend.record import Counts, Tally
from stend.stats import bin_edges_ns, bin_index
from stend.units import GB, MB, GiB
from tests.drives.filled import END, log
from tests.drives.law import UNKNOWN, Drive, Level, Player
from tests.drives.saturated import flat, settling

BLOCK = 4096


class Answer(NamedTuple):
    """IOPS of a load; of reads and of writes the (share, seconds) of IOs that take so long, where they differ."""

    iops: float
    reads: tuple[tuple[float, float], ...] = ()
    writes: tuple[tuple[float, float], ...] = ()


class Served(Player):
    """An engine whose drive has a law that answers loads."""

    def fresh(self) -> None:
        """Forget everything, as after a purge."""
        super().fresh()
        self.drive.law.fresh()

    def idle(self, seconds: float) -> None:
        """Rest."""
        self.clock += seconds
        self.drive.law.rest(seconds)

    def step(self, workload: Workload, seconds: float, at_bytes: float, most_bytes: float) -> Counts:
        """Return the counts of one sample."""
        self.begun = self.clock if self.begun is None else self.begun
        law, block = self.drive.law, workload.block_bytes
        answer = law.answer(workload, at_bytes, seconds)
        iops = max(answer.iops * self.noise(seconds), 0.01)
        seconds = min(seconds, most_bytes / block / iops)
        ios = max(round(iops * seconds), 1)
        self.clock += seconds
        self.written += ios * block * (100 - workload.read_pct) / 100
        self.interval_s = law.interval(workload, self.since())
        reads, even = round(ios * workload.read_pct / 100), ((1.0, workload.outstanding / answer.iops),)
        slower = answer.iops / iops * 1e9
        read, write = (
            bars(*((round(count * share), wait_s * slower) for share, wait_s in parts or even), block=block)
            for count, parts in ((reads, answer.reads), (ios - reads, answer.writes))
        )
        return Counts(seconds, seconds * 0.2, read, write)


def bars(*parts: tuple[int, float], block: int) -> Tally:
    """Return the tally of so many IOs that took so long each."""
    parts = tuple((count, ns) for count, ns in parts if count > 0)
    if not parts:
        return Tally()
    bins: dict[int, int] = {}
    for count, ns in parts:
        index = bin_index(ns)
        bins[index] = bins.get(index, 0) + count
    ios = sum(count for count, _ in parts)
    total, squares = sum(count * ns for count, ns in parts), sum(count * ns * ns for count, ns in parts)
    return Tally(ios, ios * block, total, squares, max(ns for _, ns in parts), bins)


@dataclass
class Law:
    """A drive whose sequential loads run at `fill_bps`."""

    fill_bps: float = 500 * MB

    def fresh(self) -> None:
        """Forget everything."""

    def rest(self, seconds: float) -> None:
        """Rest."""

    def interval(self, workload: Workload, since: float) -> float:
        """Return how long the next sample lasts."""
        return 20.0 if workload.random_pct else max(since / 20, 1.0)

    def answer(self, workload: Workload, at_bytes: float, seconds: float) -> Answer:
        """Return the rate of a load."""
        return Answer(self.fill_bps / workload.block_bytes)


@dataclass
class Rests(Law):
    """Free flash of `pool` bytes is written at `fast` IOPS, then `slow`; each second of rest frees `back` bytes."""

    fast: float = 1e5
    slow: float = 1e4
    pool: float = 1e10
    back: float = 1e7
    free: float = 0.0

    def fresh(self) -> None:
        """Free everything."""
        self.free = self.pool

    def rest(self, seconds: float) -> None:
        """Free flash."""
        self.free = min(self.free + seconds * self.back, self.pool)

    def interval(self, workload: Workload, since: float) -> float:
        """Return how long the next sample lasts."""
        return 5.0 if since > 600 else 1.0

    def answer(self, workload: Workload, at_bytes: float, seconds: float) -> Answer:
        """Return the mean rate of these seconds."""
        fast_s = min(self.free / BLOCK / self.fast, seconds)
        self.free -= fast_s * self.fast * BLOCK
        return Answer((fast_s * self.fast + (seconds - fast_s) * self.slow) / seconds)

    def after(self, rest_s: float, burst_s: float = 5.0) -> float:
        """Return the mean IOPS of bursts with rests of so many seconds between them."""
        fast_s = min(rest_s * self.back / BLOCK / self.fast, burst_s)
        return (fast_s * self.fast + (burst_s - fast_s) * self.slow) / burst_s


@dataclass
class Cached(Law):
    """A disk with a flash cache of `size` bytes that is filled by use within `fill_s` seconds."""

    policy: str = "none"
    size: float = 0.0
    media: float = 300.0
    half: float = 4.0
    writes: float = 200.0
    hit: float = 8000.0
    fill_s: float = 3600.0
    used: dict[int, float] = field(default_factory=dict)
    KEEPS: ClassVar[dict[str, bool]] = {"none": False, "around": False, "through": True, "back": True}

    def fresh(self) -> None:
        """Empty the cache."""
        self.used = {}

    def share(self, workload: Workload) -> float:
        """Return the share of hits once the cache is warm."""
        return 0.0 if self.policy == "none" else min(self.size / workload.range_bytes, 1.0)

    def answer(self, workload: Workload, at_bytes: float, seconds: float) -> Answer:
        """Return the rate of a load, which also warms its part of the drive."""
        if not workload.random_pct:
            return super().answer(workload, at_bytes, seconds)
        place = workload.start_bytes
        warm = min(self.used.get(place, 0.0) / self.fill_s, 1.0) if workload.range_bytes < 64 * GiB else 0.0
        if workload.read_pct or self.KEEPS[self.policy]:
            self.used[place] = self.used.get(place, 0.0) + seconds
        return self.rate(workload, warm)

    def rate(self, workload: Workload, warm: float) -> Answer:
        """Return the rate of a load on a part that is so warm."""
        hits, depth, reads = warm * self.share(workload), workload.outstanding, workload.read_pct / 100
        read = ((hits, 1 / self.hit), (1 - hits, (depth + self.half) / depth / self.media))
        write = ((hits, 1 / self.hit), (1 - hits, 1 / self.writes)) if self.policy == "back" else ((1.0, 1 / self.writes),)
        read_s, write_s = (sum(share * each for share, each in parts) for parts in (read, write))
        waits = (tuple((share, each * depth) for share, each in parts) for parts in (read, write))
        return Answer(1 / (reads * read_s + (1 - reads) * write_s), *waits)


@dataclass
class Zoned(Law):
    """Sequential rates by place: from `outer` to `inner` bytes/s, and `slow` of it at one `spot`."""

    capacity: float = 1e12
    outer: float = 2e8
    inner: float = 1e8
    spot: tuple[float, float] = (2.0, 2.0)
    slow: float = 0.3

    def interval(self, workload: Workload, since: float) -> float:
        """Return how long the next sample lasts."""
        return 1.0 if workload.range_bytes < self.capacity / 2 else max(since / 20, 1.0)

    def answer(self, workload: Workload, at_bytes: float, seconds: float) -> Answer:
        """Return the rate at this place."""
        place = at_bytes % self.capacity / self.capacity
        rate = self.outer + (self.inner - self.outer) * place
        return Answer(rate * (self.slow if self.spot[0] <= place < self.spot[1] else 1) / workload.block_bytes)


@dataclass
class Deep(Law):
    """IOPS grow with the operations outstanding, up to `most`; `sharp` ones grow in proportion until then."""

    most: float = 4e5
    half: float = 16.0
    sharp: bool = False

    def iops(self, depth: float) -> float:
        """Return the IOPS at so many outstanding."""
        if self.sharp:
            return min(depth / self.half, 1.0) * self.most
        return self.most * depth / (depth + self.half)

    def answer(self, workload: Workload, at_bytes: float, seconds: float) -> Answer:
        """Return the rate of a load."""
        if not workload.random_pct:
            return super().answer(workload, at_bytes, seconds)
        return Answer(self.iops(workload.outstanding))


class Tailed(Player):
    """Random writes of which a share is slow, and at some times one IO is very slow."""

    last = 0.0

    def tally_of(self, workload: Workload, ios: int, art_ns: float) -> Tally:
        """Return fast and slow writes, and the very slow ones of these seconds."""
        tails: Tails = self.drive.law
        begun, self.last = self.last, self.since()
        spikes = sum(1 for at in tails.spikes if begun <= at < self.last)
        slow = round(ios * tails.share)
        usual_ns = art_ns / (1 + tails.share * (tails.times - 1))
        parts = ((ios - slow - spikes, usual_ns), (slow, usual_ns * tails.times), (spikes, tails.spike_s * 1e9))
        return bars(*parts, block=workload.block_bytes)


@dataclass
class Tails:
    """A share of writes takes `times` as long; at the times of `spikes` one write takes `spike_s`."""

    share: float
    times: float
    spikes: list[float]
    spike_s: float
    period_s: float = 0.0

    def tail(self, art_s: float) -> float:
        """Return the 99.99th percentile where the mean is `art_s`."""
        usual = art_s / (1 + self.share * (self.times - 1))
        middle = sum(bin_edges_ns(bin_index(usual * (self.times if self.share > 1e-4 else 1) * 1e9))) / 2e9
        return middle


def served(test: str, law: Law, capacity: int, dice: random.Random, **more: Any) -> Drive:
    """Return a drive with a law."""
    usual: dict[str, Any] = {"noise": dice.uniform(0.001, 0.02), "tells": END, "law": law}
    return Drive(test, capacity, [Level(1.0)], **(usual | more))


def recovering(dice: random.Random, needed: float) -> Drive:
    """A drive whose bursts are fast again after rests of `needed` seconds (none of the test's where it is large)."""
    fast, capacity = log(dice, 50e3, 200e3), int(log(dice, 16, 128) * GB)
    law = Rests(fast=fast, slow=fast / log(dice, 2, 12), pool=dice.uniform(1.05, 1.5) * capacity)
    law.back = fast * BLOCK * 5 / needed
    minutes = math.ceil((law.pool / fast + 1.5 * capacity / law.slow) / BLOCK / 60) + 20
    settings = {"saturation_minutes": minutes, "repeats": 120, "after": "saturation"}
    return served("idle-recovery", law, capacity, dice, settings=settings)


def enough(dice: random.Random) -> Drive:
    """Rests of 5 to 50 s are enough."""
    return recovering(dice, dice.choice([4, 8, 13, 20, 40]) * dice.uniform(0.9, 1.0))


def partly(dice: random.Random) -> Drive:
    """The longest rest brings back 20 to 70 %."""
    return recovering(dice, 50 / dice.uniform(0.2, 0.7))


def never(dice: random.Random) -> Drive:
    """Rests bring nothing back."""
    return recovering(dice, 1e6)


def unsaturated(dice: random.Random) -> Drive:
    """The rests begin before the drive has fallen."""
    found = recovering(dice, 20)
    law = found.law
    law.pool = law.fast * BLOCK * 60 * dice.uniform(60, 300)
    found.settings["saturation_minutes"] = 20
    found.end, found.tells = UNKNOWN, frozenset()
    return found


def hybrid(policy: str, test: str) -> Any:
    """Return the kind of hybrids with a policy."""

    def kind(dice: random.Random) -> Drive:
        half = dice.uniform(2, 8)
        law = Cached(
            150 * MB, policy, dice.uniform(5, 30) * GiB, dice.uniform(200, 600), half, dice.uniform(150, 400),
            dice.uniform(5e3, 3e4), dice.uniform(1200, 7000),
        )  # fmt: skip
        return served(test, law, int(dice.uniform(300, 1200) * GB), dice, noise=dice.uniform(0.001, 0.01))

    return kind


def zones(dice: random.Random) -> Drive:
    """A disk."""
    capacity, outer = int(dice.uniform(300, 2000) * GB), dice.uniform(120, 280) * MB
    law = Zoned(120 * MB, capacity, outer, outer * dice.uniform(0.4, 0.75))
    return served("lba-profile", law, capacity, dice, facts={"rotational": True}, noise=dice.uniform(0.001, 0.08))


def same(dice: random.Random) -> Drive:
    """Flash: every place is alike, but for a slow spot of 1 to 5 % on half of the drives."""
    capacity, rate = int(log(dice, 100, 4000) * GB), log(dice, 400, 7000) * MB
    at, wide = dice.uniform(0.2, 0.8), dice.uniform(0.01, 0.05)
    spot = (at, at + wide) if dice.random() < 0.5 else (2.0, 2.0)
    return served("lba-profile", Zoned(rate, capacity, rate, rate, spot), capacity, dice)


def ladder(dice: random.Random) -> Drive:
    """Depths of 1 to 128."""
    law = Deep(most=log(dice, 20e3, 1e6), half=log(dice, 2, 60), sharp=dice.random() < 0.5)
    settings = {"mixes": [100], "blocks_kib": [4]}
    return served("latency-curve", law, int(log(dice, 100, 2000) * GB), dice, settings=settings)


def tailed(found: Drive, dice: random.Random, spikes: list[float], period: float = 0.0) -> Drive:
    """Give a drive a tail and spikes."""
    share = dice.choice([0, dice.uniform(2e-5, 6e-5), dice.uniform(2e-4, 5e-3)])
    art_s = 256 / found.levels[-1].rate
    found.law = Tails(share, dice.uniform(3, 15), spikes, art_s * dice.uniform(30, 100), period)
    found.period_s, found.sheet, found.noise = period, {}, dice.uniform(0.001, 0.02)
    return found


def beat(dice: random.Random) -> Drive:
    """The longest waits come at an even pace of 3 to 20 minutes."""
    found, period = flat(dice), dice.uniform(180, 1200)
    found.minutes = max(found.minutes, round(period / 60 * 25))
    times = [period * (n + 0.5) for n in range(int(found.minutes * 60 / period) + 1)]
    return tailed(found, dice, times, period)


def scattered(dice: random.Random) -> Drive:
    """The longest waits come at random."""
    found, usual, at, times = flat(dice), dice.uniform(180, 1200), 0.0, []
    while at < found.minutes * 60:
        at += dice.expovariate(1 / usual)
        times.append(at)
    return tailed(found, dice, times)


def plain(dice: random.Random) -> Drive:
    """A knee, and a tail without the longest waits."""
    return tailed(settling(dice, 64, 500), dice, [])


SERVED: dict[str, Any] = {
    "rests: enough": enough, "rests: bring back a part": partly, "rests: bring nothing": never,
    "rests: before the fall": unsaturated, "depths": ladder, "disk by place": zones, "flash by place": same,
    **{f"hybrid, {policy}: {test}": hybrid(policy, test) for policy in Cached.KEEPS for test in ("cold-warm", "hot-range")},
}  # fmt: skip
TAILED = {"tail: even beat": beat, "tail: random waits": scattered, "tail after a knee": plain}
