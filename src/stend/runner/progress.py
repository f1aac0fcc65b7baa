"""Estimate the time remaining of a run from its events so far.

Fills are estimated at the present write rate, rounds by the duration of past rounds. Steady state is expected when the
rule is met by the series, extrapolated as it has been settling.
"""

import itertools
import math
from collections import deque
from typing import NamedTuple

from stend.model.counts import Counts
from stend.model.definition import Bytes, Hold, Phase, Purge, Rule, Seconds, Steady, Whole
from stend.model.estimate import (
    FLOOR,
    TYPICAL_ROUNDS,
    Speed,
    assumed,
    fresh_seconds,
    round_seconds,
    rule_seconds,
    slowest,
    step_seconds,
)
from stend.model.events import Event, Judged, Result, Sample, Started
from stend.model.record import Run
from stend.model.stats import RULES, WINDOWS, Rounds

NOW_S = 30
"""Seconds of the present load from which its rate is derived."""
SETTLING, SLOWEST_SETTLING = 0.5, 0.7
"""Factor between the moves of two successive rounds: assumed until a third round exists, and its maximum."""
SETTLED_FILLS = 2
"""Capacities that a saturation writes before its window can begin. Cleaning begins within the first (our choice)."""


class ToGo(NamedTuple):
    """Seconds remaining: at best, most likely, and at most."""

    low_s: float
    likely_s: float
    high_s: float


class View(NamedTuple):
    """Assumptions of an estimate: the drive's speed, rounds to steady state, and the lowest rate of fresh writes.

    `rounds` None is estimated from the series. `slower` multiplies the time that writing takes at the present rate.
    """

    speed: Speed
    rounds: int | None
    floor: float
    slower: float


class Present:
    """Progress of the present phase. The window begins after round `before`, where an interruption was."""

    def __init__(self, rounds: int = 0) -> None:
        self.rounds = self.before = rounds
        self.steps = 0
        self.held, self.total = Counts(), Counts()
        self.recent: deque[Counts] = deque()
        self.recent_s = 0.0
        self.round_s: list[float] = []

    def sample(self, counts: Counts) -> None:
        """Add the counts of a sample."""
        self.held += counts
        self.recent.append(counts)
        self.recent_s += counts.seconds
        while self.recent_s - self.recent[0].seconds >= NOW_S:
            self.recent_s -= self.recent.popleft().seconds

    def seconds_a_byte(self) -> float:
        """Return the present seconds per byte written; 0 before the first write."""
        written = sum(c.write.bytes for c in self.recent)
        return self.recent_s / written if written else 0.0


class Progress:
    """Estimator of the time remaining. Add every event, then call `to_go`. Its only clock is that of the events."""

    def __init__(self) -> None:
        self.run, self.at, self.present = Run(), 0, Present()
        self.places: list[tuple[str, Phase]] = []
        self.filled, self.purge_s = Counts(), 0.0
        self.timed, self.paused_s = 0, 0.0
        self.result_t = self.round_t = 0.0

    def add(self, event: Event) -> None:
        """Add an event."""
        match event:
            case Started():
                self._started(event)
            case Sample():
                self.present.sample(event.counts)
            case Result():
                self._done(event)
            case Judged():
                self._judged(event)
        if not isinstance(event, Sample):
            self.run.add(event)

    def _started(self, event: Started) -> None:
        again = event.continues
        if self.run.started and again is None:
            return  # a virtual drive repeats the recorded part, and continues where it ends
        self.places = [(test.name, phase) for test in event.plan.tests for phase in test.phases]
        names = [(test, phase.name) for test, phase in self.places]
        self.at = names.index((again.test, again.phase)) if again else 0
        self.present = Present(again.round - 1 if again else 0)
        self.result_t = self.round_t = 0.0

    def _done(self, result: Result) -> None:
        took, self.result_t = result.t - self.result_t, result.t
        match result.step:
            case Purge():
                self.purge_s = took
            case Hold(amount=Seconds(seconds=seconds)):
                self.timed, self.paused_s = self.timed + 1, self.paused_s + took - seconds
            case Hold(amount=Bytes()):
                self.filled += result.counts.without_bins()
        self.present.steps += 1
        self.present.total += result.counts.without_bins()
        self.present.held = Counts()

    def _judged(self, judged: Judged) -> None:
        if judged.ended_by:
            self.at, self.present = self.at + 1, Present()
        else:
            self.present.rounds, self.present.steps = judged.where.round, 0
            self.present.round_s.append(judged.t - self.round_t)
        self.round_t = judged.t

    def to_go(self) -> ToGo:
        """Return the low, likely and high estimate."""
        if not self.run.started:
            return ToGo(0, 0, 0)
        device = self.run.plan.device
        usual = self._speed(assumed(device))
        low = self._seconds(View(usual, rounds=1, floor=1, slower=1))
        likely = self._seconds(View(usual, rounds=None, floor=FLOOR, slower=1))
        high = self._seconds(View(self._speed(slowest(device)), rounds=10**9, floor=FLOOR / 3, slower=2))
        return ToGo(min(low, likely), likely, max(high, likely))

    def _seconds(self, view: View) -> float:
        """Return the seconds remaining under these assumptions."""
        ahead = self.places[self.at :]
        presents = [self.present, *(Present() for _ in ahead[1:])]
        return sum(self._left(*place, present, view) for place, present in zip(ahead, presents, strict=False))

    def _speed(self, supposed: Speed) -> Speed:
        """Return the measured speed, or the assumed one where nothing was measured."""
        rate = self.filled.write.bytes / self.filled.seconds if self.filled.seconds else supposed.bytes_per_s
        pause_s = self.paused_s / self.timed if self.timed else supposed.pause_s
        return Speed(rate, self.purge_s or supposed.purge_s, max(pause_s, 0))

    def _left(self, test: str, phase: Phase, present: Present, view: View) -> float:
        """Return the seconds remaining of a phase: its present round and later rounds, or less if a limit is nearer."""
        steps = phase.round[present.steps :]
        rest = sum(step_seconds(step, view.speed) for step in steps[1:])
        rest += _step_left(steps[0], present, view) if steps else 0
        more = max(self._rounds(test, phase, present, view), present.rounds + 1) - present.rounds - 1
        a_round = sum(present.round_s) / len(present.round_s) if present.round_s else round_seconds(phase, view.speed)
        limits = [self._limit_left(rule, present, view) for rule in phase.until if not isinstance(rule, Steady)]
        return max(0.0, min([rest + more * a_round, *limits]))

    def _limit_left(self, rule: Rule, present: Present, view: View) -> float:
        done = present.total + present.held
        if isinstance(rule, Seconds):
            return rule.seconds - done.seconds
        if not isinstance(rule, Bytes) or not present.recent:
            return rule_seconds(rule, view.speed)
        capacity = self.run.plan.device.capacity_bytes
        begun, more = done.write.bytes / capacity, (rule.bytes - done.write.bytes) / capacity
        return fresh_seconds(begun, more, present.seconds_a_byte() * capacity, view.floor)

    def _until_overwritten(self, phase: Phase, present: Present, view: View) -> int:
        """Return the rounds in which a saturation writes `SETTLED_FILLS` capacities; 0 for other phases.

        No drive is steady before that.
        """
        if not present.recent or not any(isinstance(rule, Bytes) for rule in phase.until):
            return 0
        done, capacity = present.total + present.held, self.run.plan.device.capacity_bytes
        begun = done.write.bytes / capacity
        left = fresh_seconds(begun, SETTLED_FILLS - begun, present.seconds_a_byte() * capacity, view.floor)
        return int((done.seconds + left) / round_seconds(phase, view.speed)) if begun < SETTLED_FILLS else 0

    def _rounds(self, test: str, phase: Phase, present: Present, view: View) -> int:
        """Return the total number of rounds of a phase."""
        rule = next((rule for rule in phase.until if isinstance(rule, Steady)), None)
        if rule is None:
            return phase.rounds
        least = present.before + WINDOWS[rule.rule]
        if view.rounds is not None:
            return min(max(view.rounds, least), phase.rounds)
        if present.rounds < 3:
            after = self._until_overwritten(phase, present, view) + WINDOWS[rule.rule]
            return min(max(TYPICAL_ROUNDS, least, after), phase.rounds)
        series = (self.run.series(test, phase.name, workload) for workload in rule.track)
        values = ([(n, counts.quantity(rule.quantity)) for n, counts in points] for points in series)
        return min(max(least, *(rounds_to_steady(points, rule.rule, phase.rounds) for points in values)), phase.rounds)


def _step_left(step: object, present: Present, view: View) -> float:
    """Return the seconds remaining of the present step."""
    match step:
        case Hold(amount=Seconds(seconds=seconds) | Whole(seconds=seconds)):
            return max(0.0, seconds - present.held.seconds) + view.speed.pause_s
        case Hold(amount=Bytes(bytes=size)):
            left = size - present.held.write.bytes
            return left * (present.seconds_a_byte() * view.slower or 1 / view.speed.bytes_per_s)
        case _:
            return step_seconds(step, view.speed)  # type: ignore[arg-type]


def rounds_to_steady(points: Rounds, rule: str, limit: int) -> int:
    """Return the round at which a rule will be met if the series continues to settle; at most `limit`."""
    series = list(points)
    while series and series[-1][0] < limit:
        verdict = RULES[rule](series)
        if verdict and verdict.steady:
            break
        series.append((series[-1][0] + 1, series[-1][1] * next_move([value for _, value in series])))
    return series[-1][0] if series else limit


def next_move(values: list[float]) -> float:
    """Return the factor of a series' next move: smaller each time, as in the past; 1 if it moves to and fro."""
    moves = [math.log(b / a) if a > 0 and b > 0 else 0.0 for a, b in itertools.pairwise(values[-3:])]
    if len(moves) < 2:
        return math.exp(SETTLING * sum(moves))
    before, last = moves
    return math.exp(last * min(last / before, SLOWEST_SETTLING)) if before * last > 0 else 1.0
