"""The main loop: plan, drive and engine in, an iterator of events out. It prints, writes and sleeps nothing.

It is a pure function of the plan and the events so far, so that a killed run can continue from its file. The
measurement window then starts again, and every report states this. A load that a signal killed is repeated in the same
way, without an operator.
"""

import hashlib
from collections.abc import Callable, Generator, Iterable, Iterator

import msgspec

from stend.base.errors import LoadFailed, StendError, StepFailed
from stend.base.version import __version__
from stend.devices import Device
from stend.engines import Engine
from stend.model.counts import Counts
from stend.model.definition import Bytes, Hold, Idle, Phase, Plan, PlannedTest, Purge, Step
from stend.model.events import (
    Ended,
    Event,
    Judged,
    Note,
    NoteKind,
    Outcome,
    Position,
    Result,
    Sample,
    Started,
    Telemetry,
)
from stend.model.record import Run
from stend.runner import forecast, rules
from stend.runner import telemetry as watch
from stend.runner.bench import Ahead, Bench, Done, Stopped
from stend.runner.resume import Repeats, place, resume_point
from stend.suite import chooser
from stend.words import NO_WORDS, Sentence, text

SLEPT_S, SILENT_S = 0.5, 10.0
"""Seconds of a suspend within a step, and seconds without counts, that every page must show. Intervals last 1 s."""

Turn = Callable[[PlannedTest, Phase, Callable[[], object]], Iterable[tuple[Sentence, NoteKind]]]
"""Called before each phase of a run that shares the host. It waits if needed, and returns notes.

The function passed to it stops the load before a wait.
"""


def at_once(test: PlannedTest, phase: Phase, stop: Callable[[], object]) -> tuple[tuple[Sentence, NoteKind], ...]:
    """Return without waiting: the turn of a run that does not share the host."""
    return ()


def run(
    plan: Plan,
    device: Device,
    engine: Engine,
    *,
    seed: int,
    at: float,
    past: Run | None = None,
    fingerprint: dict[str, str] | None = None,
    stopping: Callable[[], bool] = lambda: False,
    turn: Turn = at_once,
    number: int | None = None,
    label: str = "",
    tested_by: str = "",
) -> Generator[Event, None, None]:
    """Yield every event of a run in order. With `past`, start at its last safe boundary. Closing it stops the load.

    Verified content carries `number`, which no other run has, or else the seed.
    """
    again = resume_point(past) if past and past.started else None
    runner = Runner(past or Run(), device, engine, seed, stopping, turn)
    runner.number = seed if number is None else number
    keep = runner.past.add
    seen = fingerprint or {}
    yield keep(
        Started(
            at=at, version=__version__, plan=plan, seed=seed, continues=again, fingerprint=seen, label=label,
            tested_by=tested_by,
        )
    )  # fmt: skip
    outcome: Outcome = "failed"
    try:
        if again:
            yield keep(runner.note(place("went_on", again), "interruption"))
        else:
            yield from (keep(runner.note(note)) for note in plan.notes)
        yield from runner.all_of(plan, again, at)
        yield from (keep(runner.note(note)) for note in watch.at_the_end(runner.past))
        outcome, reason = ("not steady" if runner.past.unmet else "complete"), NO_WORDS
    except Stopped:
        outcome, reason = "stopped", Sentence("operator")
    except StendError as error:
        reason = runner.reason(error)
        yield from runner.remarks(error)
        yield keep(runner.note(reason, "failure"))
    finally:
        runner.let_go()
    yield from runner.remarks()
    if device.door.writes is False:
        yield from runner.last_look()
    yield keep(Ended(t=runner.t(), outcome=outcome, reason=reason))


def step_seed(seed: int, where: Position, index: int) -> int:
    """Return the recorded seed of a step: 62 bits derived from the run's seed and the step's place."""
    text = f"{seed}/{where.test}/{where.phase}/{where.round}/{index}"
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big") >> 2


class Runner:
    """Executor of a plan. Its state is the past events and the bench."""

    def __init__(
        self, past: Run, device: Device, engine: Engine, seed: int, stopping: Callable[[], bool], turn: Turn
    ) -> None:
        self.past, self.device, self.engine, self.seed, self.turn = past, device, engine, seed, turn
        self.number = seed
        self.began = engine.now()
        self.bench = Bench(engine, stopping)
        self.window_from = 1
        self.turned: set[tuple[str, str]] = set()

    def t(self) -> float:
        """Return seconds since this stretch of the run started, on the engine's clock."""
        return self.engine.now() - self.began

    def note(self, text: Sentence, kind: NoteKind = "remark") -> Note:
        """Return a note with the present time."""
        return Note(t=self.t(), text=text, kind=kind)

    def reason(self, error: StendError) -> Sentence:
        """Return why the run failed. What is wrong with the drive now, such as its size, precedes the load's error."""
        why = text(str(error))
        if self.device.door.writes is None:
            return why
        try:
            self.device.door.check()
        except (StendError, OSError) as found:
            return why if str(found) == str(error) else Sentence("parts", parts=[text(str(found)), why])
        return why

    def let_go(self) -> None:
        """Stop the load, whatever state it is in, and close the engine."""
        try:
            self.bench.stop()
        except StepFailed as error:  # the run is over already
            self.bench.remarks.append(text(error.record or str(error)))
        finally:
            self.engine.close()

    def all_of(self, plan: Plan, again: Position | None, at: float) -> Iterator[Event]:
        """Run every test, and repeat a place whose load was killed by a signal, on the drive as it is.

        `at` is the Unix time at which the run began or was resumed. Raise LoadFailed if the load dies there more than
        `REPEATS` times, and at once if fio or the drive reported an error.
        """
        began, repeats = self.began, Repeats()
        while True:
            try:
                yield from self.telemetry()
                yield from self.tests(plan, again)
            except LoadFailed as error:
                again = repeats.place(self.past, error)
                if self.bench.stopping():
                    raise Stopped from error
                yield from self.remarks(error)
                yield self.past.add(self.note(repeats.words(again, error), "repeat"))
                self.clear()
                now, number = at + self.began - began, repeats.of[again]
                begun = Started(at=now, version=__version__, plan=plan, seed=self.seed, continues=again)
                yield self.past.add(msgspec.structs.replace(begun, repetition=number))
            else:
                return

    def clear(self) -> None:
        """Start again with a new bench and a new clock."""
        self.engine.close()
        self.bench = Bench(self.engine, self.bench.stopping)
        self.bench.ended = self.began = self.engine.now()

    def remarks(self, error: StendError | None = None) -> Iterator[Event]:
        """Yield notes on how past loads ended, the one that failed with `error` last."""
        ends = [*self.bench.remarks, text(error.record) if error else NO_WORDS]
        self.bench.remarks = []
        yield from (self.past.add(self.note(end)) for end in ends if end)

    def tests(self, plan: Plan, again: Position | None) -> Iterator[Event]:
        """Run every phase of every test, from the resume point on."""
        for result in self.past.results:
            held = isinstance(result.step, Hold) and result.step
            if held and (held.workload.verify or not isinstance(held.amount, Bytes)):
                self.bench.advance(held.workload, result.counts, result.pace)
        places = [(test, phase) for test in plan.tests for phase in test.phases]
        if again:
            names = [(test.name, phase.name) for test, phase in places]
            places = places[names.index((again.test, again.phase)) :]
        for number, (test, phase) in enumerate(places):
            if (test.name, phase.name) not in self.turned:
                yield from (self.past.add(self.note(*remark)) for remark in self.turn(test, phase, self.bench.stop))
                self.turned.add((test.name, phase.name))
            self.device.door.check()
            first = again.round if again and number == 0 else 1
            after = places[number + 1] if number + 1 < len(places) else None
            yield from self.phase(test, phase, first, after)

    def phase(
        self, test: PlannedTest, phase: Phase, first: int, after: tuple[PlannedTest, Phase] | None
    ) -> Iterator[Event]:
        """Run the rounds of a phase until a rule is met. The last Judged names the rule."""
        total = sum((r.counts for r in self.past.of(test.name, phase.name)), Counts())
        self.window_from = first
        for number in range(first, phase.rounds + 1):
            where = Position(test=test.name, phase=phase.name, round=number)
            # 1. Run the steps of the round until a limit is met.
            steps = self.round_of(test, phase)
            if not steps:
                yield self.past.add(Judged(where=where, t=self.t(), ended_by=Sentence("done")))
                return
            met = NO_WORDS
            for index, step in enumerate(steps):
                ahead = self.ahead(where, index, steps, phase, after)
                result = yield from self.step(where, index, step, ahead)
                total += result.counts.without_bins()
                met = next((limit for rule in phase.until if (limit := rules.limit_met(rule, total))), NO_WORDS)
                if met:
                    break
            if phase.choose and not met and not self.round_of(test, phase):
                met = Sentence("done")
            # 2. Judge the rounds that are complete.
            whole = where.round if index == len(steps) - 1 else where.round - 1
            judged = self.past.add(
                rules.judged(self.past, phase, where, self.t(), range(self.window_from, whole + 1), met)
            )
            yield judged
            # 3. End the phase, or read the drive between rounds.
            if judged.ended_by:
                if not self.resting(steps[index], after):
                    yield from self.telemetry()
                yield from map(self.past.add, map(self.note, watch.of_phase(self.past, test.name, phase.name)))
                return
            if expected := forecast.of_round(self.past, test.name, phase):
                yield self.past.add(self.note(expected))
            if not any(map(quiet, steps)):
                yield from self.telemetry()

    def round_of(self, test: PlannedTest, phase: Phase) -> tuple[Step, ...]:
        """Return the steps of the next round; none where the results leave nothing to choose."""
        return chooser(test.name, phase.choose)(self.past, test) if phase.choose else phase.round

    def ahead(
        self,
        where: Position,
        index: int,
        steps: tuple[Step, ...],
        phase: Phase,
        after: tuple[PlannedTest, Phase] | None,
    ) -> list[Ahead]:
        """Return the next two steps as far as they are known, which the engine can prepare.

        Where results choose, a round that is the planned one is expected to be repeated: the load goes on meanwhile.
        """
        coming = [(where, i, step) for i, step in enumerate(steps[index + 1 : index + 3], index + 1)]
        if where.round < phase.rounds:
            next_ = msgspec.structs.replace(where, round=where.round + 1)
            following = () if phase.choose and steps != phase.round else steps
        elif after:
            next_, following = Position(test=after[0].name, phase=after[1].name, round=1), after[1].round
        else:
            next_, following = where, ()
        coming += [(next_, i, step) for i, step in enumerate(following[:2])]
        return [Ahead(step, self.seed_of(step, at, i)) for at, i, step in coming[:2]]

    def seed_of(self, step: Step, where: Position, index: int) -> int:
        """Return the seed of a step: the run's number if its content is verified, because a later step reads it."""
        verified = isinstance(step, Hold) and step.workload.verify
        return self.number if verified else step_seed(self.seed, where, index)

    def step(self, where: Position, index: int, step: Step, ahead: list[Ahead]) -> Generator[Event, None, Result]:
        """Execute a step and record its result."""
        done, method, slept_s = Done(), NO_WORDS, self.engine.slept_s()
        match step:
            case Purge():
                self.bench.stop()
                method = self.device.purge()
            case Idle(seconds=seconds):
                done = self.bench.rest(seconds, until_hold=bool(ahead) and isinstance(ahead[0].step, Hold))
            case Hold():
                self.check_direction(step)
                done = yield from self.hold(where, step, self.seed_of(step, where, index), ahead)
        result = Result(where=where, index=index, step=step, t=self.t(), said=method, **done._asdict())
        yield self.past.add(result)
        yield from self.remarks()
        slept_s = self.engine.slept_s() - slept_s
        if slept_s > SLEPT_S and not isinstance(step, Purge):
            yield self.past.add(self.note(place("asleep", where, s=round(slept_s)), "stall"))
        return result

    def check_direction(self, hold: Hold) -> None:
        """Raise StepFailed for writes or trims to a drive that was opened for reading."""
        if hold.workload.writes and self.device.door.writes is False:
            raise StepFailed(f"{hold.workload.label} writes, but the drive was opened for reading only")

    def hold(self, where: Position, hold: Hold, seed: int, ahead: list[Ahead]) -> Generator[Event, None, Done]:
        """Run a hold, and yield its samples."""
        intervals = self.bench.hold(hold, seed, ahead)
        while True:
            try:
                counts = next(intervals)
            except StopIteration as finished:
                done: Done = finished.value
                return done
            yield self.past.add(Sample(t=self.t(), counts=counts.without_bins()))
            if counts.seconds > SILENT_S:
                yield self.past.add(self.note(place("silent", where, s=round(counts.seconds)), "stall"))

    def resting(self, last: Step, after: tuple[PlannedTest, Phase] | None) -> bool:
        """Return True if reading the drive at the end of a phase would disturb a rest or a load at QD1."""
        following = after[1].round[0] if after and after[1].round else None
        under_way = self.bench.workload
        return isinstance(last, Idle) or isinstance(following, Idle) or bool(under_way and under_way.outstanding == 1)

    def last_look(self) -> Iterator[Event]:
        """Read the drive's counters after the last load, so that they show what the run wrote."""
        try:
            yield from self.telemetry()
        except (StendError, OSError) as error:
            yield self.past.add(self.note(Sentence("unread", why=text(str(error)))))

    def telemetry(self) -> Iterator[Event]:
        """Read the drive's values: before the first step, between rounds and after a phase."""
        begun = self.t()
        if values := self.device.health():
            yield self.past.add(Telemetry(t=self.t(), values=values, took_s=max(self.t() - begun, 0.0)))
            yield from (self.past.add(self.note(doubt, "doubt")) for doubt in watch.doubts(self.past))
            yield from (self.past.add(self.note(differs, "mismatch")) for differs in watch.mismatches(self.past))


def quiet(step: Step) -> bool:
    """Return True for a step that must not be disturbed: a rest, or a load at QD1."""
    return isinstance(step, Idle) or (isinstance(step, Hold) and step.workload.outstanding == 1)
