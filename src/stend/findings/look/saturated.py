"""A saturation as one set of figures: start, levels, knee, end, and whether the end is a level that the drive keeps.

Sentence, key figure, chart, table, claim, verdict and export read these figures here, so that one quantity has
one value.

- start: the first record after the purge, as docs/method/figures.md defines it, or the first level where this
  record holds much of a lower one besides;
- falls: the levels that were left one after the other, read from the samples around each place; the first is the knee;
- end: the measurement window where a steady state was sought, else the last fifth of the records;
- settled: no reason is known why the end is not the level that the drive keeps (`why`).

What an incident or heat may have moved is left out: falls are looked for up to there only.
"""

from itertools import pairwise
from math import inf
from typing import NamedTuple

import numpy as np

from stend.findings import look
from stend.findings.look import grounds
from stend.findings.look.curve import LEVEL, Course, course
from stend.findings.look.fall import Fall, falls
from stend.findings.look.grounds import Because, Ground
from stend.findings.look.levels import crossing, levels, scatter, sharp
from stend.findings.look.once import once
from stend.findings.look.pause import Pause, kept, pause
from stend.findings.look.pieces import Array, Line, equal, growing, line, seconds
from stend.model.definition import PlannedTest
from stend.model.record import Run

FEWEST = 20
"""Samples of a course that anything is stated of, at least."""
HOURS_S = 2 * 3600.0
"""From here on a saturation lasted hours."""
NEAR = 0.1
LEAST_RATIO = 1.25
SMALL_RISE = 0.2
"""Cleaning that has just begun overshoots: a rise is none if it takes back less than this part of the fall."""
OVERSHOOT, OVERSHOOT_FILLS = 0.15, 0.25
"""Nor is it one if the lower rate is over within this part of the time after the fall, and of the capacity."""
NEEDS = (grounds.unhurried, grounds.undisturbed)
LASTS = (grounds.overwritten, grounds.ruled)
"""What the end needs besides, to be called the level that the drive keeps."""


class Saturated(NamedTuple):
    """The figures of a saturation: rates in IOPS, times in seconds from its start, sizes in bytes written.

    `first_s` is how long the first record lasts, `last` the rate of the last fortieth, `why` the reason why
    the end is not
    the level that the drive keeps, `declines` whether it still goes down, `cool` whether heat surely played no
    part, `even`
    whether the second half surely has one rate, `pause` the only pause in a course that is level otherwise.
    """

    start: float
    first_s: float
    end: float
    last: float
    seconds: float
    written: float
    fills: float
    falls: tuple[Fall, ...] = ()
    settled_s: float | None = None
    scatter: float = 0.0
    undisturbed_s: float = inf
    samples: int = 0
    declines: bool = False
    cool: bool = True
    even: bool = True
    pause: Pause | None = None
    why: Because | None = None

    @property
    def levels(self) -> tuple[Fall, ...]:
        """The levels that were left, in order, up to the first that is none because the rate falls throughout."""
        last = next((n for n, fall in enumerate(self.falls) if not fall.flat), len(self.falls))
        return self.falls[:last]

    @property
    def knee(self) -> Fall | None:
        """Where the first level is left; None if there is no level that was left."""
        return self.levels[0] if self.levels else None

    @property
    def settled(self) -> bool:
        """Whether the end is a level that the drive keeps."""
        return self.why is None and not self.declines

    @property
    def sure(self) -> bool:
        """Whether the end can be reported as sure: it is settled, even, and nothing between two looks can have
        moved it."""
        return self.settled and self.even and self.cool

    @property
    def ratio(self) -> float:
        """How many times the end the start is."""
        return self.start / self.end if self.end else inf

    @property
    def hours(self) -> bool:
        """Whether it lasted for hours."""
        return self.seconds >= HOURS_S


@once
def saturated(run: Run, name: str, phase: str) -> Saturated | None:
    """Return the figures of a phase that holds one load from a purge on; None without records."""
    test = next(t for t in run.plan.tests if t.name == name)
    records, table = look.records(run, name, phase), seconds(run, name, phase)
    if not records or not len(table):
        return None
    ground = Ground(run, test, records)
    told = _seen(ground, phase, table)
    gap = pause(line(table)) if told.why and not told.falls else None
    if gap and (again := _seen(ground, phase, kept(table, gap))) and again.settled and not again.falls:
        return again._replace(seconds=told.seconds, written=told.written, pause=gap)
    return told


def _seen(ground: Ground, phase: str, table: Array) -> Saturated:
    """The figures of these samples of a phase."""
    run, test, whole, pieces = ground.run, ground.test, line(table), equal(table)
    end, first = look.ended(run, test, phase).iops, ground.records[0].counts
    told = Saturated(
        start=first.iops,
        first_s=first.seconds,
        end=end,
        last=whole.rate(len(whole.s) - 1 - max(len(pieces) // 40, 1), len(whole.s) - 1),
        seconds=float(whole.s[-1]),
        written=float(whole.written[-1]),
        fills=grounds.capacities(ground),
        samples=len(pieces),
        scatter=scatter([c.iops for c in pieces]),
        undisturbed_s=grounds.undisturbed_s(ground),
        cool=grounds.surely_cool(ground),
    )
    if len(pieces) < FEWEST:
        return told._replace(why=Because("few", {"samples": len(pieces)}))
    seen = course(pieces)
    known = told.undisturbed_s >= first.seconds and not grounds.unhurried(ground)
    found = tuple(falls(whole.until(told.undisturbed_s))) if known else ()
    calm = seen.rise <= seen.least or bool(found and _overshot(whole, found[-1], seen, run.plan.device.capacity_bytes))
    told = told._replace(last=seen.last, falls=found, even=seen.even and calm)
    if found and found[0].flat and found[0].s < first.seconds and found[0].level > (1 + NEAR) * first.iops:
        told = told._replace(start=found[0].level)
    if found:
        told = told._replace(settled_s=_settled_s(whole, found[-1], (1 + NEAR) * end))
    why = grounds.unmet(NEEDS, ground) or _rises(told, seen, calm=calm)
    if why is None and found:
        step = seen.new or _stepped(ground, test, phase)
        if seen.falls and not step and seen.rise <= seen.least:
            return told._replace(declines=True)
        why = grounds.unmet(LASTS, ground) or _unsettled(ground, seen, told)
    elif why is None:
        why = grounds.unmet(LASTS, ground) or _hidden(seen) or _window(told, seen)
    return told._replace(why=why)


def _settled_s(whole: Line, fall: Fall, bound: float) -> float | None:
    """When the rate came down to a bound after the last fall."""
    pairs = [(a, b) for a, b in pairwise(growing(whole.s)) if whole.s[b] > fall.s]
    middles = [float(whole.s[a] + whole.s[b]) / 2 for a, b in pairs]
    return crossing(middles, [whole.rate(a, b) for a, b in pairs], bound)


def _rises(told: Saturated, seen: Course, *, calm: bool) -> Because | None:
    """Up and down is no knee, whatever the levels at its ends."""
    if told.falls and not told.falls[-1].lasting:
        return Because("rises", {"low": min(seen.low, told.falls[-1].after), "high": seen.high})
    first = told.falls[0].level if told.falls else seen.first
    small = seen.low and seen.rise < (first / seen.low) ** SMALL_RISE
    if seen.rise <= seen.least or small or (seen.even and calm):
        return None
    return Because("rises", {"low": seen.low, "high": seen.high})


def _overshot(whole: Line, fall: Fall, seen: Course, capacity_bytes: int) -> bool:
    """Whether a rate lies below the later one for a short while only, just after the fall."""
    bound, first = (seen.low * seen.end) ** 0.5, int(np.searchsorted(whole.s, fall.s))
    lows = [(a, b) for a, b in pairwise(growing(whole.s)) if a >= first and whole.rate(a, b) < bound]
    if not lows:
        return False
    last = lows[-1][1]
    brief = whole.s[last] - fall.s < OVERSHOOT * (whole.s[-1] - fall.s)
    return bool(brief and whole.written[last] - fall.written < OVERSHOOT_FILLS * capacity_bytes)


def _unsettled(ground: Ground, seen: Course, told: Saturated) -> Because | None:
    """Why the end is not a level that the drive keeps; a fall when all spare flash is used up is not the
    drive's own."""
    fills = (told.levels or told.falls)[-1].written / ground.run.plan.device.capacity_bytes
    if fills > grounds.FILLS:
        return Because("late", {"fills": fills})
    if window := _window(told, seen):
        return window
    if seen.new or seen.falls:
        risen = seen.rise > seen.least and not seen.new
        return Because("rises", {"low": seen.low, "high": seen.high}) if risen else Because("new")
    if not seen.even:
        return Because("uneven", {"spread": seen.spread})
    return None if seen.level and told.settled_s is not None else _scatter(seen)


def _window(told: Saturated, seen: Course) -> Because | None:
    """The window that was found steady differs from the end of the course."""
    apart = abs(told.end / seen.end - 1) > LEVEL
    return Because("window", {"window": told.end, "last": seen.end}) if apart else None


def _stepped(ground: Ground, test: PlannedTest, phase: str) -> bool:
    """Whether the end holds a sharp step: it does not go down bit by bit."""
    tail = [r.counts.iops for r in look.last_records(ground.run, test, phase)]
    return any(sharp(tail, a, b) for a, b in pairwise(levels(tail)))


def _hidden(seen: Course) -> Because | None:
    """A step that would count must stand out of the noise; and a level that falls is none."""
    if seen.least > LEAST_RATIO:
        return _scatter(seen)
    if seen.new or seen.drifts or seen.falls:
        return Because("new" if seen.new else "drifts")
    return None if seen.even else Because("uneven", {"spread": seen.spread})


def _scatter(seen: Course) -> Because:
    return Because("noise", {"noise": seen.error})
