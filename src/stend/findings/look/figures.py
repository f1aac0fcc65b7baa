"""Every figure of a run: which quantity, in which state of the drive, over which window, under which conditions.

One row is one workload in one state, window and direction; its quantities (`QUANTITIES`) are derived from its counts
alone, by `derived`. Whoever shows, compares, judges or exports a figure takes it from here: `figures` are those of
states, `listed` those of a phase as screens and tables list them. So one quantity has one value.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Literal, NamedTuple

from stend.findings import look
from stend.findings.look.once import once
from stend.model import headroom
from stend.model.counts import Counts, added
from stend.model.definition import Hold, Phase, PlannedTest, Workload
from stend.model.events import Result, ToolFigures
from stend.model.record import Run
from stend.model.stats import percentile_s
from stend.model.tally import Tally

State = Literal["fresh", "filled", "window", "saturated", "rested", "phase", "unknown"]
"""Purged and not filled; after preconditioning; in the measurement window; at the end of a saturation; after rests;
the whole of a phase that changes the drive while it lasts; not told, as by other tools."""
LASTING: tuple[State, ...] = ("window", "saturated", "filled")
"""States that service lasts in."""
Window = Literal["rounds", "whole", "first", "last", "bursts"]
"""Which records: of the rounds that were judged, all, the first, the last fifth, the later half of bursts."""
Direction = Literal["both", "read", "write"]
DIRECTIONS: tuple[Direction, ...] = ("both", "read", "write")
CHANGING = ("slc-cache", "hot-range", "cold-warm", "cross-stimulus", "headroom")
"""Tests whose phases are about a change, not about a state."""
SATURATING = ("saturate",)
UNSTEADY = ("fresh", "slc-cache", "hot-range", "cold-warm")
"""Tests whose figures are of no state that lasts, whatever the drive was brought into before."""
LEAVES: dict[str, State] = {
    "purge": "fresh",
    "precondition": "filled",
    "condition": "filled",
    "fill": "filled",
    "saturate": "saturated",
}
"""How the names of phases begin that bring the drive into a state, and which."""


class Quantity(NamedTuple):
    """What a name stands for: base unit, whether more is better, and which kind of threshold is meant for it."""

    unit: str
    more_is_better: bool
    kind: Literal["rate", "mean", "tail"]


PERCENTS = {"p50": 50.0, "p99": 99.0, "p99.9": 99.9, "p99.99": 99.99, "p99.999": 99.999}
QUANTITIES: dict[str, Quantity] = {
    "iops": Quantity("1/s", True, "rate"),
    "throughput": Quantity("B/s", True, "rate"),
    "mean": Quantity("s", False, "mean"),
    **{name: Quantity("s", False, "tail" if percent > 50 else "mean") for name, percent in PERCENTS.items()},
    "max": Quantity("s", False, "tail"),
    "headroom": Quantity("", True, "rate"),
}


def derived(tally: Tally, seconds: float, quantity: str) -> float | None:
    """IOs/s, bytes/s or seconds; None without IOs, or where the sample cannot carry it, or counts do not tell it."""
    if not tally.ios or not seconds:
        return None
    if quantity in PERCENTS:
        return percentile_s(tally, PERCENTS[quantity])
    return {
        "iops": tally.ios / seconds,
        "throughput": tally.bytes / seconds,
        "mean": tally.mean_s or None,
        "max": tally.max_s or None,
        "headroom": None,
    }[quantity]


def of_record(result: Result, direction: Direction, name: str) -> float | None:
    """The same of one record; what another tool told of it goes before its counts."""
    said = getattr(result.told, direction).get(name) if result.told else None
    return derived(getattr(result.counts, direction), result.counts.seconds, name) if said is None else said


class Figures(NamedTuple):
    """The figures of one workload in one state, window and direction.

    `rounds` are those that were judged, empty where nothing was; `steady` is that verdict, None without one. `place`
    counts loads of a phase that differ in nothing but where on the drive they go; 0 is all such places together.
    `told` is what another tool told of an imported load. `headroom` is how many times as fast a trace was played and
    held its limit, None for what was no search for that.
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
    told: ToolFigures | None = None
    headroom: float | None = None

    def value(self, quantity: str) -> float | None:
        """As `derived`; what another tool told goes before."""
        if quantity == "headroom":
            return self.headroom
        said = getattr(self.told, self.direction).get(quantity) if self.told else None
        return derived(self.tally, self.seconds, quantity) if said is None else said

    def number(self, quantity: str) -> float:
        """The same, 0 for None; a chart's "latency" is the mean."""
        return self.value("mean" if quantity == "latency" else quantity) or 0.0

    @property
    def iops(self) -> float:
        """IOs/s; 0 without any."""
        return self.number("iops")


@once
def figures(run: Run) -> tuple[Figures, ...]:
    """Those of states, test by test; a mix has three rows, both directions first, any other load one."""
    return tuple(row for test in look.tests(run) for row in _of_test(run, test) if row.tally.ios)


def lasting(run: Run) -> list[Figures]:
    """Those of states that service lasts in, both directions together."""
    own = [row for row in figures(run) if row.direction == "both"]
    return [row for row in own if row.state in LASTING and row.test not in UNSTEADY]


def answers(run: Run, *names: str) -> list[Figures]:
    """What tests (all, or these) answered: their main phases as listed, both directions together; with IOs."""
    every = (row for test in look.tests(run, *names) for row in loads(run, test))
    return [row for row in every if row.direction == "both" and row.tally.ios]


def loads(run: Run, test: PlannedTest) -> Iterator[Figures]:
    """Every load of the phases that a test is about, as listed."""
    for phase in look.measuring(run, test):
        yield from listed(run, test.name, phase.name)


@once
def listed(run: Run, test: str, phase: str) -> tuple[Figures, ...]:
    """Every load of any phase, in the order they came; of a course nobody judged it is the whole, whatever it passes.

    Loads without IOs are among them.
    """
    planned = next(t for t in run.plan.tests if t.name == test)
    own = next(p for p in planned.phases if p.name == phase)
    judged = run.verdict_rounds(test, phase)
    places: dict[str, int] = {}
    found: list[Figures] = []
    for _, load, counts in look.cells_of(run, test, phase):
        place = places[load.label] = places.get(load.label, 0) + 1
        window: Window = "bursts" if look.rest_s(own) else "rounds" if judged else "whole"
        found += _rows(run, (test, phase, _state(run, planned, own), window, load, place), counts)
    return tuple(found)


def together(rows: Iterable[Figures]) -> Iterator[Figures]:
    """Loads that differ only in their place on the drive, as one."""
    alike: dict[tuple[str, str, Direction], list[Figures]] = {}
    for row in rows:
        alike.setdefault((row.phase, row.workload.label, row.direction), []).append(row)
    for own in alike.values():
        whole = added(Counts(row.seconds, 0, row.tally) for row in own)
        yield own[0] if len(own) == 1 else own[0]._replace(place=0, seconds=whole.seconds, tally=whole.read, told=None)


def _rows(run: Run, place: tuple[Any, ...], counts: Counts) -> Iterator[Figures]:
    test, phase, _, window, *_ = place
    judged = look.last_judged(run, run.holder(test, phase), phase) if window == "rounds" else None
    rounds = run.verdict_rounds(test, phase) if window == "rounds" else ()
    steady = judged.steady if judged else None
    told = _told(run, test, phase, place[4]) if run.source else None
    for direction in DIRECTIONS if counts.read.ios and counts.write.ios else DIRECTIONS[:1]:
        yield Figures._make((*place, direction, rounds, steady, counts.seconds, getattr(counts, direction), told, None))


def _told(run: Run, test: str, phase: str, load: Workload) -> ToolFigures | None:
    """What another tool told of a load; of several records no told figures can be made one."""
    own = [r.told for r in run.of(test, phase) if isinstance(r.step, Hold) and r.step.workload == load and r.told]
    return own[0] if len(own) == 1 else ToolFigures(unknown=own[0].unknown) if own else None


def _of_test(run: Run, test: PlannedTest) -> Iterator[Figures]:
    """Every workload with its state, in the order it was measured."""
    measuring = {phase.name for phase in look.measuring(run, test)}
    for phase in test.phases:
        if phase.name in SATURATING:
            yield from _saturation(run, test, phase)
        elif phase.name == headroom.PHASE:
            yield from _headroom(run, test)
        elif phase.name in measuring:
            yield from listed(run, test.name, phase.name)


def _state(run: Run, test: PlannedTest, phase: Phase) -> State:
    """What the phase finds, but where it rests, has a window, is about a change or brings the drive into a state."""
    if run.source:
        return "unknown"
    if look.rest_s(phase):
        return "rested"
    if run.verdict_rounds(test.name, phase.name):
        return "window"
    if test.name in CHANGING or phase.name in SATURATING or phase not in look.measuring(run, test):
        return "phase"
    before = [p.name for p in test.phases[: test.phases.index(phase)]]
    left = [state for name in before for begin, state in LEAVES.items() if name.startswith(begin)]
    return left[-1] if left else "filled" if test.shared else "fresh"


def _saturation(run: Run, test: PlannedTest, phase: Phase) -> Iterator[Figures]:
    """The first record after the purge, and the last ones."""
    records = look.records(run, test.name, phase.name)
    if not records:
        return
    first, last = records[0], records[-1]
    yield from _rows(run, (test.name, phase.name, "fresh", "first", first.workload, 1), first.counts)
    if run.verdict_rounds(test.name, phase.name):
        yield from (row for row in listed(run, test.name, phase.name) if row.workload == last.workload)
    else:
        counts = look.ended(run, test, phase.name)
        yield from _rows(run, (test.name, phase.name, "saturated", "last", last.workload, 1), counts)


def _headroom(run: Run, test: PlannedTest) -> Iterator[Figures]:
    """The trace at the fastest speed that held; nothing where none did."""
    held = headroom.evaluate(headroom.passes(run, test)).held
    for row in listed(run, test.name, headroom.PHASE):
        replay = row.workload.replay
        if held and replay and replay.speed == held.speed and row.direction == "both":
            yield row._replace(headroom=held.speed)
