"""Heat in what a drive reports between rounds: throttling, temperature, and whether a load has heated it enough."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from stend.model.definition import Hold
from stend.model.events import Telemetry
from stend.model.record import Run

THROTTLES = ("throttle_s", "throttle_events", "warning_temperature_min")
COLDEST_C, HOTTEST_C = -40.0, 150.0
"""No drive works at or beyond these temperatures, and a sensor without a value reports exactly 0."""
SENSORS, NO_SENSOR = ("temperature", "sensor"), ("_min", "_s", "_events")
"""Prefixes of values that are temperatures, and suffixes of those that count time or events instead."""
STEADY_ROUNDS, STEADY_K = 10, 1.0
"""A temperature is steady if it moved by no more than this over so many rounds, each a minute. A choice of stend."""
LEAST_ROUNDS, WARMED_K = 30, 3.0
"""A load goes on for so many rounds unless it has warmed the drive by as much: large heatsinks warm up slowly. A choice
of stend.

A drive without a temperature is loaded as long, for the throttling that it may report.
"""
AFTER_ROUNDS = 5
"""Rounds that a load goes on after the first throttling, for the level after it. A choice of stend."""


def growth(before: Mapping[str, Any], now: Mapping[str, Any], name: str) -> float:
    """Return how much a counter grew, or 0 if one of the two lacks it, or if it started again."""
    was, is_now = before.get(name), now.get(name)
    return 0 if was is None or is_now is None else max(float(is_now) - float(was), 0)


def slowed(before: Telemetry, now: Telemetry) -> bool:
    """Return True if the drive throttled itself between two neighbouring Telemetry events."""
    return any(growth(before.values, now.values, name) for name in THROTTLES) or bool(now.values.get("throttled"))


def celsius(look: Telemetry) -> float | None:
    """Return the highest plausible temperature of all sensors in one reading, in °C, or None without one."""
    values = (value for name, value in look.values.items() if name.startswith(SENSORS) and not name.endswith(NO_SENSOR))
    return max((c for value in values for c in _possible(value)), default=None)


def _possible(value: Any) -> Sequence[float]:
    """Return the numbers of a value (one or a list) that a working drive can have."""
    every = value if isinstance(value, list | tuple) else [value]
    numbers = [float(c) for c in every if isinstance(c, int | float) and not isinstance(c, bool)]
    return [c for c in numbers if COLDEST_C < c < HOTTEST_C and c != 0]


def steady(degrees: Sequence[float]) -> bool:
    """Return True if the last of these temperatures, one after each round, are level."""
    last = degrees[-STEADY_ROUNDS - 1 :]
    return len(last) > STEADY_ROUNDS and max(last) - min(last) <= STEADY_K


def heated(run: Run, test: str, phase: str) -> bool:
    """Return True if a load that is held in rounds has throttled the drive for a while, or heats it no more."""
    results, looks = run.present
    held = [result for result in results if (result.where.test, result.where.phase) == (test, phase)]
    if not held:
        return False
    first_s = held[0].t - held[0].counts.seconds
    since = [look for look in looks if look.t > first_s]
    earlier = [result.t for result in results if isinstance(result.step, Hold) and result.t <= first_s]
    throttled = [
        now.t
        for before, now in pairwise(looks)
        if now.t > first_s and slowed(before, now) and (now.values.get("throttled") or not _loaded(before, earlier))
    ]
    if throttled:
        return sum(result.t > throttled[0] for result in held) >= AFTER_ROUNDS
    degrees = [c for look in since if (c := celsius(look)) is not None]
    if not degrees:
        return len(held) >= LEAST_ROUNDS
    return steady(degrees) and (len(held) >= LEAST_ROUNDS or max(degrees) - degrees[0] >= WARMED_K)


def _loaded(before: Telemetry, ends: Sequence[float]) -> bool:
    """Return True if another load ended after a reading: a counter that grew since may have counted in that load."""
    return any(before.t < end for end in ends)
