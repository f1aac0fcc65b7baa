"""Elapsed and remaining time of a run by the clock on the wall. Virtual drives simulate days in seconds."""

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
    rest = 1 if PACED in begun[-1].plan.device.target else REST_COST
    loaded_s = course.progress.loaded_s + course.progress.present.held.seconds
    spent = loaded_s + rest * max(course.t - loaded_s, 0)
    cost, ahead = elapsed_s / spent if spent else 0.0, course.progress.to_go(rest)
    spread = COST_SPREAD if rest < 1 else 1.0
    wall = ToGo(ahead.low_s * cost / spread, ahead.likely_s * cost, ahead.high_s * cost * spread)
    return Times(elapsed_s, wall, simulated)


def span(left: ToGo) -> str:
    """Return a time as text, with its range if that is wide."""
    low, likely, high = left
    about = f"about {duration(likely)}"
    return about if high - low < likely / 10 else f"{about} ({duration(low)} to {duration(high)})"


def remaining(left: ToGo) -> str:
    """Return a remaining time as a clause."""
    return f"remaining: {span(left)}"
