"""Elapsed and remaining time of a run by the clock on the wall. Virtual drives simulate days in seconds."""

import math
import time
from typing import NamedTuple

from stend.base.units import duration
from stend.live.course import Course
from stend.runner.progress import ToGo

REST_COST = 0.08
"""Cost of simulating a second of rest, as a share of a second of load, whose samples cost most of it."""
COST_SPREAD = 1.8
"""Factor by which a simulated second of load ahead may cost more or less than those so far."""
PACED = "pace="
"""Part of the name of a virtual drive whose time passes at a fixed pace, rests too."""


class Times(NamedTuple):
    """Elapsed and remaining seconds. `simulated` describes the time of a virtual drive and is empty for others."""

    elapsed_s: float
    left: ToGo
    simulated: str

    @property
    def share(self) -> float:
        """Return the completed share of the run, 0 to 1."""
        whole = self.elapsed_s + self.left.likely_s
        return self.elapsed_s / whole if whole else 0.0


class Mark(NamedTuple):
    """A moment of a simulation: Unix time and the work done so far, in seconds of simulated load."""

    at: float
    work: float


def mark(course: Course, now: float | None = None) -> Mark:
    """Return the present moment. Times since the first sample are free of start-up, which compiles the simulation."""
    return Mark(time.time() if now is None else now, work(course))


def begin(course: Course) -> Mark:
    """Return the mark of the start, for a run that is joined after its first sample."""
    return Mark(course.progress.run.started[-1].at, 0.0)


def times(course: Course, now: float | None = None, since: Mark | None = None) -> Times:
    """Return the times of a run. `now` is Unix time. The cost of the simulation is measured since `since`."""
    left, begun = course.remaining, course.progress.run.started
    if not begun or not begun[-1].plan.device.virtual:
        return Times(course.t, left, "")
    simulated = f"{duration(course.t)} of about {duration(course.t + left.likely_s)}"
    present, start = mark(course, now), begin(course)
    first = since or start
    if present.work <= first.work:
        return Times(max(present.at - start.at, 0.0), ToGo(math.inf, math.inf, math.inf), simulated)
    cost = (present.at - first.at) / (present.work - first.work)
    paced = _rest(course) == 1
    ahead, spread = course.progress.to_go(_rest(course)), 1.0 if paced else COST_SPREAD
    wall = ToGo(ahead.low_s * cost / spread, ahead.likely_s * cost, ahead.high_s * cost * spread)
    return Times(max(present.at - start.at, 0.0), wall, simulated)


def _rest(course: Course) -> float:
    """Return the cost of a second of rest as a share of that of load."""
    return 1 if PACED in course.progress.run.started[-1].plan.device.target else REST_COST


def work(course: Course) -> float:
    """Return the work done so far, in seconds of simulated load."""
    loaded_s = course.progress.loaded_s + course.progress.present.held.seconds
    return loaded_s + _rest(course) * max(course.t - loaded_s, 0)


def span(left: ToGo) -> str:
    """Return a time as text, with its range if that is wide."""
    low, likely, high = left
    if math.isinf(likely):
        return "not known yet"
    about = f"about {duration(likely)}"
    return about if high - low < likely / 10 else f"{about} ({duration(low)} to {duration(high)})"


def remaining(left: ToGo) -> str:
    """Return a remaining time as a clause."""
    return f"remaining: {span(left)}"
