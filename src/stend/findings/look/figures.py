"""Every figure of a run: quantity, state of the drive, window and conditions.

A row is one workload in one state, window and direction. Its quantities (`QUANTITIES`) are derived from its counts
alone, by `derived`. Everything that shows, compares, judges or exports figures takes them from here, so that one
quantity has one value. `figures` are those of states, `listed` those of a phase as screens and tables list them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

from stend.findings import look
from stend.findings.look import metered
from stend.findings.look.grounds import Ground, capacities
from stend.findings.look.metered import Level
from stend.findings.look.once import once
from stend.model import headroom
from stend.model.counts import Counts, added
from stend.model.definition import Hold, Phase, PlannedTest, Workload
from stend.model.events import Result, ToolFigures
from stend.model.quantities import BESIDE, FOUND, METERED, QUANTITIES, Quantity
from stend.model.record import Run
from stend.model.stats import percentiles_s
from stend.model.tally import NONE, PERCENTS, Tally

State = Literal["fresh", "filled", "window", "saturated", "rested", "phase", "unknown"]
"""State of the drive. `fresh` is purged and not filled, `filled` is preconditioned, `window` is the measurement window,
`saturated` is the end of a saturation, `rested` is after rests. `phase` is the whole of a phase that changes the drive
while it lasts. Other tools do not state it (`unknown`)."""
LASTING: tuple[State, ...] = ("window", "saturated", "filled")
"""States that last in service."""
FILLED: tuple[State, ...] = ("window", "filled")
"""States of a filled drive. A single round has no measurement window."""
Window = Literal["rounds", "whole", "first", "last", "bursts"]
"""The records of a row: the judged rounds, all, the first, the last fifth, the later half of bursts."""
Direction = Literal["both", "read", "write", "trim"]
DIRECTIONS: tuple[Direction, ...] = ("both", "read", "write")
"""Directions of counts. Trims are counted apart from reads and writes."""
CHANGING = ("slc-cache", "hot-range", "cold-warm", "cross-stimulus", "headroom", "service-map", "wake", "heat")
"""Tests whose phases measure a change, or no state that the test brought about."""
SATURATING = ("saturate",)
NOT_LASTING = ("fresh", "slc-cache", "hot-range", "cold-warm")
"""Tests whose figures are not of a lasting state, whatever state the drive was brought into before."""
LEAVES: dict[str, State] = {
    "purge": "fresh",
    "precondition": "filled",
    "condition": "filled",
    "fill": "filled",
    "saturate": "saturated",
}
"""Prefix of a phase's name -> the state that the phase leaves the drive in."""


def quantities(tally: Tally, seconds: float, names: Iterable[str] = QUANTITIES) -> dict[str, float | None]:
    """Return IOs/s, bytes/s or seconds of counts by name, percentiles in one pass over the bins.

    A value is None without IOs, if the sample is too small for the percentile, or if no response times were counted.
    """
    if not tally.ios or not seconds:
        return dict.fromkeys(names)
    waits = [name for name in names if name in PERCENTS]
    tails = dict(zip(waits, percentiles_s(tally, [PERCENTS[name] for name in waits]) if waits else (), strict=True))
    formulas = {name: QUANTITIES[name].formula for name in names}
    return {name: tails[name] if name in tails else f and f(tally, seconds) for name, f in formulas.items()}


def derived(tally: Tally, seconds: float, quantity: str) -> float | None:
    """Return one of `quantities`."""
    return quantities(tally, seconds, (quantity,))[quantity]


def of_record(result: Result, direction: Direction, tally: Tally | None = None) -> dict[str, float | None]:
    """Return all quantities of one record (its `tally` may be given). Values of another tool come first."""
    reported = getattr(result.told, direction) if result.told else {}
    return quantities(tally or getattr(result.counts, direction), result.counts.seconds) | reported


class Figures(NamedTuple):
    """The figures of one workload in one state, window and direction.

    `rounds` are the judged ones, empty if none were. `steady` is that verdict, None without one. `place` numbers loads
    of a phase that differ only in their position on the drive. 0 is all positions together. `reported` holds the
    figures that another tool reported of an imported load. `determined` are quantities that a test determines: how many
    times as fast a trace was replayed within its limit, the bytes that a fast cache took. `levels` are the readings of
    meters meanwhile, by name.
    """

    test: str
    phase: str
    state: State
    window: Window
    workload: Workload
    place: int
    direction: Direction
    rounds: tuple[int, ...]
    steady: bool | None
    seconds: float
    tally: Tally
    reported: ToolFigures | None = None
    determined: Mapping[str, float] = MappingProxyType({})
    levels: Mapping[str, Level] = MappingProxyType({})

    @property
    def values(self) -> dict[str, float | None]:
        """All quantities at once, each as `value` has it."""
        reported = getattr(self.reported, self.direction) if self.reported else {}
        return quantities(self.tally, self.seconds) | reported | self._beside

    def value(self, quantity: str) -> float | None:
        """Return a quantity as `derived` does; a value that another tool reported comes first."""
        if quantity in BESIDE:
            return self._beside[quantity]
        reported = getattr(self.reported, self.direction).get(quantity) if self.reported else None
        return derived(self.tally, self.seconds, quantity) if reported is None else reported

    @property
    def power(self) -> Level | None:
        """Return the watts of a meter, or None without one."""
        return self.levels.get("watts")

    @property
    def _beside(self) -> dict[str, float | None]:
        metered = {name: self._metered(QUANTITIES[name]) for name in METERED}
        return {name: self.determined.get(name) for name in FOUND} | metered

    def _metered(self, quantity: Quantity) -> float | None:
        level = self.levels.get(quantity.reading)
        if level is None or quantity.how in ("mean", "most"):
            value: float | None = getattr(level, quantity.how, None)
            return value
        total = 0.0 if level.whole else level.mean * self.seconds
        return getattr(self.tally, quantity.how) / total if total else None

    def number(self, quantity: str) -> float:
        """Return a quantity, 0 for None. "latency" of charts is the mean."""
        return self.value("mean" if quantity == "latency" else quantity) or 0.0

    def __repr__(self) -> str:
        waits = f"{self.number('mean') * 1e3:.3g} ms on average, {self.number('max') * 1e3:.3g} ms at most"
        where = f"{self.test}, {self.phase}, {self.workload.label}, {self.direction}, {self.state}"
        return f"<figures of {where}: {self.iops:,.0f} IOPS, {self.number('throughput') / 1e6:,.4g} MB/s, {waits}>"

    @property
    def iops(self) -> float:
        """Return IOs/s, or 0 without IOs."""
        return self.number("iops")


@once
def figures(run: Run) -> tuple[Figures, ...]:
    """Return the figures of states, test by test.

    A mix has three rows, both directions first. Any other load has one. Trims have another row.
    """
    return tuple(row for test in look.tests(run) for row in _of_test(run, test) if row.tally.ios)


def lasting(run: Run) -> list[Figures]:
    """Return the figures of lasting states, both directions together; not of loads at a rate, which is no limit."""
    rows = [row for row in figures(run) if row.direction == "both"]
    return [row for row in rows if row.state in LASTING and row.test not in NOT_LASTING and not row.workload.rate_iops]


def after_fill(row: Figures) -> bool:
    """Return whether a row is of a filled drive, and not of a histogram, which repeats a load of another phase."""
    return row.state in FILLED and not look.is_histogram(row.phase)


def answers(run: Run, *names: str) -> list[Figures]:
    """Return the figures with IOs of closed loops in the measuring phases, as listed, both directions together.

    `names` selects tests. Without names all tests count.
    """
    every = (row for test in look.tests(run, *names) for row in loads(run, test))
    return [row for row in every if row.direction == "both" and row.tally.ios and not row.workload.rate_iops]


def loads(run: Run, test: PlannedTest) -> Iterator[Figures]:
    """Yield the listed figures of every load in the measuring phases of a test."""
    for phase in look.measuring(run, test):
        yield from listed(run, test.name, phase.name)


@once
def listed(run: Run, test: str, phase: str) -> tuple[Figures, ...]:
    """Return every load of any phase in order, including loads without IOs.

    A row of a phase that is neither judged nor resting covers the whole phase, even if the drive changes during it.
    """
    planned = run.plan.test(test)
    planned_phase = planned.phase(phase)
    judged, state = run.verdict_rounds(test, phase), _state(run, planned, planned_phase)
    places: dict[str, int] = {}
    rows: list[Figures] = []
    for _, load, counts, trims in look.cells_of(run, test, phase):
        place = places[load.label] = places.get(load.label, 0) + 1
        window: Window = "bursts" if look.rest_s(planned_phase) else "rounds" if judged else "whole"
        rows += _rows(run, (test, phase, state, window, load, place), counts, trims)
    return tuple(rows)


def together(rows: Iterable[Figures]) -> Iterator[Figures]:
    """Yield the rows, with loads that differ only in their position on the drive merged into one."""
    alike: dict[tuple[str, str, Direction], list[Figures]] = {}
    for row in rows:
        alike.setdefault((row.phase, row.workload.label, row.direction), []).append(row)
    for group in alike.values():
        whole = added(Counts(row.seconds, 0, row.tally) for row in group)
        yield (
            group[0]
            if len(group) == 1
            else group[0]._replace(place=0, seconds=whole.seconds, tally=whole.read, reported=None)
        )


def _rows(
    run: Run, place: tuple[Any, ...], counts: Counts, trims: Tally = NONE, part: Sequence[look.Record] = ()
) -> Iterator[Figures]:
    test, phase, _, window, *_ = place
    judged = look.last_judged(run, run.holder(test, phase), phase) if window == "rounds" else None
    rounds = run.verdict_rounds(test, phase) if window == "rounds" else ()
    steady = judged.steady if judged else None
    reported = _reported(run, test, phase, place[4]) if run.source else None
    tallies = {direction: getattr(counts, direction) for direction in DIRECTIONS}
    if not (counts.read.ios and counts.write.ios):
        tallies = {"both": counts.both} if counts.ios or not trims.ios else {}
    levels = _levels(run, place, rounds, part)
    for direction, tally in (tallies | ({"trim": trims} if trims.ios else {})).items():
        beside = levels if direction == "both" else {}
        yield Figures._make((*place, direction, rounds, steady, counts.seconds, tally, reported, {}, beside))


def _levels(
    run: Run, place: tuple[Any, ...], rounds: tuple[int, ...], part: Sequence[look.Record]
) -> Mapping[str, Level]:
    """Return the readings of meters during the records `part`, else the rounds of a row, else all of its phase."""
    test, phase, _, window, load, _ = place
    if not len(run.readings) or (window not in ("rounds", "whole") and not part):
        return {}
    if part:
        return metered.levels(run, [record.result for record in part])
    held = [r for r in run.of(test, phase) if isinstance(r.step, Hold) and r.step.workload == load and not r.step.ramp]
    return metered.levels(run, [r for r in held if not rounds or r.where.round in rounds])


def _reported(run: Run, test: str, phase: str, load: Workload) -> ToolFigures | None:
    """Return the figures that another tool reported of a load. Values of several records cannot be merged."""
    reports = [r.told for r in run.of(test, phase) if isinstance(r.step, Hold) and r.step.workload == load and r.told]
    return reports[0] if len(reports) == 1 else ToolFigures(unknown=reports[0].unknown) if reports else None


def _of_test(run: Run, test: PlannedTest) -> Iterator[Figures]:
    """Yield the figures of every workload with its state, in the order measured."""
    measuring = {phase.name for phase in look.measuring(run, test)}
    for phase in test.phases:
        if phase.name in SATURATING:
            yield from _saturation(run, test, phase)
        elif phase.name == headroom.PHASE:
            yield from _headroom(run, test)
        elif phase.name in measuring:
            yield from listed(run, test.name, phase.name)


def _state(run: Run, test: PlannedTest, phase: Phase) -> State:
    """Return the state that a phase measures.

    It is the state that earlier phases left, unless the phase rests, has a window, or itself changes the drive.
    """
    if run.source:
        return "unknown"
    if look.rest_s(phase):
        return "rested"
    if phase.name in SATURATING:
        return _reached(run, test, phase, "window") if look.reached(run, test.name, phase.name) else "phase"
    if run.verdict_rounds(test.name, phase.name):
        return "window"
    if test.name in CHANGING or phase not in look.measuring(run, test):
        return "phase"
    last, state = _left(test, phase) or (phase, "filled" if test.shared else "fresh")
    return _reached(run, test, last, state) if state == "saturated" else state


def _left(test: PlannedTest, phase: Phase) -> tuple[Phase, State] | None:
    """Return the last phase before this one that leaves the drive in a state, and that state."""
    before = reversed(test.phases[: test.phases.index(phase)])
    return next(((p, state) for p in before for begin, state in LEAVES.items() if p.name.startswith(begin)), None)


def _saturation(run: Run, test: PlannedTest, phase: Phase) -> Iterator[Figures]:
    """Yield the first record, after the purge or a fill unless it wrote the whole drive, and the end."""
    records = look.records(run, test.name, phase.name)
    if not records:
        return
    first, last = records[0], records[-1]
    _, begun = _left(test, phase) or (phase, "fresh")
    if first.counts.write.bytes >= run.plan.device.capacity_bytes:
        begun = "phase"
    yield from _rows(run, (test.name, phase.name, begun, "first", first.workload, 1), first.counts, part=[first])
    if look.reached(run, test.name, phase.name):
        yield from (row for row in listed(run, test.name, phase.name) if row.workload == last.workload)
    else:
        counts, state = look.ended(run, test, phase.name), _reached(run, test, phase, "saturated")
        yield from _rows(
            run,
            (test.name, phase.name, state, "last", last.workload, 1),
            counts,
            part=look.last_records(run, test, phase.name),
        )


def _reached(run: Run, test: PlannedTest, phase: Phase, state: State) -> State:
    """Return the state at the end of a saturation, or "phase" if it was cut off or less than the capacity was written
    until then."""
    ground = Ground(run, test, look.records(run, test.name, phase.name))
    return state if capacities(ground) >= 1 and phase.name not in run.cut_phases(test) else "phase"


def _headroom(run: Run, test: PlannedTest) -> Iterator[Figures]:
    """Yield the trace at the fastest speed that held, or nothing if none held."""
    held = headroom.evaluate(headroom.passes(run, test)).held
    for row in listed(run, test.name, headroom.PHASE):
        replay = row.workload.replay
        if held and replay and replay.speed == held.speed and row.direction == "both":
            yield row._replace(determined={"headroom": held.speed})
