"""SLC cache: steps of sequential writing over the whole drive; its size and levels, fresh, rested and part full."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import log
from statistics import median
from typing import Any

import numpy as np

from stend.findings import Confidence, Finding, Sheet, look
from stend.findings.look import grounds
from stend.findings.look.fall import Fall, falls, stretches
from stend.findings.look.grounds import Because, Ground
from stend.findings.look.levels import FEWEST, NOISE, Level, boundary, levels, quieted, scatter, sharp, smooth
from stend.findings.look.pause import pause
from stend.findings.look.pieces import Line, of_counts
from stend.model.counts import Counts
from stend.model.definition import PlannedTest
from stend.model.record import Run

NAME = "slc_cache"
LEAST_RATIO, LEAST_RISE = 1.25, 1.1
BRIEF = 0.01
"""A slow start and a short last level that hold less than this part of what was written are none; a rise is one."""
MOST = 0.55
"""Of the capacity: one bit in each cell that else holds two or more is half of it at most, and a little spare."""
CALM, BACK = 0.05, 0.05
"""Means that scatter so little; at most this part of what follows a level may lie above its lower edge again."""
UNCERTAIN = 0.04
"""Standard error up to which a level in the scatter is told."""
FEWEST_SAMPLES = 12
BURST = 0.03
"""A single burst between two falling levels is none below this part of what was written."""
FEW_STEPS, QUIET = 3, 0.1
"""Up to so many levels are sure; with more scatter they are told as about."""
STANDS = 3.0
"""A step between scattered samples is one if it is so many times their scatter."""
NEAR, SLOW_START_S, SLOW_START = 0.1, 30.0, 0.5
"""A first level begins where the rate comes so near to it; what comes before lasts no longer than these: seconds, and a
part of the time until the level ends."""
UNEVEN = 0.1
"""Samples of a level may differ so much from its mean whatever neighbours do."""
NEEDS = (grounds.unhurried, grounds.whole, grounds.undisturbed)
BLUR, LOST = 0.05, 0.25
"""Where a first level ends is told as "about" beyond the first part of it, and not at all beyond the second."""


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """One for every state of the drive that was written over."""
    for test in look.tests(run, "slc-cache"):
        for phase in test.phases:
            if phase.name.startswith(("fresh", "rested", "full")) and run.of(test.name, phase.name):
                yield _finding(run, test, phase.name)


def _finding(run: Run, test: PlannedTest, state: str) -> Finding:
    records = look.records(run, test.name, state)[:1]
    counts = [c for _, c in look.samples(run, records[0]) if c.seconds > 0 and c.write.bytes]
    if len(counts) < FEWEST_SAMPLES:
        return _told(test, "short", {"state": state, "samples": len(counts)}, "can't tell")
    ground = Ground(run, test, records)
    found = _course(ground, state, counts)
    gap = pause(of_counts(counts)) if found.key == "because" and not grounds.unmet(NEEDS, ground) else None
    if gap:
        again = _course(ground, state, [*counts[: max(gap.first - 1, 1)], *counts[gap.last + 1 :]])
        if again.key == "flat":
            return _told(test, gap.key, again.values | gap.values, "medium")
    return found


def _course(ground: Ground, state: str, counts: Sequence[Counts]) -> Finding:
    """What these samples of a state come to."""
    run, test = ground.run, ground.test
    rates = [c.bytes_per_s for c in counts]
    course, edge = of_counts(counts), max(len(counts) // 10, FEWEST)
    fall = next(falls(course), None)
    skip = _slow_start(course, fall) if fall else 0
    every = [Level(a + skip, b + skip, rate) for a, b, rate in levels(rates[skip:])]
    every = _lasting(every, counts)
    found = _without_a_burst(every, counts)
    begin = stretches(course)[0].last if fall else 0
    first = fall.level if fall and fall.flat else _rate(counts[: begin if begin >= FEWEST_SAMPLES else edge])
    values: dict[str, Any] = {"state": state, "first": first, "last": _rate(counts[-edge:])}
    if unmet := grounds.unmet(NEEDS, ground):
        return _told(test, "because", {"state": state, "because": unmet}, "can't tell")
    falling = max(level.value for level in found) >= LEAST_RATIO * min(level.value for level in found)
    steps = [sharp(rates, a, b) for a, b in pairwise(found)]
    why = _rises(found) or _brief(counts, found) or _much(run, counts, found) or _comes_back(rates, found)
    why = why or _scattered(rates, found)
    gentle = _rate(counts[:edge]) >= LEAST_RATIO * values["last"]
    if why is None and not falling and not gentle:
        values["least"] = sum(c.write.bytes for c in counts[: _fewest(rates)])
        return _told(test, "flat", values | {"steps": 1})
    if why is None and not any(steps) and _throughout(counts):
        return _told(test, "gradual", values, "medium")
    if why or not steps or not all(steps) or not _stand_out(rates, found):
        return _unsure(ground, values, fall, why or Because("blurred"))
    clear = all(a.value >= LEAST_RATIO * b.value for a, b in pairwise(found))
    few = len(found) == len(every) <= FEW_STEPS
    sure = grounds.surely_cool(ground) and clear and few and all(_even(rates[a.first : a.last]) for a in found)
    values |= _steps(run, counts, found)
    if scatter(rates) > QUIET:
        return _told(test, "about", values | {"scatter": scatter(rates)}, "medium")
    return _told(test, "steps", values, "high" if sure else "medium")


def _unsure(ground: Ground, values: dict[str, Any], fall: Fall | None, why: Because) -> Finding:
    """Where the first level ends, if there is one that a cache can hold; else only why nothing can be told."""
    values |= {"because": why}
    share = fall.written / ground.run.plan.device.capacity_bytes if fall else 0.0
    if (
        why.key == "brief"
        or fall is None
        or not (fall.flat and fall.lasting)
        or fall.blur > LOST
        or share > MOST
        or why.key == "much"
    ):
        return _told(ground.test, "because", {"state": values["state"], "because": why}, "can't tell")
    values |= {"size": fall.written, "share": share, "about": Because("about") if fall.blur > BLUR else ""}
    return _told(ground.test, "first", values, "medium")


def _steps(run: Run, counts: Sequence[Counts], found: list[Level]) -> dict[str, Any]:
    """Levels that fall and stay, with sharp steps between them."""
    rates, widths = [c.bytes_per_s for c in counts], [float(c.write.bytes) for c in counts]
    means = [_rate(counts[level.first : level.last]) for level in found]
    ends = [boundary(rates, widths, a, b) for a, b in pairwise(found)]
    return {
        "steps": len(found),
        "size": ends[0],
        "share": ends[0] / run.plan.device.capacity_bytes,
        "first": means[0],
        "last": means[-1],
        "rates": means,
        "ends": ends,
        "rest": means[1:],
    }


def _told(test: PlannedTest, key: str, values: dict[str, Any], confidence: Confidence = "high") -> Finding:
    return Finding(name=NAME, key=key, test=test.name, values=values, confidence=confidence)


def _slow_start(course: Line, fall: Fall) -> int:
    """How many samples at the beginning come before the first level; 0 where they are more than a start."""
    reached = int(np.argmax(course.rates >= (1 - NEAR) * fall.level))
    return reached if course.s[reached] <= min(SLOW_START_S, SLOW_START * fall.s) else 0


def _stand_out(rates: Sequence[float], found: Sequence[Level]) -> bool:
    """Whether the steps between scattered levels are none of the scatter."""
    scattered = scatter(rates)
    return scattered <= QUIET or all(a.value >= (1 + STANDS * scattered) * b.value for a, b in pairwise(found))


def _even(rates: Sequence[float]) -> bool:
    """Whether the samples of a level differ from its mean no more than neighbours do: they do not alternate."""
    inner = rates[1:-1] or rates
    mean = sum(inner) / len(inner)
    apart = (sum((rate - mean) ** 2 for rate in inner) / len(inner)) ** 0.5
    return bool(apart <= max(UNEVEN, 3 * scatter(inner)) * mean)


def _rate(counts: Sequence[Counts]) -> float:
    return sum(c.write.bytes for c in counts) / sum(c.seconds for c in counts)


def _lasting(found: list[Level], counts: Sequence[Counts]) -> list[Level]:
    """Without a slow start and a last level that hold less than BRIEF of what was written."""
    least = BRIEF * sum(c.write.bytes for c in counts)

    def brief(level: Level) -> bool:
        return sum(c.write.bytes for c in counts[level.first : level.last]) < least

    while len(found) > 1 and brief(found[0]) and found[0].value < found[1].value:
        found = found[1:]
    while len(found) > 1 and brief(found[-1]) and found[-1].value < found[-2].value:
        found = found[:-1]
    return found


def _without_a_burst(found: list[Level], counts: Sequence[Counts]) -> list[Level]:
    """Between two levels that fall a drive may write fast once more for a moment, where its cache is tidied up."""
    most = BURST * sum(c.write.bytes for c in counts)
    for index, (before, level, after) in enumerate(zip(found, found[1:], found[2:], strict=False), 1):
        size = sum(c.write.bytes for c in counts[level.first : level.last])
        if level.value > before.value > after.value and size < most:
            return [*found[:index], after._replace(first=level.first), *found[index + 2 :]]
    return found


def _rises(found: Sequence[Level]) -> Because | None:
    """A cache that is full stays full while the writing goes on."""
    again = next(((a, b) for a, b in pairwise(found) if b.value > a.value), None)
    return Because("rises_mbs", {"low": again[0].value, "high": again[1].value}) if again else None


def _much(run: Run, counts: Sequence[Counts], found: Sequence[Level]) -> Because | None:
    """No cache holds so much: the drive was slowed down by something else."""
    share = sum(c.write.bytes for c in counts[: found[0].last]) / run.plan.device.capacity_bytes
    return Because("much", {"share": share}) if len(found) > 1 and share > MOST else None


def _comes_back(rates: Sequence[float], found: Sequence[Level]) -> Because | None:
    """A rate that jumps faster than levels are told from each other is in none of them."""
    if len(found) < 2:
        return None
    first, after = found[0], smooth(quieted(rates[found[1].first :], CALM))
    middle = (first.value * found[1].value) ** 0.5
    if sum(rate > middle for rate in after) <= BACK * len(after):
        return None
    return Because("rises_mbs", {"low": min(after), "high": max(after)})


def _scattered(rates: Sequence[float], found: Sequence[Level]) -> Because | None:
    """Levels of few samples that scatter much are anywhere."""
    if len(found) < 2:
        return None
    noise = scatter(rates) / min(level.last - level.first for level in found) ** 0.5
    return Because("noise", {"noise": noise}) if noise > UNCERTAIN else None


def _fewest(rates: Sequence[float]) -> int:
    """How many samples a faster beginning must last to stand out of the scatter."""
    return min(max(FEWEST, round((NOISE * scatter(rates) / log(LEAST_RATIO)) ** 2)), len(rates))


def _brief(counts: Sequence[Counts], found: Sequence[Level]) -> Because | None:
    """A faster beginning that is too short to be called a level, or to say where it ends."""
    rates, level = [c.bytes_per_s for c in counts], found[0]
    fast = _above(rates, max(LEAST_RATIO, 1 + NOISE * scatter(rates)) * level.value)
    if not fast and len(found) > 1 and level.last <= 2 * FEWEST:
        fast = _above(rates, (level.value * found[1].value) ** 0.5)
        fast = fast if fast < FEWEST else 0
    if not fast:
        return None
    if rates[fast] > LEAST_RISE * median(rates[fast + 1 : fast + 1 + FEWEST] or rates[fast:]):
        fast += 1  # it ended within this sample
    return Because("brief", {"size": sum(c.write.bytes for c in counts[:fast]), "first": max(rates[:fast])})


def _throughout(counts: Sequence[Counts]) -> bool:
    """Whether the rate falls from each tenth of the writing to the next."""
    size = len(counts) // 10
    rates = [_rate(counts[i * size : (i + 1) * size]) for i in range(10)] if size else []
    return bool(rates) and all(b < a for a, b in pairwise(rates))


def _above(rates: Sequence[float], bound: float) -> int:
    """How many samples at the beginning are faster."""
    return next((i for i, rate in enumerate(rates) if rate < bound), 0)
