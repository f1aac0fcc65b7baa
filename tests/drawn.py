"""Drives of known truth, drawn by a seed: a rate in closed form of time and bytes written, and the shape of it.

A kind is a function of dice. What findings say of a drive is held against its shape in `tests.judged`.
"""

import math
import random
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from stend import plan as planning
from stend.definition import Identity, Workload
from stend.record import Counts, Run, Tally
from stend.run import run
from stend.units import GB, MB, KiB
from tests.synthetic import Synthetic, SyntheticDevice, Truth, identity

PARTS = 8
"""An interval is summed up from so many pieces."""
HOURS = 10
Rate = Callable[[float, float], float]
"""(seconds since the beginning, bytes written) -> bytes per second for SLC and zones, IOPS for saturation."""
Health = Callable[[float], dict[str, Any]]


@dataclass
class Drawn:
    """A drive, the test it is put through, and the truth of it.

    `shape` is "steps", "flat", "gradual", "knee", "falling", "restless" or "rising"; `size` the bytes of its first
    level, `first` and `last` its levels, `lasting` the level that it would keep for ever (None if it has none); from
    `hot` seconds on it says that it throttles.
    """

    shape: str
    rate: Rate
    test: str = "write-saturation"
    capacity: int = 480 * GB
    first: float = 0.0
    last: float = 0.0
    lasting: float | None = None
    size: float = 0.0
    steps: int = 1
    noise: float = 0.02
    since: float = 0.0
    hot: float = math.inf
    health: Health = lambda clock: {"temperature_c": 45.0}
    periodic: bool = False
    facts: dict[str, Any] = field(default_factory=dict)


class Curve(Synthetic):
    """The engine of a drawn drive."""

    drawn: Drawn

    def step(self, workload: Workload, seconds: float, at_bytes: float, most_bytes: float) -> Counts:
        """One interval, summed up in small pieces."""
        block, used, moved = workload.block_bytes, 0.0, 0.0
        scale = 1.0 if workload.random_pct == 0 else float(block)
        for _ in range(PARTS):
            place = at_bytes + moved if self.drawn.test == "lba-profile" else self.written
            rate = max(self.drawn.rate(self.clock, place) * scale, 1.0)
            piece = min(seconds / PARTS, (most_bytes - moved) / rate)
            self.clock, used, moved = self.clock + piece, used + piece, moved + rate * piece
            self.written += rate * piece if workload.read_pct == 0 else 0
            if moved >= most_bytes * (1 - 1e-9):
                break
        share = min(max(1 + self.dice.gauss(0, self.drawn.noise), 0.02), most_bytes / moved)
        ios = max(round(moved / block * share), 1)
        tally = self.plain(ios, block, workload.outstanding * used / ios * 1e9)
        return Counts(used, used * 0.2, *((tally, Tally()) if workload.read_pct else (Tally(), tally)))

    def plain(self, ios: int, block: int, art_ns: float) -> Tally:
        """All IOs took about the same."""
        return Tally(ios, ios * block, ios * art_ns, ios * art_ns**2, art_ns, {})


class Device(SyntheticDevice):
    """Tells what a drawn drive tells of its heat."""

    def __init__(self, drive: Curve, identity: Identity) -> None:
        super().__init__(drive, identity)
        self.curve = drive

    def health(self) -> dict[str, Any]:
        return self.curve.drawn.health(self.curve.clock)


def ran(drawn: Drawn, seed: int = 1) -> Run:
    """Its run of the test that it was drawn for."""
    seek = drawn.capacity % 2 == 0 and drawn.test == "write-saturation"
    settings: dict[str, dict[str, Any]] = {
        "slc-cache": {"full_pct": [], "rest_minutes": 1},
        "write-saturation": {"minutes": HOURS * 60, "seek_steady": seek, "histogram_minutes": 0},
    }
    own = settings.get(drawn.test, {})
    truth = Truth(capacity_bytes=drawn.capacity // (128 * KiB) * (128 * KiB))
    profile, told = planning.adjust(planning.load_profile("review"), {"tests": {drawn.test: own}})
    plan = planning.draw([drawn.test], profile, identity(truth, **drawn.facts), deviations=told)
    drive = Curve(truth, interval_s=20.0 if drawn.test == "write-saturation" else 1.0)
    drive.drawn, drive.dice = drawn, random.Random(seed)
    drive.fresh()
    return Run(list(run(plan, Device(drive, plan.device), drive, seed=seed, at=1_795_000_000.0)))


def stepwise(*levels: tuple[float, float]) -> Rate:
    """((until so many bytes, rate), ...)."""
    return lambda clock, written: next(rate for until, rate in levels if written < until)


def switched(high: float, low: float, slow: Callable[[float], bool]) -> Rate:
    return lambda clock, written: low if slow(clock) else high


def telegraph(dice: random.Random, usual_s: float) -> Callable[[float], bool]:
    """Slow or not, at random times."""
    changes, at = [], 0.0
    while at < HOURS * 3600:
        at += dice.expovariate(1 / usual_s)
        changes.append(at)
    return lambda clock: bisect_left(changes, clock) % 2 == 1 if clock < changes[-1] else False


def throttles(dice: random.Random, since_s: float) -> tuple[Health, float]:
    """One of the ways in which a drive tells that it slows down, or only how hot it is."""
    ways: list[Health] = [
        lambda clock: {"temperature_c": 66.0, "throttle_s": max(0, int(clock - since_s))},
        lambda clock: {"temperature_c": 66.0, "throttle_events": int(max(0, clock - since_s) / 30) + (clock > since_s)},
        lambda clock: {"temperature_c": 66.0, "throttled": int(clock > since_s)},
        lambda clock: {"temperature_c": 76.0, "warning_temperature_min": int(max(0, clock - since_s) / 60)},
        lambda clock: {"temperature_c": 50.0 + (clock > since_s / 2) * 28},
    ]
    way = dice.randrange(len(ways))
    return ways[way], since_s if way < 4 else math.inf


def capacity(dice: random.Random) -> int:
    """Even: the run seeks a steady state; odd: it lasts ten hours whatever comes."""
    return dice.randrange(240, 2000) * GB + dice.choice([0, 128 * KiB + 1])


# Sequential writes over the whole drive.


def cached(dice: random.Random, share: float, noise: float = 0.03) -> Drawn:
    size, fast = capacity(dice), dice.uniform(1200, 5000) * MB
    slow = fast / dice.uniform(1.4, 6)
    two = dice.random() < 0.4 and share < 0.3
    last = slow / dice.uniform(1.4, 3) if two else slow
    second = (share + dice.uniform(0.2, 0.4)) * size if two else math.inf
    return Drawn(
        "steps", stepwise((share * size, fast), (second, slow), (math.inf, last)), "slc-cache", size, first=fast,
        last=last, size=share * size, steps=3 if two else 2, noise=dice.uniform(0, noise),
    )  # fmt: skip


def small_cache(dice: random.Random) -> Drawn:
    return cached(dice, math.exp(dice.uniform(math.log(0.002), math.log(0.01))))


def large_cache(dice: random.Random) -> Drawn:
    return cached(dice, math.exp(dice.uniform(math.log(0.01), math.log(0.4))))


def noisy_cache(dice: random.Random) -> Drawn:
    return cached(dice, dice.uniform(0.01, 0.4), 0.4)


def even(dice: random.Random, rate: Rate | None = None, shape: str = "flat", **more: Any) -> Drawn:
    level = dice.uniform(400, 3000) * MB
    told: dict[str, Any] = {
        "noise": dice.uniform(0, 0.4),
        "capacity": capacity(dice),
        "first": level,
        "last": level,
    } | more
    return Drawn(shape, rate or (lambda clock, written: level), "slc-cache", **told)


def restless(dice: random.Random, slow: Callable[[float], bool], **more: Any) -> Drawn:
    high = dice.uniform(800, 2500) * MB
    return even(dice, switched(high, high * dice.uniform(0.1, 0.65), slow), "restless", noise=0.02, **more)


def slc_cycles(dice: random.Random) -> Drawn:
    start, period, duty = dice.uniform(60, 200), dice.uniform(20, 200), dice.uniform(0.2, 0.7)
    health, said = throttles(dice, start)
    silent = dice.random() < 0.5
    more: dict[str, Any] = {} if silent else {"health": health, "hot": said}
    return restless(dice, lambda t: t > start and (t - start) % period > duty * period, **more)


def slc_throttled(dice: random.Random) -> Drawn:
    start = dice.uniform(30, 120)
    health, said = throttles(dice, start)
    return restless(dice, lambda t: t > start, health=health, hot=said)


def slc_stalls(dice: random.Random) -> Drawn:
    every = dice.uniform(20, 300)
    last, phase = every * dice.uniform(0.05, 0.4), dice.uniform(0, every)
    return restless(dice, lambda t: (t + phase) % every < last)


def slc_neighbour(dice: random.Random) -> Drawn:
    begin, long = dice.uniform(20, 100), dice.uniform(15, 40)
    return restless(dice, lambda t: begin < t < begin + long)


def slc_telegraph(dice: random.Random) -> Drawn:
    return restless(dice, telegraph(dice, dice.uniform(5, 15)))


def slc_zones(dice: random.Random) -> Drawn:
    outer = dice.uniform(180, 280) * MB
    inner, size = outer * dice.uniform(0.45, 0.65), dice.randrange(300, 600) * GB
    facts = {"rotational": dice.random() < 0.5}
    return even(dice, lambda t, w: outer + (inner - outer) * min(w / size, 1), "gradual", noise=dice.uniform(0, 0.05),
                capacity=size, first=outer, last=inner, facts=facts)  # fmt: skip


def slc_rises(dice: random.Random) -> Drawn:
    low, size = dice.uniform(400, 900) * MB, capacity(dice)
    high = low * dice.uniform(1.3, 3)
    return even(
        dice,
        lambda t, w: low + (high - low) * min(w / size, 1),
        "rising",
        noise=0.03,
        capacity=size,
        first=low,
        last=high,
    )


# Random writes for hours.


def falls(written: float, size: float, start: float, end: float, pool: float, over: float) -> float:
    past = written / size - pool
    return start if past < 0 else end + (start - end) * math.exp(-past / over)


def knee(dice: random.Random, noise: float = 0.05, deep: float = 12) -> Drawn:
    size, start = capacity(dice) // 2, dice.uniform(80e3, 400e3)
    end = start / dice.uniform(1.5, deep)
    pool, over = dice.uniform(1.02, 1.6), dice.uniform(0.005, 0.03)
    return Drawn("knee", lambda t, w: falls(w, size, start, end, pool, over), capacity=size, first=start, last=end,
                 lasting=end, size=pool * size, noise=dice.uniform(0, noise))  # fmt: skip


def noisy_knee(dice: random.Random) -> Drawn:
    return knee(dice, 0.4)


def two_knees(dice: random.Random) -> Drawn:
    size, start = capacity(dice) // 2, dice.uniform(100e3, 400e3)
    middle, pool = start / dice.uniform(1.5, 3), dice.uniform(0.1, 0.4)
    end, late = middle / dice.uniform(2, 5), dice.uniform(1.05, 1.5)
    return Drawn(
        "knee",
        lambda t, w: falls(w, size, start, middle, pool, 0.01) if w < late * size else end,
        capacity=size,
        first=start,
        last=end,
        lasting=end,
    )


def level(dice: random.Random) -> Drawn:
    size, iops = capacity(dice) // 2, dice.uniform(80e3, 400e3)
    return Drawn("flat", lambda t, w: iops, capacity=size, first=iops, last=iops, lasting=iops,
                 noise=dice.uniform(0, 0.4))  # fmt: skip


def never_filled(dice: random.Random) -> Drawn:
    """Ten hours write less than it takes to reach the knee."""
    iops, pool = dice.uniform(20e3, 60e3), dice.uniform(1.05, 1.6)
    size = int(iops * 4096 * HOURS * 3600 / dice.uniform(0.2, 1.04))
    end = iops / dice.uniform(2, 8)
    return Drawn("knee", lambda t, w: falls(w, size, iops, end, pool, 0.02), capacity=size, first=iops, last=iops,
                 lasting=end)  # fmt: skip


def declining(dice: random.Random) -> Drawn:
    start, left, size = dice.uniform(60e3, 200e3), dice.uniform(0.2, 0.6), capacity(dice) // 2
    last, scale = HOURS * 3600, dice.uniform(4000, 9000)
    if dice.random() < 0.5:
        return Drawn("falling", lambda t, w: start / (1 + t / scale), capacity=size, first=start)
    return Drawn("falling", lambda t, w: start * (1 - (1 - left) * min(t / last, 1.2)), capacity=size, first=start)


def rising(dice: random.Random) -> Drawn:
    start, gain = dice.uniform(20e3, 60e3), dice.uniform(1.3, 4)
    return Drawn(
        "rising", lambda t, w: start * (1 + (gain - 1) * min(t / HOURS / 3600, 1)), capacity=capacity(dice) // 2
    )


def swings(dice: random.Random, slow: Callable[[float], bool], **more: Any) -> Drawn:
    high = dice.uniform(60e3, 300e3)
    return Drawn("restless", switched(high, high * dice.uniform(0.2, 0.6), slow), capacity=capacity(dice) // 2, **more)


def thermal_cycles(dice: random.Random) -> Drawn:
    start, period, duty = dice.uniform(600, 7200), dice.uniform(100, 4000), dice.uniform(0.3, 0.7)
    health, said = throttles(dice, start)
    more: dict[str, Any] = {} if dice.random() < 0.5 else {"health": health, "hot": said}
    more |= {"periodic": True, "since": start + duty * period}
    return swings(dice, lambda t: t > start and (t - start) % period > duty * period, **more)


def throttled(dice: random.Random) -> Drawn:
    start = dice.uniform(600, 20_000)
    health, said = throttles(dice, start)
    return swings(dice, lambda t: t > start, health=health, hot=said, since=start)


def stalls(dice: random.Random) -> Drawn:
    every = math.exp(dice.uniform(math.log(30), math.log(4000)))
    long, phase = every * dice.uniform(0.05, 0.4), dice.uniform(0, every)
    drawn = swings(dice, lambda t: (t + phase) % every < long, periodic=True)
    slow, fast = (drawn.rate(middle - phase, 0) for middle in (long / 2, (long + every) / 2))
    drawn.lasting = (slow * long + fast * (every - long)) / every
    return drawn


def neighbour(dice: random.Random) -> Drawn:
    begin, long = dice.uniform(2000, 12_000), dice.uniform(2000, 12_000)
    drawn = swings(dice, lambda t: begin < t < begin + long, since=begin)
    drawn.capacity |= 1  # ten hours, by whose end it has gone
    drawn.lasting = drawn.rate(0, 0)
    return drawn


def random_telegraph(dice: random.Random) -> Drawn:
    return swings(dice, telegraph(dice, dice.uniform(60, 3000)))


def zones(dice: random.Random) -> Drawn:
    outer = dice.uniform(180, 280) * MB
    inner, size = outer * dice.uniform(0.45, 0.8), dice.randrange(300, 900) * GB
    return Drawn("gradual", lambda t, place: outer + (inner - outer) * (place % size) / size, "lba-profile", size,
                 first=outer, last=inner, noise=dice.uniform(0, 0.1), facts={"rotational": True})  # fmt: skip


def even_reads(dice: random.Random) -> Drawn:
    rate = dice.uniform(400, 3000) * MB
    return Drawn("flat", lambda t, place: rate, "lba-profile", 480 * GB, rate, rate, noise=dice.uniform(0, 0.4))


KINDS: dict[str, Callable[[random.Random], Drawn]] = {
    "SLC cache of 0.2 to 1 %": small_cache, "SLC cache of 1 to 40 %": large_cache,
    "the same, noise to 40 %": noisy_cache,
    "no cache, noise to 40 %": even, "cache: thermal cycles": slc_cycles, "cache: throttled once": slc_throttled,
    "cache: GC stalls": slc_stalls, "cache: neighbour": slc_neighbour, "cache: random telegraph": slc_telegraph,
    "cache: zones of a disk": slc_zones, "cache: rising": slc_rises,
    "knee": knee, "knee, noise to 40 %": noisy_knee, "two knees": two_knees, "no knee, noise to 40 %": level,
    "less than one fill": never_filled, "endless decline": declining, "rising": rising,
    "thermal cycles": thermal_cycles, "throttled once": throttled, "GC stalls": stalls, "neighbour": neighbour,
    "random telegraph": random_telegraph, "zones": zones, "even reads, noise to 40 %": even_reads,
}  # fmt: skip


def draw(kind: str, seed: int, number: int) -> Drawn:
    """The drive of that number, the same for the same seed."""
    return KINDS[kind](random.Random(f"{seed} {kind} {number}"))
