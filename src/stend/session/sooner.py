"""Find ways to shorten a plan: deviations from its method, the hours each saves, and its effect on a virtual drive.

Stopping early inside a cell is not one of them: the first figures of large blocks after small writes depend on history,
not noise.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import NamedTuple

import msgspec

from stend.base.errors import StepFailed
from stend.devices.virtual import PREFIX, find
from stend.engines.simulated import SimulatedEngine
from stend.model.definition import Hold, Identity, Phase, Plan, PlannedTest, Seconds, Step
from stend.model.events import Sample
from stend.model.record import Run
from stend.runner.loop import run
from stend.session.series import FINISHED
from stend.sim import load, profiles

READS, HALF = 0.25, 0.5
Cells = dict[tuple[str, str, str], float]
"""(test, phase, load) -> its figure over the window, in the quantity of the phase's rule."""


class Tried(NamedTuple):
    """Result of a way: hours of the plan with it and without, its worst change of a cell, and that of repetition."""

    name: str
    hours: float
    planned_hours: float
    worst: float
    cell: str
    chance: float

    @property
    def stated(self) -> float:
        """Return the largest expected change of any cell."""
        return self.worst + self.chance


def reads_short(plan: Plan) -> Plan:
    """Shorten cells that only read to a quarter of their minute."""
    return _steps(plan, lambda hold: 1 if hold.workload.writes else READS)


def half_minutes(plan: Plan) -> Plan:
    """Shorten all cells of rounds to half a minute."""
    return _steps(plan, lambda hold: HALF)


def latency_after_iops(plan: Plan) -> Plan:
    """Start Latency from the state after the IOPS rounds, without a separate purge and fill."""
    names = [test.name for test in plan.tests]
    after = "iops" in names and "latency" in names and names.index("iops") + 1 == names.index("latency")
    return _without(plan, "latency", lambda phase: after and _prepares(phase))


def throughput_together(plan: Plan) -> Plan:
    """Start Throughput's second block size from the state after the first, without a purge and a fill."""
    sizes = [p.name for test in plan.tests if test.name == "throughput" for p in test.phases if not _prepares(p)]
    return _without(
        plan, "throughput", lambda phase: _prepares(phase) and not phase.name.endswith(sizes[0].removeprefix("rounds"))
    )


def all_of_them(plan: Plan) -> Plan:
    """Combine short reads and shared states."""
    return throughput_together(latency_after_iops(reads_short(plan)))


TOGETHER = "the ways above together"
WAYS: dict[str, Callable[[Plan], Plan]] = {
    "cells that only read last 15 s": reads_short,
    "latency starts from the state of IOPS": latency_after_iops,
    "throughput of 128 KiB starts from 1 MiB": throughput_together,
    TOGETHER: all_of_them,
    "minutes of 30 s": half_minutes,
}


def twin(drive: Identity) -> str:
    """Return the virtual drive of this model, or the drive itself if it is virtual, or "" if none fits."""
    if drive.target.startswith(PREFIX):
        return drive.target
    model = drive.model.casefold()
    return next((PREFIX + name for name in profiles() if model and load(name).model.casefold() in model), "")


class Progress(NamedTuple):
    """Progress of a trial: the number of this run of the plan, the number of runs, its name, its virtual hours."""

    number: int
    of: int
    name: str
    hours: float


Report = Callable[[Progress], object]


def applicable(plan: Plan) -> dict[str, Plan]:
    """Return the shortened plan of every way that changes this plan, by its name. A single way is not combined."""
    ways: dict[str, Plan] = {}
    for name, way in WAYS.items():
        if (changed := way(plan)) != plan and changed not in ways.values():
            ways[name] = changed
    return ways


def tried(plan: Plan, target: str, seed: int = 1, report: Report = lambda progress: None) -> Iterator[Tried]:
    """Yield every way that changes this plan, tried on a virtual drive. This runs the plan several times.

    Raise StepFailed if the virtual drive fails.
    """
    ways = applicable(plan)
    names = ["the plan as it is", "the plan again, for chance", *ways]

    def go(number: int, plan: Plan, seed: int) -> tuple[float, Cells]:
        return played(plan, target, seed, lambda h: report(Progress(number + 1, len(names), names[number], h)))

    hours, cells = go(0, plan, seed)
    _, again = go(1, plan, seed + 1)
    chance, _ = worst(cells, again)
    for number, (name, changed) in enumerate(ways.items(), 2):
        shortened, others = go(number, changed, seed)
        yield Tried(name, shortened, hours, *worst(cells, others), chance)


def played(
    plan: Plan, target: str, seed: int, report: Callable[[float], object] = lambda hours: None
) -> tuple[float, Cells]:
    """Return the hours of a plan on a virtual drive, and its cells. `report` is called with the hours so far."""
    device = find(target)
    device.door.open(writes=True, destroy=None)
    report(0.0)
    with closing(device.door):
        kept = []
        for event in run(plan, device, SimulatedEngine(device.sim.drive), seed=seed, at=0.0):
            if isinstance(event, Sample):
                report(event.t / 3600)
            else:
                kept.append(event)
        done = Run(kept)
    if not done.ended or done.ended.outcome not in FINISHED:
        raise StepFailed(f"{target} did not finish this plan: {done.ended.reason if done.ended else 'no end'}")
    return done.ended.t / 3600, dict(_cells(done))


def worst(cells: Cells, others: Cells) -> tuple[float, str]:
    """Return the greatest relative change of a cell, and the cell's name."""
    changes = {key: abs(others[key] / value - 1) for key, value in cells.items() if value and key in others}
    place = max(changes, key=lambda key: changes[key])
    return changes[place], f"{place[0]}, {place[2]}"


def _cells(done: Run) -> Iterator[tuple[tuple[str, str, str], float]]:
    for test, phase in done.phases():
        if rule := phase.steady:
            for load_ in dict.fromkeys(hold.workload for hold in phase.holds):
                counts = done.window(test.name, phase.name, load_)
                yield (test.name, phase.name, load_.label), counts.quantity(rule.quantity)


def _prepares(phase: Phase) -> bool:
    return phase.name.startswith(("purge", "precondition"))


def _without(plan: Plan, name: str, leaves_out: Callable[[Phase], bool]) -> Plan:
    def kept(test: PlannedTest) -> PlannedTest:
        phases = tuple(phase for phase in test.phases if test.name != name or not leaves_out(phase))
        return msgspec.structs.replace(test, phases=phases)

    return msgspec.structs.replace(plan, tests=tuple(map(kept, plan.tests)))


def _steps(plan: Plan, factor: Callable[[Hold], float]) -> Plan:
    """Return the plan with the times of cells in rounds multiplied by a factor. Other steps stay as they are."""

    def scaled_step(step: Step) -> Step:
        if not isinstance(step, Hold) or not isinstance(step.amount, Seconds):
            return step
        return msgspec.structs.replace(step, amount=Seconds(seconds=step.amount.seconds * factor(step)))

    def scaled_phase(phase: Phase) -> Phase:
        cells = phase.name.startswith("rounds")
        return msgspec.structs.replace(phase, round=tuple(map(scaled_step, phase.round))) if cells else phase

    def scaled_test(test: PlannedTest) -> PlannedTest:
        return msgspec.structs.replace(test, phases=tuple(map(scaled_phase, test.phases)))

    return msgspec.structs.replace(plan, tests=tuple(map(scaled_test, plan.tests)))
