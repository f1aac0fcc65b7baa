"""What happened: counts that add, the events of a run, and the Run that answers questions about them.

Counts are recorded, never rates or percentiles; figures are derived last. Reads and writes are kept apart.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

import msgspec

from stend.base import limits
from stend.model.definition import Data, Hold, Phase, Plan, PlannedTest, Steady, Step, Workload
from stend.model.pace import Pace
from stend.model.packed import Bins, Rows, merged
from stend.model.tally import NONE, NS
from stend.model.tally import Tally as Tally  # noqa: PLC0414 -- a part of every record

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

SAME_S = 1e-6
"""Two moments nearer than this are one."""


class Counts(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """What a stretch of load did: its seconds, the host's busy CPU seconds (all cores), reads and writes."""

    seconds: limits.Seconds = 0
    cpu_s: limits.Number = 0
    read: Tally = Tally()
    write: Tally = Tally()

    def __post_init__(self) -> None:
        if 0 < self.seconds < NS:
            msgspec.structs.force_setattr(self, "seconds", lasted(self.seconds))

    def __add__(self, other: "Counts") -> "Counts":
        return Counts(
            self.seconds + other.seconds, self.cpu_s + other.cpu_s, self.read + other.read, self.write + other.write
        )

    @property
    def both(self) -> Tally:
        """Reads and writes together: what a mix's IOPS, ART and MRT are made of."""
        return self.read + self.write

    @property
    def ios(self) -> int:
        """Reads and writes that were done."""
        return self.read.ios + self.write.ios

    @property
    def mean_s(self) -> float:
        """Average response time (ART) of reads and writes together, in seconds; 0 without IOs."""
        return (self.read.latency_ns + self.write.latency_ns) / self.ios * NS if self.ios else 0.0

    @property
    def max_s(self) -> float:
        """Maximum response time (MRT) of reads and writes, in seconds."""
        return max(self.read.max_s, self.write.max_s)

    @property
    def iops(self) -> float:
        """Completed reads and writes per second."""
        return self.ios / self.seconds if self.seconds else 0.0

    @property
    def bytes_per_s(self) -> float:
        """Bytes read and written per second."""
        return (self.read.bytes + self.write.bytes) / self.seconds if self.seconds else 0.0

    def quantity(self, name: str) -> float:
        """A tracked figure in base units: IOs/s, bytes/s, or seconds of average response time."""
        return {"iops": self.iops, "throughput": self.bytes_per_s, "latency": self.mean_s}[name]

    def without_bins(self) -> "Counts":
        """The same, small enough to be written every second."""
        bare = (msgspec.structs.replace(t, bins={}) if t.bins else t for t in (self.read, self.write))
        return Counts(self.seconds, self.cpu_s, *bare)


def lasted(seconds: float) -> float:
    """0 for less than a nanosecond: no clock tells so little, and no rate is to be made of it."""
    return 0.0 if seconds < NS else seconds


def added(many: Iterable[Counts]) -> Counts:
    """All of them added up, as `sum` would, but with one copy of the bins."""
    seconds, cpu_s, reads, writes = 0.0, 0.0, [], []
    for counts in many:
        seconds, cpu_s = seconds + counts.seconds, cpu_s + counts.cpu_s
        reads.append(counts.read)
        writes.append(counts.write)
    return Counts(seconds, cpu_s, _tally(reads), _tally(writes))


def _tally(every: list[Tally]) -> Tally:
    many = [tally for tally in every if tally != NONE]
    if len(many) < 2:
        return many[0] if many else NONE
    ios, done = 0, 0
    waited: float = 0
    squares: float = 0
    for tally in many:
        ios, done = ios + tally.ios, done + tally.bytes
        waited, squares = waited + tally.latency_ns, squares + tally.latency_ns2
    bins = merged([tally.bins for tally in many])
    return Tally(ios, done, waited, squares, max(tally.max_ns for tally in many), bins)


def _packed(counts: Counts) -> Counts:
    """The same with bins that take little room."""
    small = (
        Tally(t.ios, t.bytes, t.latency_ns, t.latency_ns2, t.max_ns, Bins(t.bins)) if t.bins else t
        for t in (counts.read, counts.write)
    )
    return Counts(counts.seconds, counts.cpu_s, *small)


class Position(Data, frozen=True):
    """A place in a plan: the round of a phase of a test, rounds counted from 1."""

    test: str
    phase: str
    round: limits.Rounds


class Source(Data, frozen=True):
    """Where an imported run comes from: who measured, in which format it was told, the original's files with SHA-256.

    `version` is the tool's as told, "" where it is not; `unknown` names settings that the original does not tell.
    """

    tool: str
    format: str
    files: tuple[tuple[str, str], ...]
    version: str = ""
    unknown: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The tool with its version: `fio 3.33`."""
        return f"{self.tool} {self.version}".strip()


class Started(Data, frozen=True, tag="started"):
    """A run began, or went on after an interruption (`continues` says from where); `at` is Unix time.

    `repetition` counts from 1 the repetitions of one place after the load died there; the run itself went on.
    `fingerprint` tells which drive it is and what was on it just before the first byte was written; `source` is of a
    run that was imported.
    """

    at: limits.Seconds
    version: str
    plan: Plan
    seed: limits.Count
    continues: Position | None = None
    repetition: limits.Count = 0
    fingerprint: dict[str, str] = {}  # noqa: RUF012 msgspec copies an empty one
    source: Source | None = None


class Sample(Data, frozen=True, tag="sample", gc=False):
    """About one second of load, ending `t` seconds after the run started; without bins."""

    t: limits.Number
    counts: Counts


_Row = tuple[
    limits.Count,
    limits.Count,
    limits.Nanoseconds,
    limits.Squares,
    limits.Nanoseconds,
    dict[limits.Bin, limits.Count],
]


SUMS = "qqddd"
"""The numbers of a tally before its bins, as `struct` names their kinds."""


class SampleRow(Data, frozen=True, tag="sample", gc=False):
    """A Sample as it is written, with counts and tallies as bare numbers: of a day there are 86,400 to be read."""

    t: limits.Number
    counts: tuple[limits.Seconds, limits.Number, _Row, _Row]


class Told(Data, frozen=True):
    """Figures of a step as another tool told them, in base units by quantity (`figures.QUANTITIES`), by direction.

    They go before what counts would say; `unknown` names what of the workload the tool does not tell.
    """

    both: dict[str, limits.Amount] = {}  # noqa: RUF012
    read: dict[str, limits.Amount] = {}  # noqa: RUF012
    write: dict[str, limits.Amount] = {}  # noqa: RUF012
    unknown: tuple[str, ...] = ()


class Result(Data, frozen=True, tag="result"):
    """A step is done. `gap_s` is the time without load just before it; `seed` is the one its engine was given.

    `told` is of imported steps, `pace` of replayed ones.
    """

    where: Position
    index: limits.Count
    step: Step
    t: limits.Number
    counts: Counts = Counts()
    gap_s: limits.Number = 0
    seed: limits.Count = 0
    said: str = ""
    told: Told | None = None
    pace: Pace | None = None


class Verdict(Data, frozen=True):
    """One tracked variable against a steady-state rule, with every item of the PTS verification table.

    Values are in the quantity's own base unit; `fit` is (slope per round, intercept) against the round number.
    """

    rule: str
    label: str
    quantity: str
    rounds: tuple[limits.Rounds, ...]
    values: tuple[limits.Number, ...]
    average: limits.Number
    excursion: limits.Number
    excursion_allowed: limits.Number | None
    slope_excursion: limits.Number
    slope_excursion_allowed: limits.Number
    fit: tuple[limits.Number, limits.Number]
    correlation: limits.Number
    steady: bool


class Judged(Data, frozen=True, tag="judged"):
    """The rules were asked after a round; `ended_by` says which one ended the phase, empty while it goes on."""

    where: Position
    t: limits.Number
    verdicts: tuple[Verdict, ...] = ()
    steady: bool = False
    ended_by: str = ""


class Telemetry(Data, frozen=True, tag="telemetry"):
    """The drive's own word between rounds: temperature, counters, whatever it tells."""

    t: limits.Number
    values: dict[str, Any]


NoteKind = Literal[
    "remark", "doubt", "mismatch", "stall", "failure", "interruption", "repeat", "beside", "interference"
]


class Note(Data, frozen=True, tag="note"):
    """A doubt or a remark that belongs on every report of this run."""

    t: limits.Number
    text: str
    kind: NoteKind = "remark"


SEARCHES = ("headroom",)
"""Phases that ask for more until it is too much: what came late there is an answer, and no doubt."""
SATURATED_FILLS = 4
"""Capacities after which a saturation ends whatever its rule says (PTS 2.0.2 clause 10)."""
Outcome = Literal["complete", "not steady", "stopped", "failed", "imported"]


class Ended(Data, frozen=True, tag="ended"):
    """The run is over and the drive was let go."""

    t: limits.Number
    outcome: Outcome
    reason: str = ""


Event = Started | Sample | Result | Judged | Telemetry | Note | Ended
E = TypeVar("E", bound=Event)


def _counted(t: float, seconds: float, cpu_s: float, *sums: Any) -> tuple[float, Counts]:
    """When a sample ended, and what it counted."""
    return t, Counts(seconds, cpu_s, Tally(*sums[: len(SUMS)]), Tally(*sums[len(SUMS) :]))


def _sample(row: Sequence[Any]) -> Sample:
    t, counts = _counted(*row)
    return Sample(t=t, counts=counts)


COLUMNS = (
    *("t", "seconds", "cpu_s"),
    *(f"{way}_{name}" for way in ("read", "write") for name in ("ios", "bytes", "ns", "ns2", "max_ns")),
)
"""Of a sample's row: when it ended, and its counts."""


class Samples(Sequence[Sample]):
    """The samples of a run, each made anew when it is asked for: a day has 86,400 of them."""

    def __init__(self) -> None:
        self.rows = Rows("dd" + SUMS * 2)

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, at: int) -> Sample: ...
    @overload
    def __getitem__(self, at: slice) -> list[Sample]: ...
    def __getitem__(self, at: int | slice) -> Sample | list[Sample]:
        if isinstance(at, slice):
            many = range(*at.indices(len(self)))
            rows = self.rows.rows(many.start, many.stop) if many.step == 1 else map(self.rows.row, many)
            return [_sample(row) for row in rows]
        return _sample(self.rows.row(range(len(self))[at]))

    def counted(self, first: int, last: int) -> list[tuple[float, Counts]]:
        """(end, counts) of those from `first` on and before `last`."""
        return [_counted(*row) for row in self.rows.rows(first, last)]

    def table(self, first: int, last: int) -> "npt.NDArray[np.float64]":
        """The same as numbers, a row each: `COLUMNS`."""
        return self.rows.table(first, last)

    def append(self, sample: Sample) -> None:
        """One more."""
        counts = sample.counts
        tallies = _sums(counts.read), _sums(counts.write)
        self.take([SampleRow(t=sample.t, counts=(counts.seconds, counts.cpu_s, *tallies))])

    def take(self, rows: Sequence[SampleRow]) -> None:
        """The same of many that are no events yet."""
        packed, pack = [], self.rows.pack
        for row in rows:
            seconds, cpu_s, read, write = row.counts
            reads, bytes_read, read_ns, read_ns2, read_max, _ = read  # one by one, which is faster than by stars
            writes, written, write_ns, write_ns2, write_max, _ = write
            sums = reads, bytes_read, read_ns, read_ns2, read_max, writes, written, write_ns, write_ns2, write_max
            packed.append(pack(row.t, lasted(seconds), cpu_s, *sums))
        self.rows.extend([row.t for row in rows], packed)


def _sums(tally: Tally) -> _Row:
    return tally.ios, tally.bytes, tally.latency_ns, tally.latency_ns2, tally.max_ns, {}


class Run:
    """The events so far, to ask questions of; a Started that continues takes back what it repeats.

    `wrong` tells which lines of its record are not as they were written, `seal` names the last of them (see `store`).
    `clock` is the first sample of the present clock: that of a drive that goes on begins anew. `stretches` has a row
    for each such clock: how many results, telemetry events and notes there were when it started.
    """

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self.started: list[Started] = []
        self.results: list[Result] = []
        self.placed: dict[tuple[str, str], list[Result]] = {}
        self.tested: dict[str, list[Result]] = {}
        self.judged: list[Judged] = []
        self.judgements: dict[tuple[str, str], list[Judged]] = {}
        self.samples = Samples()
        self.spans: dict[tuple[Position, int], tuple[int, int]] = {}
        self.clock = 0
        self.telemetry: list[Telemetry] = []
        self.notes: list[Note] = []
        self.ended: Ended | None = None
        self.stretches: list[tuple[int, int, int]] = []
        self.wrong: tuple[str, ...] = ()
        self.seal = ""
        for event in events:
            if type(event) is Sample:  # nearly all of them
                self.samples.append(event)
            else:
                self.add(event)

    def add(self, event: E) -> E:
        """Take one more event in, and hand it on."""
        match event:
            case Started():
                self._continue(event)
            case Sample():
                self.samples.append(event)
            case Result():
                self._place(msgspec.structs.replace(event, counts=_packed(event.counts)))
            case Judged():
                self._judge(event)
            case Telemetry():
                self.telemetry.append(event)
            case Note():
                self.notes.append(event)
            case Ended():
                self.ended = event
        return event

    def _continue(self, event: Started) -> None:
        self.started.append(event)
        self.ended = None
        if event.continues is not None:
            self._take_back(event.continues)
        done = len(self.results)
        earlier = [(min(results, done), looks, notes) for results, looks, notes in self.stretches]
        self.stretches = [*earlier, (done, len(self.telemetry), len(self.notes))]

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
        for one in judged:
            self._judge(one)
        self.clock = max((last for _, last in spans), default=0)
        self.samples.rows.cut(self.clock)

    def _place(self, result: Result, span: tuple[int, int] | None = None) -> None:
        """Keep a result, and which samples were taken during it: those since it began."""
        self.results.append(result)
        self.tested.setdefault(result.where.test, []).append(result)
        self.placed.setdefault((result.where.test, result.where.phase), []).append(result)
        began = result.t - result.counts.seconds + SAME_S
        span = span or (self.samples.rows.first_after(began, self.clock), len(self.samples))
        self.spans[result.where, result.index] = span

    def _judge(self, judged: Judged) -> None:
        self.judged.append(judged)
        self.judgements.setdefault((judged.where.test, judged.where.phase), []).append(judged)

    def sampled(self, result: Result) -> list[tuple[float, Counts]]:
        """(end, counts) of the samples that were taken during one of its results."""
        return self.samples.counted(*self.spans[result.where, result.index])

    def tabled(self, result: Result) -> "npt.NDArray[np.float64]":
        """The same as a table: a row each, `COLUMNS`."""
        return self.samples.table(*self.spans[result.where, result.index])

    @property
    def present(self) -> tuple[list[Result], list[Telemetry]]:
        """Results and telemetry since the run last started, on one clock."""
        results, looks, _ = self.stretches[-1] if self.stretches else (0, 0, 0)
        return self.results[results:], self.telemetry[looks:]

    @property
    def plan(self) -> Plan:
        """The plan this run follows."""
        return self.started[0].plan

    @property
    def source(self) -> Source | None:
        """Where it was imported from; None for a run of stend's own."""
        return self.started[0].source if self.started else None

    @property
    def seed(self) -> int:
        """The seed that every step's own seed is drawn from."""
        return self.started[0].seed

    @property
    def repeats(self) -> int:
        """How often the run repeated a place by itself because its load died."""
        return sum(1 for started in self.started if started.repetition)

    @property
    def interruptions(self) -> int:
        """How often the run was resumed."""
        return max(len(self.started) - 1 - self.repeats, 0)

    @property
    def stamps(self) -> tuple[str, ...]:
        """What every page of every report must say of this run, worst first."""
        stamps = [f"{j.where.test}: steady state not reached ({j.ended_by})" for j in self.unmet]
        stamps += [f"{j.where.test}: saturated, {j.ended_by}; not steady by the rule" for j in self.saturated]
        if self.ended is None:
            stamps.append("unfinished")
        elif self.ended.outcome in ("failed", "stopped"):
            stamps.append(f"{self.ended.outcome}: {self.ended.reason}" if self.ended.reason else self.ended.outcome)
        if self.interruptions:
            stamps.append(f"interrupted {self.interruptions}x and continued")
        if self.repeats:
            stamps.append(
                f"repeated {self.repeats}x from a safe place because the load died; the measurement window began anew"
            )
        if self.plan.profile.quick:
            stamps.append("quick: shortened, not a measurement by the specification")
        return (*stamps, *self.warnings)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What every page and every chart must say of the drive: a link below what it can, load that is not proved."""
        links = tuple(self.plan.device.facts.get("warnings", ()))
        differ = any(note.kind == "mismatch" for note in self.notes)
        paces = [r.pace for r in self.results if r.pace and r.where.phase not in SEARCHES]
        late = max((pace for pace in paces), key=lambda pace: pace.late_share, default=Pace())
        host = max((pace for pace in paces), key=lambda pace: pace.host_share, default=Pace())
        kept = max((pace.left_out.get("discards", 0) for pace in paces if not pace.discard.ios), default=0)
        stalled = any(note.kind == "stall" for note in self.notes)
        disturbed = any(note.kind == "interference" for note in self.notes)
        source = self.source
        return (
            *((f"imported from {source.name}: not measured by stend, no steady state proven",) if source else ()),
            *((f"the record is not as the run wrote it: {self.wrong[0]}",) if self.wrong else ()),
            *((f"invalid: the host sent {100 * host.host_share:.1f} % of the trace late",) if host.invalid else ()),
            *((f"{100 * late.late_share:.1f} % of the trace were sent late",) if late.doubtful else ()),
            *((f"{kept} discards of the trace were not sent: the drive takes none",) if kept else ()),
            *links,
            *(("load and counters differ by more than 1 %, see the notes",) if differ else ()),
            *(("the host slept or stalled while figures were taken, see the notes",) if stalled else ()),
            *(("other drives moved its figures by more than 2 %, see the notes",) if disturbed else ()),
        )

    @property
    def unmet(self) -> tuple[Judged, ...]:
        """The last judgement of every phase that sought steady state and ended without it, against its clause."""
        return tuple(j for j in self._unsteady() if j not in self.saturated)

    @property
    def saturated(self) -> tuple[Judged, ...]:
        """Of saturations that ended with four capacities written, not steady: a regular end (PTS 10)."""
        regular = {t.name for t in self.plan.tests if t.profile.options.get("fills", 0) >= SATURATED_FILLS}
        return tuple(j for j in self._unsteady() if j.where.test in regular and j.ended_by.endswith(" written"))

    def _unsteady(self) -> list[Judged]:
        """Where phases that sought steady state ended without it."""
        sought = [(t.name, p.name) for t, p in self.phases() if any(isinstance(rule, Steady) for rule in p.until)]
        own = (self.judgements.get(place, ()) for place in sought)
        return [j for many in own for j in many if j.ended_by and not j.steady]

    def phases(self) -> Iterator[tuple[PlannedTest, Phase]]:
        """Every (test, phase) of the plan in the order they run."""
        return ((test, phase) for test in self.plan.tests for phase in test.phases)

    def holder(self, test: str, phase: str) -> str:
        """The test whose results are those of this phase: another one where the plan has the two share it."""
        tests = self.plan.tests if self.started else ()
        return next((t.shared[phase] for t in tests if t.name == test and phase in t.shared), test)

    def of(self, test: str, phase: str | None = None) -> list[Result]:
        """The results of a test, or of one of its phases (shared ones too), in order."""
        if phase is not None:
            return list(self.placed.get((self.holder(test, phase), phase), ()))
        return list(self.tested.get(test, ()))

    def series(self, test: str, phase: str, workload: Workload) -> list[tuple[int, Counts]]:
        """(round, counts) of one workload; a round that holds it more than once counts with its last record."""
        last: dict[int, Counts] = {}
        for result in self.of(test, phase):
            if isinstance(result.step, Hold) and result.step.workload == workload:
                last[result.where.round] = result.counts
        return sorted(last.items())

    def verdict_rounds(self, test: str, phase: str) -> tuple[int, ...]:
        """The rounds of the measurement window: those of the last judgement, steady or not."""
        own = self.judgements.get((self.holder(test, phase), phase), ())
        return next((judged.verdicts[0].rounds for judged in reversed(own) if judged.verdicts), ())

    def window(self, test: str, phase: str, workload: Workload) -> Counts:
        """One workload over the measurement window, added up; its whole series where nothing was judged."""
        rounds = self.verdict_rounds(test, phase)
        return added(c for n, c in self.series(test, phase, workload) if not rounds or n in rounds)
