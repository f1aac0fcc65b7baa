"""Estimate the time remaining of a run from its events so far.

Fills are estimated at the rate of earlier fills of their kind, the present one at its present rate, rounds by the
duration of past rounds. Steady state is expected when the rule is met by the series, extrapolated as it has been
settling.
`benchmarks/remaining.py` counts how often the range holds the end.
"""

import itertools
import math
import operator
from collections import deque
from statistics import mean, median
from typing import Literal, NamedTuple

from stend.model.counts import Counts
from stend.model.definition import Bytes, Hold, Idle, Phase, Purge, Rule, Seconds, Steady, Step, Whole, Workload
from stend.model.estimate import FLOOR, SLOWEST_SHARE, TYPICAL_ROUNDS, assumed, fresh_seconds
from stend.model.events import Event, Judged, Result, Sample, Started
from stend.model.record import Run
from stend.model.stats import RULES, WINDOWS, Rounds

NOW_S = 30
"""Seconds of the present load from which its rate is derived."""
SETTLING, SLOWEST_SETTLING = 0.5, 0.7
"""Factor between the moves of two successive rounds: assumed until a third round exists, and its maximum."""
SETTLED_FILLS = 2
"""Capacities that a saturation writes before its window can begin. Cleaning begins within the first (a choice of
stend)."""
CLOCK = 0.01
"""Share of the time remaining by which a plan of timed steps alone may be missed: ends of steps, reads of the drive."""


Kind = tuple[int, bool, tuple[tuple[int, float], ...], int, int]
"""The random percentage, True for reads alone, the sizes, the threads and the depth of a load."""


class ToGo(NamedTuple):
    """Seconds remaining: at best, most likely, and at most."""

    low_s: float
    likely_s: float
    high_s: float


class View(NamedTuple):
    """Assumptions of an estimate.

    Factors on rates: of fills whose kind was measured, and of others. A factor on measured pauses. Which rounds end a
    search for steady state: the first possible, the likely, or the last. The lowest rate of fresh writes, and a factor
    on the time that writing takes at the present rate. The weight of a second of rest, below 1 only where rests are
    simulated.
    """

    known: float = 1
    unknown: float = 1
    pauses: float = 1
    rounds: Literal["first", "likely", "last"] = "likely"
    floor: float = FLOOR
    slower: float = 1
    rest: float = 1


TYPICAL_EXTRA = TYPICAL_ROUNDS - WINDOWS["pts"]
"""Rounds after the first full window that a drive needs, before the run has ended a search."""
USUAL = View()
QUICK = View(known=1.15, unknown=2, pauses=0, rounds="first", floor=1, slower=0.85)
SLOW = View(known=1 / 1.3, unknown=SLOWEST_SHARE, pauses=2, floor=FLOOR / 3, slower=2)


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

    def seconds_a_byte(self, workload: Workload | None = None) -> float:
        """Return the present seconds per byte written, or read by a workload that only reads, or 0 before the first."""
        done = sum(moved_bytes(c, workload) if workload else c.write.bytes for c in self.recent)
        return self.recent_s / done if done else 0.0


class Learned:
    """Measurements of the run so far about its drive: rates of fills, pauses, purges, rounds to steady state."""

    def __init__(self) -> None:
        self.fills: dict[Kind, Counts] = {}
        self.writes: dict[Kind, Counts] = {}
        self.pauses: list[float] = []
        self.purge_s = 0.0
        self.extra: list[int] = []

    def add(self, result: Result, took: float, before: Workload | None) -> None:
        """Add a completed step that took so many seconds with its pause, after a step of the workload `before`."""
        counts = result.counts.without_bins()
        match result.step:
            case Purge():
                self.purge_s = took
            case Hold(workload=workload, amount=Bytes()) if workload.sync == "none":  # one synced write is no fill
                self.fills[kind(workload)] = self.fills.get(kind(workload), Counts()) + counts
            case Hold(workload=workload, amount=Seconds(seconds=seconds)):
                if workload != before:
                    self.pauses.append(max(took - seconds, 0))
                if not workload.read_pct:
                    self.writes[kind(workload)] = counts

    def pause_s(self, view: View, assumed_s: float) -> float:
        """Return the pause before a load that differs from the one before it."""
        usual = median(self.pauses) if self.pauses else assumed_s
        return view.pauses * (max(usual, mean(self.pauses)) if self.pauses and view.pauses > 1 else usual)

    def bytes_per_s(self, workload: Workload, view: View, assumed: float) -> float:
        """Return the rate at which this workload fills a drive.

        It is that of fills of its kind, else that with other threads or depths, else that of timed writes of its kind,
        else the lowest of other fills. Fewer outstanding IOs than were measured can be much slower.
        """
        here = kind(workload)
        near = {known: counts for known, counts in self.fills.items() if known[:3] == here[:3]}
        deeper = all(workload.outstanding < known[3] * known[4] for known in near)
        for known, factor in (
            (near.get(here), view.known),
            (sum(near.values(), Counts()), view.unknown if deeper else math.sqrt(view.known * view.unknown)),
            (self.writes.get(here), view.unknown),
        ):
            if known and moved_bytes(known, workload):
                return factor * moved_bytes(known, workload) / known.seconds
        rates = [counts.bytes_per_s for counts in self.fills.values() if counts.bytes_per_s]
        return view.unknown * min(rates, default=assumed)

    def usual_extra(self) -> int:
        """Return the usual number of rounds after the first full window. `TYPICAL_EXTRA` counts as one search."""
        return round(mean([TYPICAL_EXTRA, *self.extra]))


class Progress:
    """Estimator of the time remaining. Add every event, then call `to_go`. Its only clock is that of the events."""

    def __init__(self) -> None:
        self.run, self.at, self.present, self.learned = Run(), 0, Present(), Learned()
        self.places: list[tuple[str, Phase]] = []
        self.before: Workload | None = None
        self.loaded_s = 0.0
        self.result_t: float
        self.round_t: float

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
        self.before, self.result_t, self.round_t = None, 0.0, 0.0

    def _done(self, result: Result) -> None:
        took, self.result_t = result.t - self.result_t, result.t
        self.learned.add(result, took, self.before)
        self.before = result.step.workload if isinstance(result.step, Hold) else None
        self.present.steps += 1
        self.present.total += result.counts.without_bins()
        self.loaded_s += result.counts.seconds
        self.present.held = Counts()

    def _judged(self, judged: Judged) -> None:
        if judged.ended_by:
            rule = self.places[self.at][1].steady
            if rule and judged.steady:
                self.learned.extra.append(judged.where.round - self.present.before - WINDOWS[rule.rule])
            self.at, self.present = self.at + 1, Present()
        else:
            self.present.rounds, self.present.steps = judged.where.round, 0
            self.present.round_s.append(judged.t - self.round_t)
        self.round_t = judged.t

    def to_go(self, rest: float = 1) -> ToGo:
        """Return the low, likely and high estimate. A second of rest counts as `rest` seconds.

        A wrong rate or pause is wrong in all phases, and its errors add up; so does a drive that is steady in every
        first window. The numbers of more rounds are independent, and their errors are added in quadrature.
        """
        if not self.run.started or self.at >= len(self.places):
            return ToGo(0, 0, 0)
        likely, quick, slow = (self._seconds(view._replace(rest=rest)) for view in (USUAL, QUICK, SLOW))
        last = self._seconds(USUAL._replace(rest=rest, rounds="last"))
        low, high = sum(map(min, quick, likely)), sum(map(max, slow, likely))
        more = math.hypot(*map(operator.sub, last, likely))
        return ToGo(low * (1 - CLOCK), sum(likely), (high + more) * (1 + CLOCK))

    def phases_s(self) -> list[float]:
        """Return the likely seconds remaining of the present phase and of each later one."""
        return self._seconds(USUAL) if self.at < len(self.places) else []

    def expected_rounds(self) -> int:
        """Return the likely total number of rounds of the present phase."""
        test, phase = self.places[self.at]
        return self._rounds(test, phase, self.present, USUAL)

    def _seconds(self, view: View) -> list[float]:
        """Return the seconds remaining of each phase under these assumptions."""
        ahead = self.places[self.at :]
        presents = [self.present, *(Present() for _ in ahead[1:])]
        return [self._left(*place, present, view) for place, present in zip(ahead, presents, strict=True)]

    def _left(self, test: str, phase: Phase, present: Present, view: View) -> float:
        """Return the seconds remaining of a phase: its present round and later rounds, or less if a limit is nearer."""
        steps = phase.round[present.steps :]
        before = self.before if present is self.present else None
        rest = self._step_left(steps[0], present, view, before) if steps else 0
        rest += sum(self._step(step, view, _load(last)) for last, step in itertools.pairwise(steps))
        more = max(self._rounds(test, phase, present, view) - present.rounds - 1, 0)
        a_round = mean(present.round_s) if present.round_s and view.rest == 1 else self._round(phase, view)
        limits = [self._limit_left(rule, phase, present, view) for rule in phase.until if not isinstance(rule, Steady)]
        return max(0.0, min([rest + more * a_round, *limits]))

    def _round(self, phase: Phase, view: View) -> float:
        """Return the seconds of a round that follows a round like it."""
        return sum(self._step(step, view, _load(phase.round[at - 1])) for at, step in enumerate(phase.round))

    def _step(self, step: Step, view: View, before: Workload | None) -> float:
        """Return the seconds of a step and of the pause before it. A load that continues has none."""
        usual = assumed(self.run.plan.device)
        pause_s = self.learned.pause_s(view, usual.pause_s) if _load(step) != before else 0
        match step:
            case Hold(amount=Seconds(seconds=seconds) | Whole(seconds=seconds)):
                return seconds + pause_s
            case Hold(workload=workload, amount=Bytes(bytes=size)):
                return size / self.learned.bytes_per_s(workload, view, usual.bytes_per_s) + pause_s
            case Idle(seconds=seconds):
                return seconds * view.rest
            case _:
                return self.learned.purge_s or usual.purge_s

    def _step_left(self, step: Step, present: Present, view: View, before: Workload | None) -> float:
        """Return the seconds remaining of the present step."""
        match step:
            case Hold(amount=Seconds() | Whole()):
                return max(0.0, self._step(step, view, before) - present.held.seconds)
            case Hold(workload=workload, amount=Bytes(bytes=size)) if (
                done := moved_bytes(present.held, workload)
            ) and (now := present.seconds_a_byte(workload)):
                whole = present.held.seconds / done  # a disk is slower inside than outside
                pace = now if view.slower == 1 else (max if view.slower > 1 else min)(now, whole)
                return max(size - done, 0) * pace * view.slower
            case _:
                return self._step(step, view, before)

    def _limit_left(self, rule: Rule, phase: Phase, present: Present, view: View) -> float:
        """Return the seconds until a limit of time or writing ends a phase."""
        done, capacity = present.total + present.held, self.run.plan.device.capacity_bytes
        match rule:
            case Seconds(seconds=seconds):
                return seconds - done.seconds
            case Bytes(bytes=size) if present.recent:
                begun, more = done.write.bytes / capacity, (size - done.write.bytes) / capacity
                return fresh_seconds(begun, more, present.seconds_a_byte() * capacity, view.floor)
            case Bytes(bytes=size):
                load = next((hold.workload for hold in phase.holds), None)
                usual = assumed(self.run.plan.device).bytes_per_s
                return size / (self.learned.bytes_per_s(load, view, usual) if load else usual)
            case _:
                return math.inf

    def _until_overwritten(self, phase: Phase, present: Present, view: View) -> int:
        """Return the rounds in which a saturation writes `SETTLED_FILLS` capacities, or 0 for other phases.

        No drive is steady before that.
        """
        if not present.recent or not any(isinstance(rule, Bytes) for rule in phase.until):
            return 0
        done, capacity = present.total + present.held, self.run.plan.device.capacity_bytes
        begun = done.write.bytes / capacity
        left = fresh_seconds(begun, SETTLED_FILLS - begun, present.seconds_a_byte() * capacity, view.floor)
        return int((done.seconds + left) / self._round(phase, view)) if begun < SETTLED_FILLS else 0

    def _rounds(self, test: str, phase: Phase, present: Present, view: View) -> int:
        """Return the total number of rounds of a phase."""
        rule = phase.steady
        if rule is None or view.rounds == "last":
            return phase.rounds
        least = present.before + WINDOWS[rule.rule]
        if view.rounds == "first":
            return min(least, phase.rounds)
        if present.rounds < 3:
            after = self._until_overwritten(phase, present, view) + WINDOWS[rule.rule]
            return min(max(least + self.learned.usual_extra(), after), phase.rounds)
        series = (self.run.series(test, phase.name, workload) for workload in rule.track)
        values = ([(n, counts.quantity(rule.quantity)) for n, counts in points] for points in series)
        return min(max(least, *(rounds_to_steady(points, rule.rule, phase.rounds) for points in values)), phase.rounds)


def kind(workload: Workload) -> Kind:
    """Return what the rate of a fill depends on."""
    return workload.random_pct, workload.read_pct == 100, workload.sizes, workload.threads, workload.depth


def moved_bytes(counts: Counts, workload: Workload) -> int:
    """Return the bytes of a load that count towards its amount: those written, or those read if it only reads."""
    return counts.read.bytes if workload.read_pct == 100 else counts.write.bytes


def _load(step: Step) -> Workload | None:
    return step.workload if isinstance(step, Hold) else None


def rounds_to_steady(points: Rounds, rule: str, limit: int) -> int:
    """Return the round at which a rule will be met if the series continues to settle, at most `limit`."""
    series = list(points)
    while series and series[-1][0] < limit:
        verdict = RULES[rule](series)
        if verdict and verdict.steady:
            break
        series.append((series[-1][0] + 1, series[-1][1] * next_move([value for _, value in series])))
    return series[-1][0] if series else limit


def next_move(values: list[float]) -> float:
    """Return the factor of a series' next move: smaller each time, as in the past, or 1 if it moves to and fro."""
    moves = [math.log(b / a) if a > 0 and b > 0 else 0.0 for a, b in itertools.pairwise(values[-3:])]
    if len(moves) < 2:
        return math.exp(SETTLING * sum(moves))
    before, last = moves
    return math.exp(last * min(last / before, SLOWEST_SETTLING)) if before * last > 0 else 1.0
