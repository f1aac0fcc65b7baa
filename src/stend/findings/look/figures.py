"""Every figure of a run: which quantity, in which state of the drive, over which window, under which conditions.

One row is one workload in one state and direction; its quantities (`QUANTITIES`) are derived from its counts alone.
Whoever shows, compares, judges or exports a figure takes it from here, so that one quantity has one value.
"""

from collections.abc import Iterator
from typing import Literal, NamedTuple

from stend.definition import Hold, Idle, Phase, PlannedTest, Workload
from stend.findings import look
from stend.record import Counts, Run, Tally, added
from stend.stats import percentile_s

State = Literal["fresh", "filled", "window", "saturated", "rested", "phase"]
"""Purged and not filled; after preconditioning; in the measurement window; at the end of a saturation; after rests;
the whole of a phase that changes the drive while it lasts."""
Direction = Literal["both", "read", "write"]
DIRECTIONS: tuple[Direction, ...] = ("both", "read", "write")
CHANGING = ("slc-cache", "hot-range", "cold-warm", "cross-stimulus")
"""Tests whose phases are about a change, not about a state."""
SATURATING = ("saturate",)
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
}


class Figures(NamedTuple):
    """The figures of one workload in one state and direction.

    `rounds` are those of the window, empty where nothing was judged; `steady` is that window's verdict, None without
    one. `place` counts loads of a phase that differ in nothing but where on the drive they go.
    """

    test: str
    phase: str
    state: State
    workload: Workload
    place: int
    direction: Direction
    rounds: tuple[int, ...]
    steady: bool | None
    seconds: float
    tally: Tally

    def value(self, quantity: str) -> float | None:
        """IOs/s, bytes/s or seconds; None without IOs or where the sample cannot carry the percentile."""
        if not self.tally.ios or not self.seconds:
            return None
        if quantity in PERCENTS:
            return percentile_s(self.tally, PERCENTS[quantity])
        return {
            "iops": self.tally.ios / self.seconds,
            "throughput": self.tally.bytes / self.seconds,
            "mean": self.tally.mean_s,
            "max": self.tally.max_s,
        }[quantity]


def figures(run: Run) -> Iterator[Figures]:
    """All of a run, test by test; a mix has three rows, both directions first, any other load one."""
    for test in look.tests(run):
        places: dict[tuple[str, State, str], int] = {}
        for phase, state, load, counts in _states(run, test):
            key = (phase.name, state, load.label)
            place = places[key] = places.get(key, 0) + 1
            rounds, steady = _window(run, test, phase, state)
            for direction in DIRECTIONS if counts.read.ios and counts.write.ios else DIRECTIONS[:1]:
                tally: Tally = getattr(counts, direction)
                row = (test.name, phase.name, state, load, place, direction, rounds, steady, counts.seconds, tally)
                yield Figures(*row)


def _window(run: Run, test: PlannedTest, phase: Phase, state: State) -> tuple[tuple[int, ...], bool | None]:
    if state != "window":
        return (), None
    judged = look.last_judged(run, run.holder(test.name, phase.name), phase.name)
    return run.verdict_rounds(test.name, phase.name), judged.steady if judged else None


def _states(run: Run, test: PlannedTest) -> Iterator[tuple[Phase, State, Workload, Counts]]:
    """Every workload with its state, in the order it was measured."""
    measuring = {phase.name for phase in look.measuring(run, test)}
    cells: dict[str, list[look.Cell]] = {}
    for cell in look.cells(run, test):
        cells.setdefault(cell.phase, []).append(cell)
    left: State = "filled" if test.shared else "fresh"
    for phase in test.phases:
        if phase.name in SATURATING:
            yield from _saturation(run, test, phase)
        elif phase.name in measuring and _rest_s(phase):
            yield from _rested(run, test, phase)
        elif phase.name in measuring:
            state = _state(run, test, phase, left)
            yield from ((phase, state, load, counts) for _, load, counts in cells.get(phase.name, ()))
        left = next((state for begin, state in LEAVES.items() if phase.name.startswith(begin)), left)


def _state(run: Run, test: PlannedTest, phase: Phase, left: State) -> State:
    """What the phase finds, but where it has a window, or is about a change."""
    if run.verdict_rounds(test.name, phase.name):
        return "window"
    return "phase" if test.name in CHANGING else left


def _rest_s(phase: Phase) -> float:
    return next((step.seconds for step in phase.round if isinstance(step, Idle)), 0.0)


def _saturation(run: Run, test: PlannedTest, phase: Phase) -> Iterator[tuple[Phase, State, Workload, Counts]]:
    """The first record after the purge, and the last ones."""
    records = look.records(run, test.name, phase.name)
    if records:
        yield phase, "fresh", records[0].workload, records[0].counts
        judged = run.verdict_rounds(test.name, phase.name)
        if judged:
            yield phase, "window", records[-1].workload, run.window(test.name, phase.name, records[-1].workload)
        elif len(records) > look.END:
            yield phase, "saturated", records[-1].workload, look.ended(run, test, phase.name)


def _rested(run: Run, test: PlannedTest, phase: Phase) -> Iterator[tuple[Phase, State, Workload, Counts]]:
    """The second half of the bursts: by then the level is that of the rest, not of what came before."""
    own = [r for r in run.of(test.name, phase.name) if isinstance(r.step, Hold)]
    loads = [r.step.workload for r in own if isinstance(r.step, Hold)]
    if loads:
        yield phase, "rested", loads[-1], added(r.counts for r in own[len(own) // 2 :])
