"""Kinds of drives that are written once from end to end: SLC caches and everything that looks like one."""

import math
import random
from typing import Any

from stend.base.units import GB, MB
from tests.drives.events import any_event, told
from tests.drives.law import LIKELY, UNKNOWN, Drive, Level, Shape

NONE: frozenset[str] = frozenset()
PLACE, END = frozenset({"place"}), frozenset({"end"})


def log(dice: random.Random, low: float, high: float) -> float:
    """Return a number whose logarithm is even between those of `low` and `high`."""
    return math.exp(dice.uniform(math.log(low), math.log(high)))


def size(dice: random.Random, low: float = 64, high: float = 4000) -> int:
    """Return a capacity between `low` and `high` GB."""
    return int(log(dice, low, high) * GB)


def drive(dice: random.Random, levels: list[Level], capacity: int, **more: Any) -> Drive:
    """Return a sequential drive with a little noise."""
    return Drive("slc-cache", capacity, levels, **{"noise": dice.uniform(0.002, 0.03)} | more)


def cached(
    dice: random.Random, low: float = 64, high: float = 4000, share: tuple[float, float] = (0.02, 0.3), **more: Any
) -> Drive:
    """Return a drive with a cache of a share of its capacity; the fall is 1.5 to 8 times."""
    capacity = size(dice, low, high)
    fast = log(dice, 400, 7000) * MB
    until = log(dice, *share) * capacity
    return drive(dice, [Level(fast, until), Level(fast / log(dice, 1.5, 8))], capacity, **more)


def static(dice: random.Random) -> Drive:
    return cached(dice)


def small(dice: random.Random) -> Drive:
    """A drive of 4 to 64 GB: written within seconds to minutes."""
    capacity = size(dice, 4, 64)
    fast = capacity / log(dice, 40, 300)
    return drive(dice, [Level(fast, dice.uniform(0.1, 0.4) * capacity), Level(fast / log(dice, 1.5, 8))], capacity)


def large(dice: random.Random) -> Drive:
    return cached(dice, 4000, 60_000, (0.005, 0.2))


def dynamic(dice: random.Random) -> Drive:
    """Three levels: cache, direct writes, and writes beside the folding of the cache."""
    capacity, fast = size(dice, 120, 4000), log(dice, 1500, 7000) * MB
    middle = fast / dice.uniform(1.6, 3.5)
    first, second = dice.uniform(0.03, 0.25), dice.uniform(0.4, 0.75)
    levels = [Level(fast, first * capacity), Level(middle, second * capacity), Level(middle / dice.uniform(1.5, 4))]
    return drive(dice, levels, capacity)


def brief(dice: random.Random) -> Drive:
    """A plateau of 10 to 40 s."""
    capacity, fast = size(dice, 240, 2000), dice.uniform(1000, 5000) * MB
    return drive(dice, [Level(fast, fast * dice.uniform(10, 40)), Level(fast / dice.uniform(1.7, 6))], capacity)


def noisy(dice: random.Random) -> Drive:
    """Correlated noise."""
    return cached(dice, 240, 2000, tells=NONE, noise=dice.uniform(0.1, 0.4), tau_s=log(dice, 1, 50))


def sata(dice: random.Random) -> Drive:
    """The link caps the cache."""
    cap = dice.uniform(500, 560) * MB
    capacity = size(dice, 120, 2000)
    levels = [Level(cap * 2, dice.uniform(0.03, 0.3) * capacity), Level(cap / dice.uniform(1.5, 7))]
    return drive(dice, levels, capacity, cap=cap, facts={"interface": "SATA 6 Gbit/s"})


def slight(dice: random.Random) -> Drive:
    """A step of 6 to 18 %: too small to call a cache."""
    capacity, fast = size(dice), log(dice, 400, 5000) * MB
    levels = [Level(fast, dice.uniform(0.1, 0.6) * capacity), Level(fast * dice.uniform(0.82, 0.94))]
    return drive(dice, levels, capacity, form="slight", tells=END)


def flat(dice: random.Random) -> Drive:
    more = {"noise": dice.uniform(0.01, 0.3), "tau_s": dice.choice([0, log(dice, 1, 20)])}
    return drive(dice, [Level(log(dice, 100, 6000) * MB)], size(dice, 64, 2000), tells=END, **more)


def shaped(dice: random.Random, shape: Shape, levels: list[Level], capacity: int, **more: Any) -> Drive:
    return drive(dice, levels, capacity, shape=shape, **more)


def sawtooth(dice: random.Random) -> Drive:
    """After the cache the rate alternates between two values: a drive without DRAM that folds in turns."""
    capacity, fast = size(dice, 240, 2000), dice.uniform(1500, 5000) * MB
    until, period = dice.uniform(0.05, 0.25) * capacity, dice.uniform(15, 90)
    begin, deep = until / fast, dice.uniform(0.3, 0.7)
    share = dice.uniform(0.3, 0.7)
    levels = [Level(fast, until), Level(fast / dice.uniform(2, 4))]
    return shaped(
        dice, lambda t: deep if t > begin * 1.02 and t % period < share * period else 1.0, levels, capacity,
        mean=1 - share * (1 - deep), end=LIKELY, tells=PLACE, grain_s=period / 8,
    )  # fmt: skip


def last_slower(dice: random.Random) -> Drive:
    """The last 5 to 40 % are slower: no cache is so large."""
    capacity, fast = size(dice, 120, 2000), log(dice, 300, 3000) * MB
    levels = [Level(fast, dice.uniform(0.6, 0.95) * capacity), Level(fast / dice.uniform(1.5, 4))]
    return drive(dice, levels, capacity, form="late", place=UNKNOWN, end=UNKNOWN, tells=NONE)


def paused(dice: random.Random) -> Drive:
    """One pause in the middle."""
    capacity, fast = size(dice, 120, 2000), log(dice, 300, 3000) * MB
    at, long = capacity / fast * dice.uniform(0.2, 0.7), capacity / fast * dice.uniform(0.01, 0.05)
    return shaped(
        dice, lambda t: 0.02 if at < t < at + long else 1.0, [Level(fast)], capacity, form="flat", tells=END,
        pause=(at, long), grain_s=max(long / 4, 1),
    )  # fmt: skip


def stalls(dice: random.Random) -> Drive:
    """A drive without a cache that stalls at regular times."""
    every, long = dice.uniform(20, 120), dice.uniform(2, 10)
    level = [Level(log(dice, 300, 3000) * MB)]
    shape = lambda t: 0.05 if t % every < long else 1.0  # noqa: E731
    return shaped(
        dice,
        shape,
        level,
        size(dice, 240, 2000),
        form="flat",
        mean=1 - 0.95 * long / every,
        tells=NONE,
        grain_s=long,
        period_s=every,
    )


def slow_start(dice: random.Random) -> Drive:
    """The rate climbs for 3 to 20 s."""
    capacity, fast, ramp = size(dice, 240, 2000), dice.uniform(1000, 5000) * MB, dice.uniform(3, 20)
    levels = [Level(fast, dice.uniform(0.1, 0.3) * capacity), Level(fast / dice.uniform(1.5, 6))]
    return shaped(dice, lambda t: 0.2 + 0.8 * min(t / ramp, 1), levels, capacity)


def zones(dice: random.Random) -> Drive:
    """A disk, its zones in stairs or smooth: no step may be called a cache."""
    outer, capacity = dice.uniform(150, 280) * MB, size(dice, 300, 2000)
    inner, stairs = outer * dice.uniform(0.45, 0.65), dice.choice([12, 24, 400])
    levels = [
        Level(outer + (inner - outer) * (n + 0.5) / stairs, capacity * (n + 1) / stairs) for n in range(stairs)
    ]  # fmt: skip
    return drive(dice, levels, capacity, form="gradual", facts={"rotational": True}, tells=NONE)


def rises(dice: random.Random) -> Drive:
    """The rate rises on the way."""
    capacity, low = size(dice), dice.uniform(300, 900) * MB
    levels = [Level(low, dice.uniform(0.2, 0.7) * capacity), Level(low * dice.uniform(1.3, 3))]
    return drive(dice, levels, capacity, form="rising", tells=NONE)


def neighbour(dice: random.Random) -> Drive:
    """Something slows the drive down for a while."""
    fast, capacity = log(dice, 500, 3000) * MB, size(dice, 240, 2000)
    first, deep = dice.uniform(0.1, 0.3) * capacity, dice.uniform(0.2, 0.6)
    levels = [Level(fast, first), Level(fast * deep, 0.5 * capacity)]
    pause = (first / fast, (0.5 * capacity - first) / fast / deep)
    found = drive(dice, [*levels, Level(fast)], capacity, form="rising", place=LIKELY, tells=NONE)
    found.pause, found.pause_share = pause, deep
    return found


def late_heat(dice: random.Random) -> Drive:
    """Heat slows the drive down once; the looks see 60 to 69 degrees and no counter."""
    top = dice.randrange(60, 70)
    found = cached(dice, 240, 2000, place=LIKELY, end=LIKELY, tells=NONE)
    found.health = lambda clock: {"temperature_c": 35 if clock <= 0 else top}
    found.form = "late heat"
    return found


def caused(dice: random.Random) -> Drive:
    """An event slows the drive down: it has no cache."""
    event = any_event(dice)
    found = cached(dice, 240, 2000)
    first, last = found.levels
    since = first.until / first.rate
    found.levels = [Level(first.rate, until_s=since), last]
    found.place = found.end = UNKNOWN
    return struck(found, event, since)


def struck(found: Drive, event: str, since: float) -> Drive:
    """Let the event happen to the drive."""
    found.health, found.event, found.event_s, found.tells = told(event, since), event, since, NONE
    return found


def beside(dice: random.Random) -> Drive:
    """A drive with a cache; an event happens at another time, so its end is likely at most."""
    found, event = cached(dice, 240, 2000), any_event(dice)
    first = found.levels[0]
    cache_s = first.until / first.rate
    rest_s = (found.capacity - first.until) / found.levels[1].rate
    since = dice.choice([cache_s * 0.5, cache_s + rest_s * dice.uniform(0.2, 0.9)])
    found.place = found.end = LIKELY
    return struck(found, event, since)


def broken_sensor(dice: random.Random) -> Drive:
    """A sensor that states an impossible temperature says nothing of heat."""
    found, value = cached(dice, 240, 2000), dice.choice([-273, 0])
    found.health = lambda clock: {"temperature_c": value}
    return found


def two_sensors(dice: random.Random) -> Drive:
    """A second sensor is 75 to 95 degrees hot beside the first at 50 to 65."""
    found, first, second = cached(dice, 240, 2000), dice.randrange(50, 66), dice.randrange(75, 96)
    found.health = lambda clock: {"temperature_c": first, "temperature_2_c": second if clock > 0 else 40}
    found.place = found.end = LIKELY
    found.tells = NONE
    return found


def quick(dice: random.Random) -> Drive:
    """A run of seconds, as `--quick` makes it, of a small range."""
    return cached(dice, 120, 2000, quick=True, place=UNKNOWN, end=UNKNOWN, tells=NONE)


FILLED = {
    "cache": static, "cache, 4 to 64 GB": small, "cache, 4 to 60 TB": large, "cache, three levels": dynamic,
    "cache of 10 to 40 s": brief, "cache, correlated noise": noisy, "cache behind SATA": sata,
    "fill: slight step": slight, "fill: even": flat, "fill: sawtooth after the cache": sawtooth,
    "fill: last part slower": last_slower, "fill: one pause": paused, "fill: regular stalls": stalls,
    "cache, slow start": slow_start, "fill: zones of a disk": zones, "fill: rises": rises, "fill: neighbour": neighbour,
    "fill: late heat, no counter": late_heat, "fill: event slows it": caused, "cache, event beside": beside,
    "cache, broken sensor": broken_sensor, "cache, hot second sensor": two_sensors,
    "cache, quick run": quick,
}  # fmt: skip
