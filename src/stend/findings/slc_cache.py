"""SLC cache: steps of sequential writes over the whole drive; its size and levels when fresh, rested and part full."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import log
from statistics import median
from typing import Any

import numpy as np

from stend.findings import Confidence, Finding, Sheet, look
from stend.findings.look import grounds
from stend.findings.look.fall import LOST, Fall, falls, stretches
from stend.findings.look.grounds import Because, Ground
from stend.findings.look.levels import FEWEST, NOISE, Level, boundary, levels, quieted, scatter, sharp, smooth
from stend.findings.look.pause import pause
from stend.findings.look.pieces import Line, of_counts
from stend.model.counts import Counts
from stend.model.definition import PlannedTest
from stend.model.record import Run

LEAST_RATIO, LEAST_RISE = 1.25, 1.1
BRIEF = 0.01
"""A slow start and a short last level with less than this share of the written bytes do not count. A rise does."""
MOST = 0.55
"""Share of the capacity: one bit per cell instead of two or more is at most half of it, plus a little spare."""
CALM, BACK = 0.05, 0.05
"""CALM: means of a level scatter by at most this. BACK: this share of the later time may exceed its lower edge."""
UNCERTAIN = 0.04
"""Largest standard error with which a level is reported."""
FEWEST_SAMPLES = 12
BURST = 0.03
"""A single burst between two falling levels does not count below this share of the written bytes."""
FEW_STEPS, QUIET = 3, 0.1
"""Up to this many levels are sure. With more scatter they are reported as "about"."""
STANDS = 3.0
"""A step between scattered samples counts if it is this many times their scatter."""
NEAR, SLOW_START_S, SLOW_START = 0.1, 30.0, 0.5
"""A first level starts where the rate comes this near to it. The time before lasts at most these seconds and this share
of the time until the level ends."""
UNEVEN = 0.1
"""Samples of a level may differ this much from its mean, whatever their neighbours do."""
NEEDS = (grounds.unhurried, grounds.fully_written, grounds.undisturbed)


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """Yield one finding per state of the drive that was written over."""
    for test in look.tests(run, "slc-cache"):
        for phase in test.phases:
            if phase.name.startswith(("fresh", "rested", "full")) and run.of(test.name, phase.name):
                yield _finding(run, test, phase.name)


def _finding(run: Run, test: PlannedTest, state: str) -> Finding:
    records = look.records(run, test.name, state)[:1]
    counts = [c for _, c in look.samples(run, records[0]) if c.seconds > 0 and c.write.bytes]
    if len(counts) < FEWEST_SAMPLES:
        return _conclusion(test, "short", {"state": state, "samples": len(counts)}, "can't tell")
    ground = Ground(run, test, records)
    finding = _course(ground, state, counts)
    gap = pause(of_counts(counts)) if finding.key == "because" and not grounds.unmet(NEEDS, ground) else None
    if gap:
        again = _course(ground, state, [*counts[: max(gap.first - 1, 1)], *counts[gap.last + 1 :]])
        if again.key == "flat":
            return _conclusion(test, gap.key, again.values | gap.values, "medium")
    return finding


def _course(ground: Ground, state: str, counts: Sequence[Counts]) -> Finding:
    """Return the conclusion from these samples of a state."""
    # 1. Cut the course into plateaus, without a slow start.
    run, test = ground.run, ground.test
    rates = [c.bytes_per_s for c in counts]
    course, edge = of_counts(counts), max(len(counts) // 10, FEWEST)
    fall = next(falls(course), None)
    skip = _slow_start(course, fall) if fall else 0
    every = [Level(a + skip, b + skip, rate) for a, b, rate in levels(rates[skip:])]
    every = _lasting(every, counts)
    plateaus = _without_a_burst(every, counts)
    begin = stretches(course)[0].last if fall else 0
    first = fall.level if fall and fall.flat else _rate(counts[: begin if begin >= FEWEST_SAMPLES else edge])
    values: dict[str, Any] = {"state": state, "first": first, "last": _rate(counts[-edge:])}
    if unmet := grounds.unmet(NEEDS, ground):
        return _conclusion(test, "because", {"state": state, "because": unmet}, "can't tell")
    # 2. Look for a reason why the plateaus are not steps of a cache.
    falling = max(level.value for level in plateaus) >= LEAST_RATIO * min(level.value for level in plateaus)
    steps = [sharp(rates, a, b) for a, b in pairwise(plateaus)]
    why = _rises(plateaus) or _brief(counts, plateaus) or _much(run, counts, plateaus) or _comes_back(rates, plateaus)
    why = why or _scattered(rates, plateaus)
    gentle = _rate(counts[:edge]) >= LEAST_RATIO * values["last"]
    # 3. Choose the conclusion: flat, gradual, unsure, or steps.
    if why is None and not falling and not gentle:
        values["least"] = sum(c.write.bytes for c in counts[: _fewest(rates)])
        return _conclusion(test, "flat", values | {"steps": 1})
    zoned = run.plan.device.rotational and why and why.key == "much"  # inner tracks are slower
    if zoned or (why is None and not any(steps) and _throughout(counts)):
        return _conclusion(test, "gradual", values, "medium")
    if why or not steps or not all(steps) or not _stand_out(rates, plateaus):
        return _unsure(ground, values, fall, why or Because("blurred"))
    clear = all(a.value >= LEAST_RATIO * b.value for a, b in pairwise(plateaus))
    few = len(plateaus) == len(every) <= FEW_STEPS
    sure = grounds.surely_cool(ground) and clear and few and all(_even(rates[a.first : a.last]) for a in plateaus)
    values |= _steps(run, counts, plateaus)
    if scatter(rates) > QUIET:
        return _conclusion(test, "about", values | {"scatter": scatter(rates)}, "medium")
    return _conclusion(test, "steps", values, "high" if sure else "medium")


def _unsure(ground: Ground, values: dict[str, Any], fall: Fall | None, why: Because) -> Finding:
    """Return the end of the first level if a cache can hold that much, or else only the reason why nothing is known."""
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
        return _conclusion(ground.test, "because", {"state": values["state"], "because": why}, "can't tell")
    values |= {"size": fall.written, "share": share, "about": fall.about}
    return _conclusion(ground.test, "first", values, "medium")


def _steps(run: Run, counts: Sequence[Counts], plateaus: list[Level]) -> dict[str, Any]:
    """Return the values of levels that fall and stay, with sharp steps between them."""
    rates, widths = [c.bytes_per_s for c in counts], [float(c.write.bytes) for c in counts]
    means = [_rate(counts[level.first : level.last]) for level in plateaus]
    ends = [boundary(rates, widths, a, b) for a, b in pairwise(plateaus)]
    sizes = {"steps": len(plateaus), "size": ends[0], "share": ends[0] / run.plan.device.capacity_bytes}
    return sizes | {"first": means[0], "last": means[-1], "rates": means, "ends": ends, "rest": means[1:]}


def _conclusion(test: PlannedTest, key: str, values: dict[str, Any], confidence: Confidence = "high") -> Finding:
    return Finding(key=key, test=test.name, values=values, confidence=confidence)


def _slow_start(course: Line, fall: Fall) -> int:
    """Return the number of samples before the first level, or 0 if they are more than a slow start."""
    reached = int(np.argmax(course.rates >= (1 - NEAR) * fall.level))
    return reached if course.s[reached] <= min(SLOW_START_S, SLOW_START * fall.s) else 0


def _stand_out(rates: Sequence[float], plateaus: Sequence[Level]) -> bool:
    """Return whether the steps between scattered levels are larger than the scatter."""
    scattered = scatter(rates)
    return scattered <= QUIET or all(a.value >= (1 + STANDS * scattered) * b.value for a, b in pairwise(plateaus))


def _even(rates: Sequence[float]) -> bool:
    """Return whether the samples of a level differ from its mean no more than neighbours do: they do not alternate."""
    inner = rates[1:-1] or rates
    mean = sum(inner) / len(inner)
    apart = (sum((rate - mean) ** 2 for rate in inner) / len(inner)) ** 0.5
    return bool(apart <= max(UNEVEN, 3 * scatter(inner)) * mean)


def _rate(counts: Sequence[Counts]) -> float:
    return sum(c.write.bytes for c in counts) / sum(c.seconds for c in counts)


def _lasting(plateaus: list[Level], counts: Sequence[Counts]) -> list[Level]:
    """Return the levels without a slow start and a last level that hold less than BRIEF of the written bytes."""
    least = BRIEF * sum(c.write.bytes for c in counts)

    def brief(level: Level) -> bool:
        return sum(c.write.bytes for c in counts[level.first : level.last]) < least

    while len(plateaus) > 1 and brief(plateaus[0]) and plateaus[0].value < plateaus[1].value:
        plateaus = plateaus[1:]
    while len(plateaus) > 1 and brief(plateaus[-1]) and plateaus[-1].value < plateaus[-2].value:
        plateaus = plateaus[:-1]
    return plateaus


def _without_a_burst(plateaus: list[Level], counts: Sequence[Counts]) -> list[Level]:
    """Return the levels without a short burst between two falling ones, where the drive may tidy up its cache."""
    most = BURST * sum(c.write.bytes for c in counts)
    for index, (before, level, after) in enumerate(zip(plateaus, plateaus[1:], plateaus[2:], strict=False), 1):
        size = sum(c.write.bytes for c in counts[level.first : level.last])
        if level.value > before.value > after.value and size < most:
            return [*plateaus[:index], after._replace(first=level.first), *plateaus[index + 2 :]]
    return plateaus


def _rises(plateaus: Sequence[Level]) -> Because | None:
    """Return a reason if a later level is higher: a full cache stays full during continuous writes."""
    again = next(((a, b) for a, b in pairwise(plateaus) if b.value > a.value), None)
    return Because("rises_mbs", {"low": again[0].value, "high": again[1].value}) if again else None


def _much(run: Run, counts: Sequence[Counts], plateaus: Sequence[Level]) -> Because | None:
    """Return a reason if the first level holds more than any cache can: the drive was slowed down by something else."""
    share = sum(c.write.bytes for c in counts[: plateaus[0].last]) / run.plan.device.capacity_bytes
    return Because("much", {"share": share}) if len(plateaus) > 1 and share > MOST else None


def _comes_back(rates: Sequence[float], plateaus: Sequence[Level]) -> Because | None:
    """Return a reason if the rate keeps returning above the first fall: levels cannot describe fast jumps."""
    if len(plateaus) < 2:
        return None
    first, after = plateaus[0], smooth(quieted(rates[plateaus[1].first :], CALM))
    middle = (first.value * plateaus[1].value) ** 0.5
    if sum(rate > middle for rate in after) <= BACK * len(after):
        return None
    return Because("rises_mbs", {"low": min(after), "high": max(after)})


def _scattered(rates: Sequence[float], plateaus: Sequence[Level]) -> Because | None:
    """Return a reason if the levels have too few samples for their scatter."""
    if len(plateaus) < 2:
        return None
    noise = scatter(rates) / min(level.last - level.first for level in plateaus) ** 0.5
    return Because("noise", {"noise": noise}) if noise > UNCERTAIN else None


def _fewest(rates: Sequence[float]) -> int:
    """Return the number of samples that a faster start must last to stand out of the scatter."""
    return min(max(FEWEST, round((NOISE * scatter(rates) / log(LEAST_RATIO)) ** 2)), len(rates))


def _brief(counts: Sequence[Counts], plateaus: Sequence[Level]) -> Because | None:
    """Return a reason if the start is faster but too short to be a level or to show where it ends."""
    rates, level = [c.bytes_per_s for c in counts], plateaus[0]
    fast = _above(rates, max(LEAST_RATIO, 1 + NOISE * scatter(rates)) * level.value)
    if not fast and len(plateaus) > 1 and level.last <= 2 * FEWEST:
        fast = _above(rates, (level.value * plateaus[1].value) ** 0.5)
        fast = fast if fast < FEWEST else 0
    if not fast:
        return None
    if rates[fast] > LEAST_RISE * median(rates[fast + 1 : fast + 1 + FEWEST] or rates[fast:]):
        fast += 1  # the fast part ended within this sample
    return Because("brief", {"size": sum(c.write.bytes for c in counts[:fast]), "first": max(rates[:fast])})


def _throughout(counts: Sequence[Counts]) -> bool:
    """Return whether the rate falls from each tenth of the writing to the next."""
    size = len(counts) // 10
    rates = [_rate(counts[i * size : (i + 1) * size]) for i in range(10)] if size else []
    return bool(rates) and all(b < a for a, b in pairwise(rates))


def _above(rates: Sequence[float], bound: float) -> int:
    """Return the number of samples before the first that is slower than `bound`, or 0 if none is slower."""
    return next((i for i, rate in enumerate(rates) if rate < bound), 0)
