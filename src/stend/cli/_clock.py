"""Elapsed and remaining time of a run by the clock on the wall. Virtual drives simulate days in seconds."""

import time
from typing import NamedTuple

from stend.base.units import duration
from stend.live.course import Course
from stend.runner.progress import ToGo

COST_SPREAD = 2.0
"""Factor by which a simulated second ahead may cost more or less than those so far."""


class Times(NamedTuple):
    """Elapsed and remaining seconds; `simulated` describes the time of a virtual drive and is empty for others."""

    elapsed_s: float
    left: ToGo
    simulated: str

    @property
    def share(self) -> float:
        """Return the completed share of the run, 0 to 1."""
        whole = self.elapsed_s + self.left.likely_s
        return self.elapsed_s / whole if whole else 0.0


def times(course: Course, now: float | None = None) -> Times:
    """Return the times of a run. `now` is Unix time."""
    left, begun = course.remaining, course.progress.run.started
    if not begun or not begun[-1].plan.device.virtual:
        return Times(course.t, left, "")
    simulated = f"{duration(course.t)} of about {duration(course.t + left.likely_s)}"
    elapsed_s = max((time.time() if now is None else now) - begun[-1].at, 0.0)
    cost = elapsed_s / course.t if course.t else 0.0
    wall = ToGo(left.low_s * cost / COST_SPREAD, left.likely_s * cost, left.high_s * cost * COST_SPREAD)
    return Times(elapsed_s, wall, simulated)


def span(left: ToGo) -> str:
    """Return a time as text, with its range if that is wide."""
    low, likely, high = left
    about = f"about {duration(likely)}"
    return about if high - low < likely / 10 else f"{about} ({duration(low)} to {duration(high)})"


def remaining(left: ToGo) -> str:
    """Return a remaining time as a clause."""
    return f"remaining: {span(left)}"
