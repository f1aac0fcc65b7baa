"""Kinds whose rate depends on the load: rests, caches of hybrids, zones of disks, depths, and tails."""

import math
import random
from typing import Any

from stend.base.units import GB, MB, GiB
from tests.drives.answers import BLOCK, Cached, Deep, Law, Rests, Tails, Zoned
from tests.drives.filled import END, log
from tests.drives.law import UNKNOWN, Drive, Level
from tests.drives.saturated import flat, settling


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


HYBRIDS = ("cold-warm", "hot-range")
SERVED: dict[str, Any] = {
    "rests: enough": enough, "rests: bring back a part": partly, "rests: bring nothing": never,
    "rests: before the fall": unsaturated, "depths": ladder, "disk by place": zones, "flash by place": same,
    **{f"hybrid, {policy}: {test}": hybrid(policy, test) for policy in Cached.KEEPS for test in HYBRIDS},
}  # fmt: skip
TAILED = {"tail: even beat": beat, "tail: random waits": scattered, "tail after a knee": plain}
