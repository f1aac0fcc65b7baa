"""Watts of the power test: at rest, by load, at fixed rates, and the highest mean of a second."""

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from stend.findings import look
from stend.findings.look.figures import Figures, listed
from stend.findings.look.metered import COVERED, Level, between, meter, span
from stend.findings.look.once import once
from stend.model.definition import Idle, PlannedTest
from stend.model.record import Run

TEST, IDLE, CONDITION, RATES = "power", "idle", "condition", "rates"
LOADS = ("loads-read", "loads-write")
KINDS = {"stream_read": (0, 100), "stream_write": (0, 0), "random_read": (100, 100), "random_write": (100, 0)}
"""Kind of load -> shares of random accesses and of reads in percent."""
SECOND_S = 1.0
LONGER = 1.1
"""A reading may last this many times a second and still be one of a second."""
FAST = 0.25
"""The first second of a rest is stated only for a meter with at least four values in it."""


class Rest(NamedTuple):
    """The power of an idle drive after a rest in seconds. `scatter` is the standard deviation of the readings."""

    rest_s: float
    level: Level
    scatter: float


@once
def rests(run: Run, test: str) -> tuple[Rest, ...]:
    """Return the power after each rest whose readings cover it. 0 s is the mean of the first second.

    A meter that asks the drive is read once at the end of a rest, and its value is that of the time before.
    """
    planned, facts = run.plan.test(test), meter(run)
    if facts is None:
        return ()
    wanted = iter([planned.profile.seconds(rest_s).seconds for rest_s in planned.profile.options["rests_s"]])
    found = list[Rest]()
    for before, result in pairwise(run.of(test, IDLE)):
        if not isinstance(result.step, Idle):
            continue
        rest_s, stretch, begin, end = next(wanted), span(run, result)[0], before.t, result.t
        measured_s = min(facts.window_s or max(SECOND_S, 2 * facts.period_s), result.step.seconds - rest_s)
        from_s = end - measured_s if facts.window_s else begin + rest_s
        if facts.period_s <= FAST * SECOND_S and not found and end - begin > 2 * SECOND_S:
            found += _rest(run, 0.0, stretch, begin, begin + SECOND_S)
        found += _rest(run, rest_s, stretch, from_s, from_s + measured_s)
    return tuple(sorted(found))


def _rest(run: Run, rest_s: float, stretch: int, begin: float, end: float) -> Iterator[Rest]:
    level = between(run, stretch, begin, end)
    if level.covered >= COVERED:
        rows = run.readings.table("watts", stretch, begin, end)
        yield Rest(rest_s, level, float(rows[:, 2].std()) if len(rows) else 0.0)


def loads(run: Run, test: PlannedTest, *phases: str) -> list[Figures]:
    """Return the loads of these phases that a meter measured, as listed."""
    rows = (row for phase in phases for row in listed(run, test.name, phase))
    return [row for row in rows if row.direction == "both" and row.tally.ios and row.power]


@once
def highest_second(run: Run, test: str) -> float | None:
    """Return the highest mean of a second of a test in watts, or None without readings that are this short."""
    spans = [span(run, record.result) for record in look.records(run, test)]
    highest = (_highest(run, stretch, spans) for stretch in dict.fromkeys(stretch for stretch, _, _ in spans))
    return max((watts for watts in highest if watts is not None), default=None)


def _highest(run: Run, stretch: int, spans: list[tuple[int, float, float]]) -> float | None:
    """Return the highest mean of the seconds that end with a reading, from the energy up to each moment."""
    begin = min(begin for number, begin, _ in spans if number == stretch)
    end = max(end for number, _, end in spans if number == stretch)
    rows = run.readings.table("watts", stretch, begin, end)
    if not len(rows) or float(rows[:, 1].max()) > SECOND_S * LONGER:
        return None
    joules = np.cumsum(rows[:, 1] * rows[:, 2])
    times = np.maximum.accumulate(np.stack([rows[:, 0] - rows[:, 1], rows[:, 0]], axis=1).ravel())
    energy = np.stack([joules - rows[:, 1] * rows[:, 2], joules], axis=1).ravel()
    ends = rows[rows[:, 0] >= times[0] + SECOND_S * (2 - LONGER), 0]
    means = np.interp(ends, times, energy) - np.interp(ends - SECOND_S, times, energy)
    return float(means.max()) / SECOND_S if len(means) else None
