"""Courses of power that are known exactly, and a meter that shows them as real meters do: late, coarse, with gaps."""

import random
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from functools import cache

from msgspec.structs import replace

from stend.meters._series import Recorder, Series
from stend.meters.cmd import Output
from stend.model.counts import Counts
from stend.model.definition import Hold
from stend.model.events import Event, MeterFacts, Reading, Result, Started
from stend.model.record import Run
from stend.words import Sentence
from tests.synthetic import events

STARTS_S = 1000.0
"""The host's monotonic clock at the start of a run."""


@dataclass
class Course:
    """Steps of power: each load lasts from `begins[i]` to `ends[i]` and takes `watts[i]`; between them `idle` watts."""

    begins: list[float]
    ends: list[float]
    watts: list[float]
    idle: float

    def power(self, t: float) -> float:
        load = bisect_right(self.ends, t)
        return self.watts[load] if load < len(self.begins) and self.begins[load] <= t else self.idle

    def joules(self, begin: float, end: float) -> float:
        """The energy between two moments, exactly."""
        met = slice(bisect_right(self.ends, begin), bisect_left(self.begins, end))
        loads = zip(self.begins[met], self.ends[met], self.watts[met], strict=True)
        shares = [(max(min(b, end) - max(a, begin), 0.0), w) for a, b, w in loads]
        return sum(s * w for s, w in shares) + self.idle * (end - begin - sum(s for s, _ in shares))


@dataclass
class Fake:
    """A meter of a course, on the clock of the run.

    `means` averages over each period, otherwise a value is that of its moment. `counter_j` is where a counter of energy
    wraps; 0 for a meter of watts. Values between `gaps` and after `dies_s` are missing.
    """

    period_s: float = 0.1
    late_s: float = 0.08
    step: float = 0.01
    means: bool = True
    counter_j: float = 0.0
    noise: float = 0.0
    jitter_s: float = 0.0
    gaps: tuple[tuple[float, float], ...] = ()
    dies_s: float = 1e9
    dice: random.Random = field(default_factory=lambda: random.Random(1))

    def lines(self, course: Course, until: float) -> list[tuple[float, bytes]]:
        """What the meter prints, each line with the moment of its arrival."""
        printed = []
        for number in range(1, int(until / self.period_s) + 1):
            at = number * self.period_s
            if at > self.dies_s or any(a < at <= b for a, b in self.gaps):
                continue
            value = course.joules(at - self.period_s, at) / self.period_s if self.means else course.power(at)
            value = value * (1 + self.dice.gauss(0, self.noise))
            unit = "W"
            if self.counter_j:
                value, unit = course.joules(0.0, at) % self.counter_j, "J"
            value = round(value / self.step) * self.step
            arrives = at + self.late_s + self.dice.uniform(0, self.jitter_s)
            printed.append((arrives, f"{value:.6f} {unit}\n".encode()))
        return printed


@cache
def results(name: str = "iops") -> tuple[Started, tuple[Result, ...]]:
    """Any results of loads, whose times are then made to fit a course."""
    known = events([name], minute_s=1.0, rounds=5)
    begun = next(event for event in known if isinstance(event, Started))
    return begun, tuple(e for e in known if isinstance(e, Result) and isinstance(e.step, Hold))


def recorded(
    course: Course, fake: Fake, *, until: float, lines: list[tuple[float, bytes]] | None = None, spec: str = "cmd:fake"
) -> tuple[Run, list[Sentence]]:
    """The run that a course and its meter make, and the notes of the meter."""
    begun, some = results()
    series, output, meter = Series(fake.period_s), Output(), Recorder()
    output.series = meter.series = series
    for arrives, line in lines or fake.lines(course, until):
        output.take(STARTS_S + arrives, line)
    series.finish(STARTS_S + until)
    meter.over = True
    facts = MeterFacts(spec=spec, name="fake", period_s=fake.period_s)
    values = [
        Reading(t=v.end - STARTS_S, quantity="watts", value=v.mean, seconds=v.seconds, most=v.most)
        for v in meter.read()
        if v.end - v.seconds >= STARTS_S
    ]
    loads = [
        replace(some[n], t=end, counts=Counts(end - begin, 0.0, some[n].counts.read, some[n].counts.write))
        for n, (begin, end) in enumerate(zip(course.begins, course.ends, strict=True))
    ]
    told: list[Event] = [replace(begun, meters=(facts,)), *loads, *values]
    return Run(told), meter.words()


def drawn(seed: int, *, loads: int = 16) -> Course:
    """A course of loads of 2 to 30 s at 2 to 20 W, some with a rest between them."""
    dice = random.Random(seed)
    t, begins, ends = dice.uniform(1, 5), [], []
    for _ in range(loads):
        begins.append(t)
        t += dice.uniform(2, 30)
        ends.append(t)
        t += dice.choice([0.03, 0.03, dice.uniform(1, 10)])
    return Course(begins, ends, [dice.uniform(2, 20) for _ in begins], dice.uniform(0.5, 2))
