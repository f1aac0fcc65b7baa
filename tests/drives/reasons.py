"""Reasons for "can't tell", each with its truth."""

from collections.abc import Callable
from typing import Any

from tests.drives.course import ABOUT, Course, near
from tests.drives.events import COUNTERS
from tests.drives.law import even
from tests.drives.opinion import Opinion


def settled(course: Course) -> bool:
    """Return whether the last level was reached in the run."""
    if not course.crossed:
        return True
    return course.crossed[-1][1] + course.fall(len(course.crossed) - 1)[1] < course.written


REASONS: dict[str, Callable[[Course, dict[str, Any]], bool]] = {
    "throttled": lambda course, v: course.played.drive.throttled_s <= course.played.player.since(),
    "hot": lambda course, v: v["top"] >= v["limit"],
    "fills": lambda course, v: near(v["n"] if "n" in v else v["fills"], course.written / course.played.drive.capacity),
    "part": lambda course, v: v["share"] < 1,
    "few": lambda course, v: v["samples"] <= len(course.table),
    "noise": lambda course, v: wild(course),
    "brief": lambda course, v: bool(course.crossed) and near(v["size"], course.crossed[0][1], ABOUT),
    "much": lambda course, v: fell(course, v["share"]),
    "late": lambda course, v: fell(course, v["fills"]),
    "window": lambda course, v: course.late(v["last"]),
    "falling": lambda course, v: course.played.drive.form == "falling" or not settled(course) or wild(course),
} | dict.fromkeys(
    ("unruled", "unsought", "blurred", "new", "drifts", "unlevel", "once", "unmeasured", "quick", "uneven"),
    lambda course, v: True,
)
"""Reasons by their key, each with its truth."""


def fell(course: Course, fills: float) -> bool:
    """Return whether a level ended after so many capacities."""
    capacity = course.played.drive.capacity
    return any(near(fills * capacity, written, ABOUT) for _, written in course.crossed) or wild(course)


def wild(course: Course) -> bool:
    """Return whether anything but a constant level and a little noise is there."""
    drive = course.played.drive
    return drive.noise > 0.05 or drive.shape is not even or drive.form != "levels"


def rising(course: Course, values: dict[str, Any]) -> bool:
    """Return whether the record has a rise between these two rates."""
    rates = course.table[:, 1] / course.table[:, 0] / course.unit
    inside = rates.min() * 0.9 <= values["low"] <= values["high"] <= rates.max() * 1.1
    up = any(course.levels(at)[0] < course.levels(at + 1)[0] for at in range(course.reached))
    return bool(inside) and (up or wild(course))


def because(own: Opinion, course: Course) -> None:
    """Judge the reason of a "can't tell", and the event that a statement names beside it."""
    for name in ("because", "disturbed"):
        own.judged.add(name)
        if reason := own.finding.values.get(name):
            _because(own, course, reason)


def _because(own: Opinion, course: Course, reason: Any) -> None:
    judge = REASONS.get(reason.key)
    if reason.key in INCIDENTS:
        judge = struck
        told = course.played.drive.event.startswith(INCIDENTS[reason.key])
        own.fact("because", told, f"{reason.key} was not told")
    elif reason.key.startswith("rises"):
        judge = rising
    if judge is None:
        own.unjudged.append(f"because {reason.key}")
    else:
        own.fact(f"because {reason.key}", judge(course, reason.values), f"{reason.values}")


INCIDENTS: dict[str, str | tuple[str, ...]] = {
    **{name: name for name in COUNTERS},
    "link": ("narrowed", "slowed"), "degraded": "degraded", "resync": "resync", "resyncing": "resync",
    "critical_warning": "critical", "critical_warned": "critical", "heat_warning": "critical 0x02",
    "heat_warned": "critical 0x02",
}  # fmt: skip
"""Reasons that name an event: the events that give them."""


def struck(course: Course, values: dict[str, Any]) -> bool:
    """Return whether an event is stated with the first look that shows it, and with no more growth than it had."""
    run, drive = course.played.run, course.played.drive
    begun = run.ended.t - course.played.player.since() if run.ended else 0.0
    since = begun + drive.event_s
    look = next((one.t for one in run.telemetry if one.t >= since), since)
    in_time = "minute" not in values or since / 60 - 1 <= values["minute"] <= look / 60 + 1.1
    most = 2 + max(course.played.player.since() - drive.event_s, 0) / 120
    return bool(in_time and 1 <= values.get("growth", 1) <= most)
