"""Kinds of drives that are written at random for hours: knees, unsettled levels, and courses that look like a knee."""

import math
import random
from typing import Any

from tests.drives.events import any_event, told
from tests.drives.filled import END, NONE, PLACE, log, size, struck
from tests.drives.law import HEATS, LIKELY, UNKNOWN, Drive, Level

BLOCK = 4096


def drive(dice: random.Random, levels: list[Level], capacity: int, minutes: float, **more: Any) -> Drive:
    """Return a drive with a little noise and a claim well above or below its last level."""
    claimed = levels[-1].rate * dice.choice([dice.uniform(0.5, 0.8), dice.uniform(1.25, 2)])
    sheet = {"class": "enterprise", "claimed": {"rand_write_4k": round(claimed)}}
    usual: dict[str, Any] = {"noise": dice.uniform(0.002, 0.03), "sheet": sheet}
    return Drive("write-saturation", capacity, levels, minutes=max(round(minutes), 1), **(usual | more))


def minutes_of(levels: list[Level], capacity: int, fills: float = 2.3) -> float:
    """Return how long the levels take until `fills` are written and the last level has had a third of the time."""
    seconds, written = 0.0, 0.0
    for level in levels[:-1]:
        seconds, written = seconds + (level.until - written) / level.rate / BLOCK, level.until
    rest = max(fills * capacity - written, 0.0) / levels[-1].rate / BLOCK
    return (seconds + max(rest, seconds / 2)) / 60


def settling(dice: random.Random, low: float, high: float, **more: Any) -> Drive:
    """Return a drive of `low` to `high` GB with one knee, and a run that sees its end."""
    capacity, start = size(dice, low, high), log(dice, 20e3, 400e3)
    pool, end = dice.uniform(1.02, 1.6), start / log(dice, 1.5, 14)
    levels = [Level(start, pool * capacity, over=capacity * dice.choice([0, dice.uniform(0.002, 0.02)])), Level(end)]
    return drive(
        dice, levels, capacity, min(max(minutes_of(levels, capacity), 90) * dice.uniform(1, 1.5), 1440), **more
    )


def knee(dice: random.Random) -> Drive:
    return settling(dice, 64, 1000)


def early(dice: random.Random) -> Drive:
    """The knee comes before the first fill: a drive whose map or cache is used up."""
    capacity, start = size(dice, 64, 1000), log(dice, 50e3, 400e3)
    levels = [Level(start, dice.uniform(0.05, 0.8) * capacity), Level(start / log(dice, 2, 12))]
    return drive(dice, levels, capacity, max(minutes_of(levels, capacity), 60))


def tiny(dice: random.Random) -> Drive:
    """4 to 40 GB: its first level is over within seconds or minutes."""
    capacity, start = size(dice, 4, 40), log(dice, 50e3, 400e3)
    levels = [Level(start, dice.uniform(1.02, 1.5) * capacity), Level(start / log(dice, 2, 12))]
    return drive(dice, levels, capacity, dice.choice([60, 120, 360]))


def small(dice: random.Random) -> Drive:
    """16 to 128 GB at 100,000 IOPS and more, ten hours."""
    capacity, start = size(dice, 16, 128), log(dice, 100e3, 400e3)
    levels = [Level(start, dice.uniform(1.02, 1.6) * capacity), Level(start / log(dice, 2, 12))]
    return drive(dice, levels, capacity, 600)


def huge(dice: random.Random) -> Drive:
    """4 to 60 TB: the run ends long before the first level does."""
    start = log(dice, 30e3, 400e3)
    capacity, minutes = size(dice, 4000, 60_000), dice.choice([120, 360, 600])
    capacity = max(capacity, int(start * BLOCK * minutes * 60 / 0.9))
    levels = [Level(start, dice.uniform(1.02, 1.6) * capacity), Level(start / log(dice, 2, 12))]
    return drive(dice, levels, capacity, minutes, place=UNKNOWN, end=UNKNOWN, tells=NONE)


def stopped(dice: random.Random) -> Drive:
    """The run ends between the knee and two fills."""
    capacity, start = size(dice, 120, 2000), log(dice, 50e3, 400e3)
    pool, end = dice.uniform(1.02, 1.3), start / log(dice, 2, 10)
    levels = [Level(start, pool * capacity), Level(end)]
    seconds = pool * capacity / start / BLOCK + dice.uniform(0.15, 0.5) * capacity / end / BLOCK
    return drive(dice, levels, capacity, seconds / 60, end=UNKNOWN, tells=PLACE)


def three(dice: random.Random) -> Drive:
    """An SLC burst, a level of free blocks, and the end. The burst lasts for seconds or for minutes."""
    capacity, start = size(dice, 64, 1000), log(dice, 100e3, 400e3)
    burst = start * BLOCK * log(dice, 8, 400)
    middle = start / dice.uniform(1.5, 3.5)
    second = max(dice.uniform(1.02, 1.4) * capacity, 2 * burst)
    levels = [Level(start, burst), Level(middle, second), Level(middle / dice.uniform(2, 6))]
    return drive(dice, levels, capacity, max(minutes_of(levels, capacity), 60))


def slow_fall(dice: random.Random) -> Drive:
    """The fall takes 3 to 15 % of the capacity."""
    capacity, start = size(dice, 64, 600), log(dice, 50e3, 300e3)
    levels = [Level(start, dice.uniform(1.02, 1.4) * capacity, over=dice.uniform(0.03, 0.15) * capacity)]
    levels += [Level(start / log(dice, 3, 10))]
    return drive(dice, levels, capacity, max(minutes_of(levels, capacity, 3.5), 120))


def overshoot(dice: random.Random) -> Drive:
    """Cleaning begins late: the rate falls below the last level for a while."""
    capacity, start = size(dice, 64, 1000), log(dice, 50e3, 300e3)
    end, pool = start / log(dice, 3, 8), dice.uniform(1.02, 1.3)
    dip = pool + dice.uniform(0.02, 0.08)
    levels = [Level(start, pool * capacity), Level(end * dice.uniform(0.5, 0.8), dip * capacity), Level(end)]
    return drive(dice, levels, capacity, max(minutes_of(levels, capacity), 120))


def rises_later(dice: random.Random) -> Drive:
    """After hours the rate rises to 1.3 to 2.2 times and stays there."""
    capacity, start = size(dice, 64, 600), log(dice, 50e3, 300e3)
    end, pool = start / log(dice, 4, 10), dice.uniform(1.02, 1.3)
    late = pool + dice.uniform(0.5, 1.2)
    levels = [Level(start, pool * capacity), Level(end, late * capacity), Level(end * dice.uniform(1.3, 2.2))]
    return drive(dice, levels, capacity, max(minutes_of(levels, capacity), 120), end=LIKELY, tells=PLACE)


def swings(dice: random.Random) -> Drive:
    """The end swings by 15 to 35 % with a period of 20 to 240 minutes."""
    found, deep = settling(dice, 64, 1000), dice.uniform(0.15, 0.35)
    begin = found.levels[0].until / found.levels[0].rate / BLOCK
    period = min(dice.uniform(20, 240), (found.minutes - begin / 60) / 1.3) * 60
    found.shape = lambda t: 1 + deep * math.sin(2 * math.pi * (t - begin) / period) if t > begin else 1.0
    found.end, found.tells = LIKELY, PLACE
    return found


def stalling(dice: random.Random) -> Drive:
    """The end has stalls of 1 to 8 s every half to five minutes."""
    found, every, long = settling(dice, 64, 600), dice.uniform(30, 300), dice.uniform(1, 8)
    begin = found.levels[0].until / found.levels[0].rate / BLOCK
    found.shape = lambda t: 0.02 if t > begin + 5 and t % every < long else 1.0
    found.mean, found.grain_s, found.period_s = 1 - 0.98 * long / every, 5, every
    return found


def paused(dice: random.Random) -> Drive:
    """An even drive with one pause of a minute to twenty."""
    found = flat(dice)
    at, long = found.minutes * 60 * dice.uniform(0.2, 0.7), dice.uniform(60, 1200)
    found.noise, found.tau_s, found.shape = 0.01, 0, lambda t: 0.01 if at < t < at + long else 1.0
    found.pause = (at, long)
    return found


def flat(dice: random.Random, noise: float = 0.03) -> Drive:
    """One level, at least 2.5 fills."""
    capacity, rate = size(dice, 64, 1000), log(dice, 20e3, 400e3)
    minutes = max(2.5 * capacity / rate / BLOCK / 60, 90)
    return drive(
        dice,
        [Level(rate)],
        capacity,
        min(minutes, 1440) + 1,
        noise=dice.uniform(0.002, noise),
        tells=END,
    )


def flat_noise(dice: random.Random) -> Drive:
    found = flat(dice, 0.4)
    found.tau_s, found.tells = log(dice, 1, 300), NONE
    return found


def knee_noise(dice: random.Random) -> Drive:
    """A knee in correlated noise of 10 to 40 %."""
    more = {"noise": dice.uniform(0.1, 0.4), "tau_s": log(dice, 1, 120)}
    return settling(dice, 64, 1000, **more, tells=NONE)


def drift(dice: random.Random) -> Drive:
    """The last level sinks by 15 to 40 % of itself until the end of the run and goes on sinking."""
    found, deep = settling(dice, 64, 600), dice.uniform(0.15, 0.4)
    begin, last = found.levels[0].until / found.levels[0].rate / BLOCK, found.minutes * 60
    found.shape = lambda t: 1 - deep * max(t - begin, 0) / (last - begin)
    found.form, found.end, found.tells, found.sheet = "falling", UNKNOWN, PLACE, {}
    return found


def endless(dice: random.Random) -> Drive:
    """The rate declines for ever and has no level."""
    found, scale = flat(dice), dice.uniform(0.05, 0.5)
    last = found.minutes * 60
    found.shape = lambda t: 1 / (1 + t / last / scale)
    found.form, found.place, found.end, found.tells, found.sheet = "falling", LIKELY, UNKNOWN, NONE, {}
    return found


def rising(dice: random.Random) -> Drive:
    """The rate rises from the beginning to the end."""
    found, gain = flat(dice), dice.uniform(1.3, 4)
    last = found.minutes * 60
    found.shape = lambda t: 1 + (gain - 1) * t / last
    found.form, found.end, found.tells, found.sheet = "rising", UNKNOWN, NONE, {}
    return found


def capped(dice: random.Random) -> Drive:
    """The host caps the fresh drive."""
    found = settling(dice, 64, 1000)
    found.cap = found.levels[0].rate * dice.uniform(0.75, 0.95)
    if found.cap < found.levels[1].rate * 1.3:
        found.cap = found.levels[0].rate
    return found


def cycles(dice: random.Random) -> Drive:
    """The rate switches between two values from some time on; half of the drives state throttling."""
    found, deep = flat(dice), dice.uniform(0.2, 0.6)
    period, share, last = log(dice, 100, 4000), dice.uniform(0.3, 0.7), found.minutes * 60
    begin = last * dice.uniform(0.05, 0.3)
    found.shape = lambda t: deep if t > begin and (t - begin) % period > (1 - share) * period else 1.0
    found.mean, found.end, found.place, found.tells, found.sheet = 1 - share * (1 - deep), LIKELY, LIKELY, NONE, {}
    found.period_s = period
    if dice.random() < 0.5:
        event = dice.choice(HEATS)
        found.health, found.event, found.event_s, found.end = told(event, begin), event, begin, UNKNOWN
    return found


def neighbour(dice: random.Random) -> Drive:
    """Something else slows the drive down for a while."""
    found, deep = flat(dice), dice.uniform(0.2, 0.6)
    begin = found.minutes * 60 * dice.uniform(0.1, 0.3)
    after = begin + found.minutes * 60 * dice.uniform(0.1, 0.3)
    found.shape = lambda t: deep if begin < t < after else 1.0
    found.place, found.tells, found.pause, found.pause_share = LIKELY, NONE, (begin, after - begin), deep
    return found


def late_heat(dice: random.Random) -> Drive:
    """Heat slows an even drive down once; the looks see at most 69 degrees and no counter."""
    found, deep, top = flat(dice), dice.uniform(0.25, 0.7), dice.randrange(60, 70)
    begin = found.minutes * 60 * dice.uniform(0.2, 0.6)
    rate = found.levels[0].rate
    found.levels = [Level(rate, until_s=begin), Level(rate * deep)]
    found.health = lambda clock: {"temperature_c": min(round(35 + (top - 35) * clock / begin), top)}
    found.place, found.end, found.tells, found.sheet = LIKELY, LIKELY, NONE, {}
    return found


def caused(dice: random.Random) -> Drive:
    """An event slows an even drive down."""
    found, event = late_heat(dice), any_event(dice)
    return struck(found, event, found.levels[0].until_s)


def beside(dice: random.Random) -> Drive:
    """A drive with a knee, and an event at another time."""
    found, event = settling(dice, 64, 600), any_event(dice)
    first = found.levels[0].until / found.levels[0].rate / BLOCK
    since = dice.choice([first * dice.uniform(0.3, 0.8), first + (found.minutes * 60 - first) * dice.uniform(0.2, 0.8)])
    found.place = found.end = LIKELY
    return struck(found, event, since)


def broken_sensor(dice: random.Random) -> Drive:
    """A sensor that states -273 or 0 degrees."""
    found, value = knee(dice), dice.choice([-273, 0])
    found.health = lambda clock: {"temperature_c": value}
    return found


def quick(dice: random.Random) -> Drive:
    """A run of seconds, as `--quick` makes it."""
    capacity, start = size(dice, 64, 1000), log(dice, 50e3, 300e3)
    levels = [Level(start, dice.uniform(0.0002, 1.2) * capacity), Level(start / log(dice, 2, 10))]
    return drive(dice, levels, capacity, 600, quick=True, place=LIKELY, end=UNKNOWN, tells=NONE)


def sought(dice: random.Random) -> Drive:
    """A run that ends where the rule of the reviews finds steady state: perhaps before the fall."""
    found = dice.choice([knee, early, slow_fall, huge, drift, flat_noise])(dice)
    found.settings, found.minutes = {"seek_steady": True}, 1440
    return found


SATURATED = {
    "knee": knee, "knee before one fill": early, "knee, 4 to 40 GB": tiny, "knee, 16 to 128 GB, ten hours": small,
    "no fill of 4 to 60 TB": huge, "stopped before two fills": stopped, "three levels": three, "slow fall": slow_fall,
    "overshoot": overshoot, "rises later": rises_later, "end swings": swings, "end with stalls": stalling,
    "even, one pause": paused, "even": flat, "even, correlated noise": flat_noise, "knee, correlated noise": knee_noise,
    "end drifts": drift, "endless decline": endless, "rises all the time": rising, "capped by the host": capped,
    "cycles": cycles, "neighbour": neighbour, "late heat, no counter": late_heat, "event slows it": caused,
    "knee, event beside": beside, "knee, broken sensor": broken_sensor, "steady state sought": sought,
    "quick run": quick,
}  # fmt: skip
