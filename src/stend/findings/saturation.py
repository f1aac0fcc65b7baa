"""Write saturation: start level, knee, end level; time and amount of writing until the knee."""

from collections.abc import Iterator
from typing import Any

from stend.findings import Confidence, Finding, Sheet, look, side
from stend.findings.look.fall import BLUR, LEAST_RATIO, LOST, Fall
from stend.findings.look.grounds import Because
from stend.findings.look.once import once
from stend.findings.look.saturated import FEWEST, NEAR, Saturated, saturated
from stend.model.record import Run

SETTLED = ("knee", "knees", "noisy", "flat", "paused", "slowed")
"""Keys of courses that end on a level which the drive keeps."""
MUCH = 3


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """Yield one finding per saturation."""
    for test in look.tests(run, "write-saturation"):
        yield of_phase(run, test.name, look.main_phase(run, test))


@once
def of_phase(run: Run, name: str, phase: str) -> Finding:
    """Return the conclusion about a phase that holds one load after a purge."""
    course = saturated(run, name, phase)
    if course is None or course.samples < FEWEST:
        few = course.samples if course else 0
        return _conclusion("short", name, {"records": few, "because": Because("few", {"samples": few})}, "can't tell")
    rates = {"start": course.start, "end": course.end, "last": course.last, "ratio": course.ratio}
    values: dict[str, Any] = rates | {"seconds": course.seconds, "bytes": course.written, "fills": course.fills}
    values |= {"settled": course.settled, "hours": course.hours}
    if course.why:
        values["because"] = course.why
    if course.knee is None:
        return _without_knee(course, name, values)
    values |= _knee(course, course.knee)
    if course.declines:
        return _conclusion("falling", name, values, "medium", con=True)
    if course.why:
        return _conclusion("unsettled", name, values, "medium")
    blur = max(fall.blur for fall in course.levels)
    key = "noisy" if course.knee.blur > LOST else "knees" if len(course.levels) > 1 else "knee"
    sure = blur <= BLUR and course.sure
    return _conclusion(key, name, values, "high" if sure else "medium", con=course.ratio > MUCH)


def _without_knee(course: Saturated, name: str, values: dict[str, Any]) -> Finding:
    if course.why or not course.fresh:
        return _conclusion("because", name, {"because": Because("begun")} | values, "can't tell")
    if course.declines or (course.falls and course.ratio >= LEAST_RATIO):  # else a burst too short to be a level
        return _conclusion("declines", name, values, "medium", con=True)
    if course.pause:
        return _conclusion(course.pause.key, name, values | course.pause.values, "medium")
    return _conclusion("flat", name, values, "high" if course.sure else "medium")


def _conclusion(key: str, test: str, values: dict[str, Any], confidence: Confidence, *, con: bool = False) -> Finding:
    return Finding(key=key, test=test, values=values, confidence=confidence, side=side(con=con))


def _knee(course: Saturated, knee: Fall) -> dict[str, Any]:
    """Return where each level ends. `about` is the word before an uncertain place."""
    levels = tuple(
        Because("level", {"rate": fall.level, "s": fall.s, "bytes": fall.written, "about": fall.about})
        for fall in course.levels
    )
    place = {"level": knee.level, "knee_s": knee.s, "knee_bytes": knee.written, "blur": knee.blur, "about": knee.about}
    return place | {"scatter": course.scatter, "settled_s": course.settled_s, "near": NEAR, "levels": levels}
