"""Laws of drives whose rate depends on the load, and the engines that ask them: rests, caches, zones, depths, tails."""

from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

from stend.base.units import MB, GiB
from stend.model.counts import Counts
from stend.model.definition import Workload
from stend.model.stats import bin_edges_ns, bin_index
from stend.model.tally import Tally
from tests.drives.law import Player
from tests.synthetic import Load

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

    def start(self, workload: Workload, *, seed: int, from_bytes: int = 0, limit_bytes: int | None = None) -> Load:
        """Begin a load; how long its first sample lasts is no matter of the load before it."""
        self.interval_s = self.drive.law.interval(workload, self.since())
        return super().start(workload, seed=seed, from_bytes=from_bytes, limit_bytes=limit_bytes)

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
        return 30.0 if workload.random_pct else max(since / 20, 1.0)

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
    seen: dict[tuple[int, int], float] = field(default_factory=dict)
    KEEPS: ClassVar[dict[str, bool]] = {"none": False, "around": False, "through": True, "back": True}

    def fresh(self) -> None:
        """Empty the cache."""
        self.used, self.seen = {}, {}

    def interval(self, workload: Workload, since: float) -> float:
        """Return how long the next sample lasts: a second at the beginning of a load, as a run records it."""
        return 1.0 if self.seen.get((workload.start_bytes, workload.read_pct), 0.0) < 60 else 30.0

    def share(self, workload: Workload) -> float:
        """Return the share of hits once the cache is warm."""
        return 0.0 if self.policy == "none" else min(self.size / workload.range_bytes, 1.0)

    def answer(self, workload: Workload, at_bytes: float, seconds: float) -> Answer:
        """Return the rate of a load, which also warms its part of the drive."""
        if not workload.random_pct:
            return super().answer(workload, at_bytes, seconds)
        place = workload.start_bytes
        load = (place, workload.read_pct)
        self.seen[load] = self.seen.get(load, 0.0) + seconds
        warm = min(self.used.get(place, 0.0) / self.fill_s, 1.0) if workload.range_bytes < 64 * GiB else 0.0
        if workload.range_bytes < 64 * GiB and (workload.read_pct or self.KEEPS[self.policy]):
            self.used[place] = self.used.get(place, 0.0) + seconds
        return self.rate(workload, warm)

    def rate(self, workload: Workload, warm: float) -> Answer:
        """Return the rate of a load on a part that is so warm."""
        hits, depth, reads = warm * self.share(workload), workload.outstanding, workload.read_pct / 100
        read = ((hits, 1 / self.hit), (1 - hits, (depth + self.half) / depth / self.media))
        write = (
            ((hits, 1 / self.hit), (1 - hits, 1 / self.writes)) if self.policy == "back" else ((1.0, 1 / self.writes),)
        )
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
        begin, size = workload.start_bytes, workload.range_bytes or self.capacity
        place = (begin + (at_bytes - begin) % size) % self.capacity / self.capacity
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
        slow = usual * (self.times if self.share > 1e-4 else 1)
        return sum(bin_edges_ns(bin_index(slow * 1e9))) / 2e9
