"""A run as its recorded events: the Run adds them up and answers queries about them."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from stend.model.counts import Counts, added
from stend.model.definition import Hold, Phase, Plan, PlannedTest, Workload
from stend.model.events import Ended, Event, Judged, Note, Position, Reading, Result, Sample, Source, Started, Telemetry
from stend.model.pace import Pace
from stend.model.samples import Readings, Samples
from stend.model.verified import LOST
from stend.words import Sentence, sentence, text

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

SAME_S = 1e-6
"""Moments nearer than this many seconds are equal."""
SEARCHES = ("headroom", "map", "rests")
"""Phases that raise the load until it is too much, or wake a drive: late IOs there are a result, not a doubt."""
HURRIED = "condition"
"""The phase that plays a trace as fast as the drive takes it, which keeps no times."""
SATURATED_FILLS = 4
"""Capacities after which a saturation ends whatever its rule requires (PTS 2.0.2 clause 10)."""
E = TypeVar("E", bound=Event)


class Run:
    """The events of a run so far. A Started that continues removes the events that are repeated.

    `wrong` lists the lines of the record that are not as they were written, `edited` the files beside it that changed
    since, `seal` names its last line (see `store`). `unplaced` is the first sample that no result has: no sample
    belongs to two results, though the times of these may overlap by milliseconds. The clock of a continued run starts
    again. `stretches` has one row per clock: the number of results, telemetry events and notes when it started.
    `stretch_of` has the clock of each result, from 0, and `before_s` for each clock the seconds of the run before it.
    """

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self.started: list[Started] = []
        self.results: list[Result] = []
        self.placed: dict[tuple[str, str], list[Result]] = {}
        self.tested: dict[str, list[Result]] = {}
        self.judged: list[Judged] = []
        self.judgements: dict[tuple[str, str], list[Judged]] = {}
        self.samples = Samples()
        self.readings = Readings()
        self.stretch_of: dict[tuple[Position, int], int] = {}
        self.spans: dict[tuple[Position, int], tuple[int, int]] = {}
        self.unplaced = 0
        self.telemetry: list[Telemetry] = []
        self.notes: list[Note] = []
        self.ended: Ended | None = None
        self.stretches: list[tuple[int, int, int]] = []
        self.before_s: list[float] = []
        self._earlier_s = self._clock_s = 0.0
        self.wrong: tuple[Sentence, ...] = ()
        self.edited: tuple[str, ...] = ()
        self.seal = ""
        for event in events:
            if type(event) is Sample:  # nearly all of them
                self.samples.append(event)
            else:
                self.add(event)

    def add(self, event: E) -> E:
        """Add an event and return it."""
        if not isinstance(event, Started | Sample):
            self._clock_s = max(self._clock_s, event.t)
        match event:
            case Started():
                self._continue(event)
            case Sample():
                self.samples.append(event)
            case Reading():
                self.readings.append(event)
            case Result():
                self.stretch_of[event.where, event.index] = len(self.started) - 1
                self._place(event.weighed(event.weight or self._scale))
            case Judged():
                self._judge(event)
            case Telemetry():
                self.telemetry.append(event)
            case Note():
                self.notes.append(event)
            case Ended():
                self.ended = event
        return event

    @property
    def _scale(self) -> int:
        """Return how many IOs each observed one counts as, where the record of a result does not state it."""
        return self.started[0].plan.device.scale if self.started else 1

    def _continue(self, event: Started) -> None:
        if event.continues is not None:
            self._earlier_s, self._clock_s = self.took_s, 0.0
        self.started.append(event)
        self.readings.begin()
        self.ended = None
        if event.continues is not None:
            self._take_back(event.continues)
        done = len(self.results)
        earlier = [(min(results, done), looks, notes) for results, looks, notes in self.stretches]
        self.stretches = [*earlier, (done, len(self.telemetry), len(self.notes))]
        self.before_s.append(self._earlier_s)

    def _take_back(self, again: Position) -> None:
        order = {(t.name, p.name): i for i, (t, p) in enumerate(self.phases())}
        first = (order[again.test, again.phase], again.round)
        kept = [r for r in self.results if (order[r.where.test, r.where.phase], r.where.round) < first]
        self.results, self.placed, self.tested = [], {}, {}
        spans = [self.spans[result.where, result.index] for result in kept]
        for result, span in zip(kept, spans, strict=True):
            self._place(result, span)
        judged = [j for j in self.judged if (order[j.where.test, j.where.phase], j.where.round) < first]
        self.judged, self.judgements = [], {}
        for event in judged:
            self._judge(event)
        self.unplaced = max((last for _, last in spans), default=0)
        self.samples.rows.cut(self.unplaced)

    def _place(self, result: Result, span: tuple[int, int] | None = None) -> None:
        """Store a result with the samples taken since it began. Each belongs to the first result that follows it."""
        self.results.append(result)
        self.tested.setdefault(result.where.test, []).append(result)
        self.placed.setdefault((result.where.test, result.where.phase), []).append(result)
        began = result.t - result.counts.seconds + SAME_S
        span = span or (self.samples.rows.first_after(began, self.unplaced), len(self.samples))
        self.spans[result.where, result.index], self.unplaced = span, span[1]

    def _judge(self, judged: Judged) -> None:
        self.judged.append(judged)
        self.judgements.setdefault((judged.where.test, judged.where.phase), []).append(judged)

    def sampled(self, result: Result) -> list[tuple[float, Counts]]:
        """Return (end, counts) of the samples taken during a result."""
        return self.samples.counted(*self.spans[result.where, result.index])

    def tabled(self, result: Result) -> "npt.NDArray[np.float64]":
        """Return the samples taken during a result as an array, one row per sample with the columns `COLUMNS`."""
        return self.samples.table(*self.spans[result.where, result.index])

    @property
    def present(self) -> tuple[list[Result], list[Telemetry]]:
        """Return results and telemetry since the run last started, all on one clock."""
        results, looks, _ = self.stretches[-1] if self.stretches else (0, 0, 0)
        return self.results[results:], self.telemetry[looks:]

    @property
    def plan(self) -> Plan:
        """Return the plan this run follows."""
        return self.started[0].plan

    @property
    def source(self) -> Source | None:
        """Return the origin of an imported run, or None for a run of stend."""
        return self.started[0].source if self.started else None

    @property
    def seed(self) -> int:
        """Return the seed that the seeds of all steps are drawn from."""
        return self.started[0].seed

    @property
    def repeats(self) -> int:
        """Return how often the run repeated a place because its load died."""
        return sum(1 for started in self.started if started.repetition)

    @property
    def interruptions(self) -> int:
        """Return how often the run was resumed."""
        return max(len(self.started) - 1 - self.repeats, 0)

    @property
    def took_s(self) -> float:
        """Return the seconds that the run was under way, those of all its clocks, without interruptions."""
        return self._earlier_s + (self.ended.t if self.ended else self._clock_s)

    @property
    def outcome(self) -> str:
        """Return the outcome of the run, or "unfinished" before its end."""
        return self.ended.outcome if self.ended else "unfinished"

    @property
    def ended_at(self) -> float:
        """Return the Unix time of the end, or of the last event so far. An interruption may have lasted for days."""
        clock = next((s for s in reversed(self.started) if s.continues is not None), self.started[0])
        return clock.at + self.took_s - self._earlier_s

    @property
    def stamps(self) -> tuple[Sentence, ...]:
        """Return the sentences that every page of every report shows, worst first."""
        stamps = self.losses
        stamps += [Sentence("not_steady", test=j.where.test, ended=j.ended_by) for j in self.unmet]
        stamps += [Sentence("saturated", test=j.where.test, ended=j.ended_by) for j in self.saturated]
        if self.ended is None:
            stamps.append(Sentence("unfinished"))
        elif (outcome := self.ended.outcome) in ("failed", "stopped"):
            why = self.ended.reason
            stamps.append(Sentence(f"{outcome}_why", why=why) if why else Sentence(outcome))
        if self.interruptions:
            stamps.append(Sentence("interrupted", n=self.interruptions))
        if self.repeats:
            stamps.append(Sentence("repeats", n=self.repeats))
        if self.plan.profile.quick:
            stamps.append(Sentence("quick"))
        return tuple(dict.fromkeys((*stamps, *self.warnings())))

    @property
    def losses(self) -> list[Sentence]:
        """Return a sentence if blocks that were read back did not return what was written to them."""
        verified = [result.verified for result in self.results if result.verified]
        lost = sum(part.count(*LOST) for part in verified)
        return [Sentence("lost", n=lost)] if lost else []

    def warnings(self, test: str = "") -> tuple[Sentence, ...]:
        """Return the sentences that the charts of a test show, or pages about all tests: a slow link, a stall.

        Schedules that were not kept concern only the test whose loads they are.
        """
        phases = [self.of(name.name, phase.name) for name, phase in self.phases() if name.name == test]
        every = [result for results in phases for result in results] if test else self.results
        links = tuple(map(sentence, self.plan.device.facts.get("warnings", ())))
        differ = any(note.kind == "mismatch" for note in self.notes)
        results = [r for r in every if r.pace and r.where.phase not in SEARCHES]
        paces = [r.pace for r in results if r.pace]
        kept = max((pace.left_out.get("discards", 0) for pace in paces if not pace.discard.ios), default=0)
        stalled = any(note.kind == "stall" for note in self.notes)
        disturbed = any(note.kind == "interference" for note in self.notes)
        source = self.source
        return (
            *((Sentence("imported.stamp", source=source.name),) if source else ()),
            *((Sentence("not_as_written", what=self.wrong[0]),) if self.wrong else ()),
            *((Sentence("files_edited", files=self.edited),) if self.edited else ()),
            *_lateness([r.pace for r in results if r.pace and _rate(r)], "_rate"),
            *_lateness([r.pace for r in results if r.pace and not _rate(r) and r.where.phase != HURRIED], ""),
            *((Sentence("trace_unsent", n=kept),) if kept else ()),
            *links,
            *((Sentence("unproved"),) if differ else ()),
            *((Sentence("stalled"),) if stalled else ()),
            *((Sentence("disturbed"),) if disturbed else ()),
        )

    @property
    def unmet(self) -> tuple[Judged, ...]:
        """Return the last judgement of every phase that sought steady state and missed it, against its clause."""
        return tuple(j for j in self._unsteady() if j not in self.saturated)

    @property
    def saturated(self) -> tuple[Judged, ...]:
        """Return the judgements of saturations that ended after four capacities, not steady: a regular end (PTS 10)."""
        regular = {t.name for t in self.plan.tests if t.profile.options.get("fills", 0) >= SATURATED_FILLS}
        return tuple(j for j in self._unsteady() if j.where.test in regular and _written(j.ended_by))

    def _unsteady(self) -> list[Judged]:
        """Return the last judgement of every phase that sought steady state and ended without it."""
        sought = [(t.name, p.name) for t, p in self.phases() if p.steady]
        judged = (self.judgements.get(place, ()) for place in sought)
        return [j for many in judged for j in many if j.ended_by and not j.steady]

    @property
    def used(self) -> Sentence:
        """Return how the drive was used while it was only read, without the way to end that, or empty text."""
        how = sentence(self.plan.device.facts.get("in_use", ""))
        return sentence(how.values["what"]) if how.key == "gate_use" else text(how.partition(";")[0])

    def cut_off(self, test: PlannedTest) -> bool:
        """Return True if the run failed, was stopped or is still running within this test."""
        return bool(self.of(test.name) and self.cut_phases(test))

    @property
    def unfinished(self) -> Counts:
        """Return the counts of the step that has no result yet, or never got one, without bins."""
        return sum((counts for _, counts in self.samples.counted(self.unplaced, len(self.samples))), Counts())

    def cut_phases(self, test: PlannedTest) -> list[str]:
        """Return the phases of a test that a failure, a stop or a run that still lasts left without their end."""
        if self.ended and self.ended.outcome not in ("failed", "stopped"):
            return []
        places = [(self.holder(test.name, phase.name), phase.name) for phase in test.phases]
        return [place[1] for place in places if not any(one.ended_by for one in self.judgements.get(place, ()))]

    def phases(self) -> Iterator[tuple[PlannedTest, Phase]]:
        """Return every (test, phase) of the plan in order of execution."""
        return ((test, phase) for test in self.plan.tests for phase in test.phases)

    def holder(self, test: str, phase: str) -> str:
        """Return the test that holds the results of this phase: another test where the plan lets the two share it."""
        tests = self.plan.tests if self.started else ()
        return next((t.shared[phase] for t in tests if t.name == test and phase in t.shared), test)

    def of(self, test: str, phase: str | None = None) -> list[Result]:
        """Return the results of a test, or of one of its phases (shared ones too), in order."""
        if phase is not None:
            return list(self.placed.get((self.holder(test, phase), phase), ()))
        return list(self.tested.get(test, ()))

    def series(self, test: str, phase: str, workload: Workload) -> list[tuple[int, Counts]]:
        """Return (round, counts) of a workload. Where a round has it more than once, the last record counts."""
        last: dict[int, Counts] = {}
        for result in self.of(test, phase):
            if isinstance(result.step, Hold) and result.step.workload == workload:
                last[result.where.round] = result.counts
        return sorted(last.items())

    def verdict_rounds(self, test: str, phase: str) -> tuple[int, ...]:
        """Return the rounds of the measurement window: those of the last judgement, steady or not."""
        judgements = self.judgements.get((self.holder(test, phase), phase), ())
        return next((judged.verdicts[0].rounds for judged in reversed(judgements) if judged.verdicts), ())

    def window(self, test: str, phase: str, workload: Workload) -> Counts:
        """Return the counts of a workload in the measurement window, or in all rounds if no rule judged the phase."""
        rounds = self.verdict_rounds(test, phase)
        return added(c for n, c in self.series(test, phase, workload) if not rounds or n in rounds)


def _rate(result: Result) -> float:
    return result.step.workload.rate_iops if isinstance(result.step, Hold) else 0.0


def _written(limit: Sentence) -> bool:
    """Return True for a limit of writing. Records without keys have its text."""
    return limit.key == "limit_written" if limit.key else limit.endswith(" written")


def _lateness(paces: list[Pace], of: str) -> Iterator[Sentence]:
    """Yield the warnings about IOs that were sent late, worst first: of a trace, or of loads of a rate (`_rate`)."""
    host = max((pace.host_share for pace in paces), default=0.0)
    late = max((pace.late_share for pace in paces), default=0.0)
    invalid = any(pace.invalid for pace in paces)
    if invalid:
        yield Sentence(f"invalid{of}", pct=round(100 * host, 1))
    if any(pace.doubtful for pace in paces) and not (invalid and f"{late:.3f}" == f"{host:.3f}"):
        yield Sentence(f"late{of}", pct=round(100 * late, 1))
