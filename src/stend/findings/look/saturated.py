"""A saturation as one set of figures: start, levels, knee, end, and whether the end is a level that the drive keeps.

Sentences, key figures, charts, tables, claims, verdicts and exports read these figures here, so that one quantity has
one value.

- start: the first record after the purge, as docs/method/figures.md defines it, or the first level if this record also
  holds much of a lower one;
- falls: the ends of successive levels, read from the samples around each place; the first is the knee;
- end: the measurement window if a steady state was reached, else the last fifth of the records;
- settled: no reason is known why the end is not the level that the drive keeps (`why`).

Samples after a possible disturbance by heat or an incident are left out of the search for falls.
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
from stend.findings.look.levels import Array, crossing, levels, scatter, sharp
from stend.findings.look.once import once
from stend.findings.look.pause import Pause, kept, pause
from stend.findings.look.pieces import Line, equal, growing, line, seconds
from stend.model.definition import PlannedTest
from stend.model.record import Run

FEWEST = 20
"""Minimum number of samples of a course for any statement."""
HOURS_S = 2 * 3600.0
"""A saturation that lasts at least this long lasted hours."""
NEAR = 0.1
LEAST_RATIO = 1.25
SMALL_RISE = 0.2
"""Cleaning that has just started overshoots: a rise that recovers less than this share of the fall does not count."""
OVERSHOOT, OVERSHOOT_FILLS = 0.15, 0.25
"""Nor does a rise after a lower rate that ends within this share of the time after the fall, and of the capacity."""
NEEDS = (grounds.unhurried, grounds.undisturbed)
LASTS = (grounds.overwritten, grounds.ruled)
"""Further preconditions for the end to be called the level that the drive keeps."""


class Saturated(NamedTuple):
    """The figures of a saturation: rates in IOPS, times in seconds from its start, sizes in bytes written.

    `first_s` is the length of the first record, and `fresh` is whether less than the capacity was written in it. `last`
    is the rate of the last fortieth. `why` is the reason why the end is not the level that the drive keeps. `declines`
    is whether it still declines, `climbs` whether it still rises. `cool` is whether heat surely had no influence.
    `even` is whether the second half surely has one rate. `pause` is the only pause in an otherwise level course.
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
    climbs: bool = False
    cool: bool = True
    even: bool = True
    pause: Pause | None = None
    why: Because | None = None
    fresh: bool = True

    @property
    def levels(self) -> tuple[Fall, ...]:
        """Return the falls that end a level, in order, up to the first that is not flat: from there the rate only
        declines."""
        last = next((n for n, fall in enumerate(self.falls) if not fall.flat), len(self.falls))
        return self.falls[:last]

    @property
    def knee(self) -> Fall | None:
        """Return the end of the first level, or None if no level ended."""
        return self.levels[0] if self.levels else None

    @property
    def settled(self) -> bool:
        """Return whether the end is a level that the drive keeps."""
        return self.why is None and not self.declines

    @property
    def sure(self) -> bool:
        """Return whether the end is sure: settled, even, and surely not affected by heat between two readings."""
        return self.settled and self.even and self.cool

    @property
    def ratio(self) -> float:
        """Return the start over the end."""
        return self.start / self.end if self.end else inf

    @property
    def hours(self) -> bool:
        """Return whether the saturation lasted for hours."""
        return self.seconds >= HOURS_S


@once
def saturated(run: Run, name: str, phase: str) -> Saturated | None:
    """Return the figures of a phase that holds one load after a purge, or None without records."""
    test = run.plan.test(name)
    records, table = look.records(run, name, phase), seconds(run, name, phase)
    if not records or not len(table):
        return None
    ground = Ground(run, test, records)
    figures = _figures(ground, phase, table)
    gap = pause(line(table)) if figures.why and not figures.falls else None
    if gap and (again := _figures(ground, phase, kept(table, gap))) and again.settled and not again.falls:
        return again._replace(seconds=figures.seconds, written=figures.written, pause=gap)
    return figures


def _figures(ground: Ground, phase: str, table: Array) -> Saturated:
    """Return the figures of these samples of a phase."""
    # 1. Figures of the phase as a whole.
    run, test, whole, pieces = ground.run, ground.test, line(table), equal(table)
    end, first = look.ended(run, test, phase).iops, ground.records[0].counts
    figures = Saturated(
        start=first.iops,
        first_s=first.seconds,
        fresh=first.write.bytes < run.plan.device.capacity_bytes,
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
        return figures._replace(why=Because("few", {"samples": len(pieces)}))
    # 2. The falls up to the first disturbance; they may correct the start.
    shape = course(pieces)
    known = figures.undisturbed_s >= first.seconds and not grounds.unhurried(ground)
    drops = tuple(falls(whole.until(figures.undisturbed_s))) if known else ()
    calm = shape.rise <= shape.least or bool(
        drops and _overshot(whole, drops[-1], shape, run.plan.device.capacity_bytes)
    )
    figures = figures._replace(last=shape.last, falls=drops, even=shape.even and calm, climbs=shape.climbs)
    if drops and drops[0].flat and drops[0].s < first.seconds and drops[0].level > (1 + NEAR) * first.iops:
        figures = figures._replace(start=drops[0].level, fresh=True)
    if drops:
        figures = figures._replace(settled_s=_settled_s(whole, drops[-1], (1 + NEAR) * end))
    # 3. The reason why the end is not a level that the drive keeps.
    why = grounds.unmet(NEEDS, ground) or _rises(figures, shape, calm=calm)
    if why is None and drops:
        step = shape.new or _stepped(ground, test, phase)
        if shape.falls and not step and shape.rise <= shape.least:
            return figures._replace(declines=True)
        why = grounds.unmet(LASTS, ground) or _unsettled(ground, shape, figures)
    elif why is None:
        why = grounds.unmet(LASTS, ground) or _hidden(shape) or _window(figures, shape)
    return figures._replace(why=why)


def _settled_s(whole: Line, fall: Fall, bound: float) -> float | None:
    """Return when the rate came down to a bound after the last fall, in seconds, or None if it did not."""
    pairs = [(a, b) for a, b in pairwise(growing(whole.s)) if whole.s[b] > fall.s]
    middles = [float(whole.s[a] + whole.s[b]) / 2 for a, b in pairs]
    return crossing(middles, [whole.rate(a, b) for a, b in pairs], bound)


def _rises(figures: Saturated, shape: Course, *, calm: bool) -> Because | None:
    """Return a reason if the course rises again: a course that goes up and down has no knee."""
    if figures.falls and not figures.falls[-1].lasting:
        return Because("rises", {"low": min(shape.low, figures.falls[-1].after), "high": shape.high})
    first = figures.falls[0].level if figures.falls else shape.first
    small = shape.low and shape.rise < (first / shape.low) ** SMALL_RISE
    if shape.rise <= shape.least or small or (shape.even and calm):
        return None
    return Because("rises", {"low": shape.low, "high": shape.high})


def _overshot(whole: Line, fall: Fall, shape: Course, capacity_bytes: int) -> bool:
    """Return whether the rate is below the later one only for a short time just after the fall."""
    bound, first = (shape.low * shape.end) ** 0.5, int(np.searchsorted(whole.s, fall.s))
    lows = [(a, b) for a, b in pairwise(growing(whole.s)) if a >= first and whole.rate(a, b) < bound]
    if not lows:
        return False
    last = lows[-1][1]
    brief = whole.s[last] - fall.s < OVERSHOOT * (whole.s[-1] - fall.s)
    return bool(brief and whole.written[last] - fall.written < OVERSHOOT_FILLS * capacity_bytes)


def _unsettled(ground: Ground, shape: Course, figures: Saturated) -> Because | None:
    """Return why the end is not a level that the drive keeps, or None.

    One reason is a fall after more than FILLS capacities: by then all spare flash was used up.
    """
    fills = (figures.levels or figures.falls)[-1].written / ground.run.plan.device.capacity_bytes
    if fills > grounds.FILLS:
        return Because("late", {"fills": fills})
    if window := _window(figures, shape):
        return window
    if shape.new or shape.falls:
        risen = shape.rise > shape.least and not shape.new
        return Because("rises", {"low": shape.low, "high": shape.high}) if risen else Because("new")
    if not shape.even:
        return Because("uneven", {"spread": shape.spread})
    return None if shape.level and figures.settled_s is not None else _scatter(shape)


def _window(figures: Saturated, shape: Course) -> Because | None:
    """Return a reason if the window that was found steady differs from the end of the course."""
    apart = abs(figures.end / shape.end - 1) > LEVEL
    return Because("window", {"window": figures.end, "last": shape.end}) if apart else None


def _stepped(ground: Ground, test: PlannedTest, phase: str) -> bool:
    """Return whether the end contains a sharp step, as opposed to a gradual decline."""
    tail = [r.counts.iops for r in look.last_records(ground.run, test, phase)]
    return any(sharp(tail, a, b) for a, b in pairwise(levels(tail)))


def _hidden(shape: Course) -> Because | None:
    """Return a reason if noise could hide a relevant step, or if the course is not level."""
    if shape.least > LEAST_RATIO:
        return _scatter(shape)
    if shape.new or shape.drifts or shape.falls:
        return Because("new" if shape.new else "drifts")
    return None if shape.even else Because("uneven", {"spread": shape.spread})


def _scatter(shape: Course) -> Because:
    return Because("noise", {"noise": shape.error})
