"""Write saturation: start level, knee, end level; how long and how much writing it takes."""

from collections.abc import Iterator
from typing import Any

from stend.findings import Confidence, Finding, Sheet, look, side
from stend.findings.look.fall import Fall
from stend.findings.look.grounds import Because
from stend.findings.look.once import once
from stend.findings.look.saturated import FEWEST, Saturated, saturated
from stend.model.record import Run

NAME = "saturation"
SETTLED = ("knee", "knees", "noisy", "flat", "paused", "slowed")
"""Keys of a course that ends on a level which the drive keeps."""
MUCH = 3
BLUR, LOST = 0.05, 0.25
"""A knee is told as "about" where it is known to less than this part of the time before it, and not at all
beyond that."""


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """One for every saturation."""
    for test in look.tests(run, "write-saturation"):
        yield of_phase(run, test.name, look.main_phase(run, test))


@once
def of_phase(run: Run, name: str, phase: str) -> Finding:
    """Return what a phase of a test that holds one load from a purge on came to."""
    told = saturated(run, name, phase)
    if told is None or told.samples < FEWEST:
        few = told.samples if told else 0
        return _said("short", name, {"records": few, "because": Because("few", {"samples": few})}, "can't tell")
    values: dict[str, Any] = {
        "start": told.start,
        "end": told.end,
        "last": told.last,
        "ratio": told.ratio,
        "seconds": told.seconds,
    }
    values |= {"bytes": told.written, "fills": told.fills, "settled": told.settled, "hours": told.hours}
    if told.why:
        values["because"] = told.why
    if told.knee is None:
        return _without_knee(told, name, values)
    values |= _knee(told, told.knee)
    if told.declines:
        return _said("falling", name, values, "medium", con=True)
    if told.why:
        return _said("unsettled", name, values, "medium")
    blur = max(fall.blur for fall in told.levels)
    key = "noisy" if told.knee.blur > LOST else "knees" if len(told.levels) > 1 else "knee"
    sure = blur <= BLUR and told.sure
    return _said(key, name, values, "high" if sure else "medium", con=told.ratio > MUCH)


def _without_knee(told: Saturated, name: str, values: dict[str, Any]) -> Finding:
    if told.why:
        return _said("because", name, values, "can't tell")
    if told.falls or told.declines:
        return _said("declines", name, values, "medium", con=True)
    if told.pause:
        return _said(told.pause.key, name, values | told.pause.values, "medium")
    return _said("flat", name, values, "high" if told.sure else "medium")


def _said(key: str, test: str, values: dict[str, Any], confidence: Confidence, *, con: bool = False) -> Finding:
    return Finding(name=NAME, key=key, test=test, values=values, confidence=confidence, side=side(con=con))


def _knee(told: Saturated, knee: Fall) -> dict[str, Any]:
    """Where each level ends; `about` is the word before a place that is not known exactly."""
    levels = tuple(_level(fall) for fall in told.levels)
    return {
        "level": knee.level,
        "knee_s": knee.s,
        "knee_bytes": knee.written,
        "blur": knee.blur,
        "about": _about(knee),
        "scatter": told.scatter,
        "settled_s": told.settled_s,
        "levels": levels,
    }


def _level(fall: Fall) -> Because:
    return Because("level", {"rate": fall.level, "s": fall.s, "bytes": fall.written, "about": _about(fall)})


def _about(fall: Fall) -> str | Because:
    return Because("about") if fall.blur > BLUR else ""
