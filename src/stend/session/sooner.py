"""What would end a plan sooner: deviations from its method, each with the hours saved and what it changes on a twin.

An early stop inside a cell is none: what a cell of large blocks shows right after small writes is history, not noise.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from typing import NamedTuple

import msgspec

from stend.devices.virtual import PREFIX, find
from stend.engines.simulated import SimulatedEngine
from stend.model.definition import Hold, Identity, Phase, Plan, PlannedTest, Seconds, Steady, Step
from stend.model.events import Sample
from stend.model.record import Run
from stend.runner.loop import run
from stend.sim import load, profiles

READS, HALF = 0.25, 0.5
Cells = dict[tuple[str, str, str], float]
"""(test, phase, load) -> its figure over the window, in the quantity that its rule looks at."""


class Tried(NamedTuple):
    """A way, the hours of the plan with it and without, its worst change of a cell, and that of mere chance."""

    name: str
    hours: float
    planned_hours: float
    worst: float
    cell: str
    chance: float

    @property
    def stated(self) -> float:
        """No cell is expected to change by more."""
        return self.worst + self.chance


def reads_short(plan: Plan) -> Plan:
    """Cells of rounds that only read last a quarter of their minute."""
    return _steps(plan, lambda hold: READS if hold.workload.read_pct == 100 else 1)


def half_minutes(plan: Plan) -> Plan:
    """All cells of rounds last half a minute."""
    return _steps(plan, lambda hold: HALF)


def latency_after_iops(plan: Plan) -> Plan:
    """Latency goes on from the state that the IOPS rounds leave, without a purge and a fill of its own."""
    names = [test.name for test in plan.tests]
    after = "iops" in names and "latency" in names and names.index("iops") + 1 == names.index("latency")
    return _without(plan, "latency", lambda phase: after and _prepares(phase))


def throughput_together(plan: Plan) -> Plan:
    """The second block size of Throughput goes on from the state that the first leaves, without a purge and a fill."""
    sizes = [p.name for test in plan.tests if test.name == "throughput" for p in test.phases if not _prepares(p)]
    return _without(plan, "throughput", lambda phase: _prepares(phase) and not phase.name.endswith(_tag(sizes[0])))


def all_of_them(plan: Plan) -> Plan:
    """Short reads and shared states together."""
    return throughput_together(latency_after_iops(reads_short(plan)))


WAYS: dict[str, Callable[[Plan], Plan]] = {
    "cells that only read last 15 s": reads_short,
    "latency goes on from the state of IOPS": latency_after_iops,
    "throughput of 128 KiB goes on from 1 MiB": throughput_together,
    "these three together": all_of_them,
    "minutes of 30 s": half_minutes,
}


def twin(drive: Identity) -> str:
    """The virtual drive that stands for this one, itself if it is one; "" where there is none."""
    if drive.virtual:
        return drive.target
    told = drive.model.casefold()
    return next((PREFIX + name for name in profiles() if told and load(name).model.casefold() in told), "")


class Progress(NamedTuple):
    """How far trying is: the number of this run of the plan, of how many, its name, its virtual hours so far."""

    number: int
    of: int
    name: str
    hours: float


Hear = Callable[[Progress], object]


def tried(plan: Plan, target: str, seed: int = 1, hear: Hear = lambda progress: None) -> Iterator[Tried]:
    """Yield every way that changes this plan, as it runs on a virtual drive. It takes several runs of the plan."""
    ways = {name: changed for name, way in WAYS.items() if (changed := way(plan)) != plan}
    if not ways:
        return
    names = ["the plan as it is", "the same once more, for chance", *ways]

    def go(number: int, plan: Plan, seed: int) -> tuple[float, Cells]:
        return played(plan, target, seed, lambda h: hear(Progress(number + 1, len(names), names[number], h)))

    hours, cells = go(0, plan, seed)
    _, again = go(1, plan, seed + 1)
    chance, _ = worst(cells, again)
    for number, (name, changed) in enumerate(ways.items(), 2):
        less, theirs = go(number, changed, seed)
        yield Tried(name, less, hours, *worst(cells, theirs), chance)


def played(
    plan: Plan, target: str, seed: int, hear: Callable[[float], object] = lambda hours: None
) -> tuple[float, Cells]:
    """Return the hours that a plan takes on a virtual drive, and its cells; `hear` is called with the hours so far."""
    device = find(target)
    device.door.open(writes=True, destroy=None)
    hear(0.0)
    with closing(device.door):
        kept = []
        for event in run(plan, device, SimulatedEngine(device.sim.drive), seed=seed, at=0.0):
            if isinstance(event, Sample):
                hear(event.t / 3600)
            else:
                kept.append(event)
        done = Run(kept)
    return (done.ended.t if done.ended else 0.0) / 3600, dict(_cells(done))


def worst(cells: Cells, others: Cells) -> tuple[float, str]:
    """The greatest relative change of a cell, and of which."""
    changes = {key: abs(others[key] / value - 1) for key, value in cells.items() if value and key in others}
    place = max(changes, key=lambda key: changes[key])
    return changes[place], f"{place[0]}, {place[2]}"


def _cells(done: Run) -> Iterator[tuple[tuple[str, str, str], float]]:
    for test, phase in done.phases():
        for rule in phase.until:
            if isinstance(rule, Steady):
                loads = dict.fromkeys(step.workload for step in phase.round if isinstance(step, Hold))
                for load_ in loads:
                    counts = done.window(test.name, phase.name, load_)
                    yield (test.name, phase.name, load_.label), counts.quantity(rule.quantity)


def _prepares(phase: Phase) -> bool:
    return phase.name.startswith(("purge", "precondition"))


def _tag(name: str) -> str:
    return name.removeprefix("rounds")


def _without(plan: Plan, name: str, leaves_out: Callable[[Phase], bool]) -> Plan:
    def kept(test: PlannedTest) -> PlannedTest:
        phases = tuple(phase for phase in test.phases if test.name != name or not leaves_out(phase))
        return msgspec.structs.replace(test, phases=phases)

    return msgspec.structs.replace(plan, tests=tuple(map(kept, plan.tests)))


def _steps(plan: Plan, factor: Callable[[Hold], float]) -> Plan:
    """The plan with timed cells of rounds that last so much of their time; half-hourly checks stay as they are."""

    def step(one: Step) -> Step:
        if not isinstance(one, Hold) or not isinstance(one.amount, Seconds):
            return one
        return msgspec.structs.replace(one, amount=Seconds(seconds=one.amount.seconds * factor(one)))

    def phase(one: Phase) -> Phase:
        cells = one.name.startswith("rounds")
        return msgspec.structs.replace(one, round=tuple(map(step, one.round))) if cells else one

    def test(one: PlannedTest) -> PlannedTest:
        return msgspec.structs.replace(one, phases=tuple(map(phase, one.phases)))

    return msgspec.structs.replace(plan, tests=tuple(map(test, plan.tests)))
