"""Figures of a victim alone and beside each neighbour, and of trims; findings and charts share them."""

from typing import Any, NamedTuple

from stend.findings import look
from stend.findings.look.figures import Figures, listed
from stend.model.definition import Hold, PlannedTest, Workload
from stend.model.pace import Pace, paces
from stend.model.record import Run

NAME = "neighbours"
KINDS = {"RND 4K 100/0": "read", "SEQ 128K 0/100": "stream", "RND 4K 0/100": "write", "RND TRIM 64K": "trim"}
"""Names of the test's neighbours by their labels."""


class Pair(NamedTuple):
    """A victim's figures beside a neighbour at a queue depth. Both are "" and 0 for the victim alone."""

    phase: str
    neighbour: str
    depth: int
    row: Figures

    @property
    def p99_s(self) -> float | None:
        """Return the victim's p99 in seconds, or None if the sample is too small."""
        return self.row.value("p99")

    @property
    def place(self) -> dict[str, Any]:
        """Return the values of a finding that name the victim and its neighbour."""
        return {"phase": self.phase, "neighbour": self.neighbour, "depth": self.depth}


def kind(load: Workload) -> str:
    """Return the name of a neighbour of the test, or the label of another one without its depth."""
    label = load.label.replace(f" T1 Q{load.depth}", "")
    return KINDS.get(label, label)


def pairs(run: Run, test: PlannedTest) -> dict[str, list[Pair]]:
    """Return {phase: the victim alone first, then beside each neighbour}. Victims without IOs alone are left out."""
    found: dict[str, list[Pair]] = {}
    for phase in look.measuring(run, test):
        rows = [row for row in listed(run, test.name, phase.name) if row.direction == "both"]
        every = [_pair(row) for row in rows]
        if every and not every[0].neighbour and every[0].row.tally.ios:
            found[phase.name] = every
    return found


def _pair(row: Figures) -> Pair:
    beside = row.workload.beside
    return Pair(row.phase, kind(beside[0]) if beside else "", beside[0].outstanding if beside else 0, row)


def minutes(run: Run, test: PlannedTest, phase: str) -> list[look.Record]:
    """Return the minutes of a victim in order, without the time in which the drive settled."""
    every = look.records(run, test.name, phase)
    return [record for record in every if not (isinstance(record.result.step, Hold) and record.result.step.ramp)]


def paces_of(run: Run, test: PlannedTest, phase: str) -> dict[Workload, Pace]:
    """Return how each load of a phase kept its rate."""
    found = dict[Workload, Pace]()
    for record in minutes(run, test, phase):
        found[record.workload] = paces(found.get(record.workload), record.result.pace) or Pace()
    return found


def inflation(alone: Pair, pair: Pair) -> float | None:
    """Return how many times as long the victim's p99 is beside a neighbour, or None if a sample is too small."""
    before_s, beside_s = alone.p99_s, pair.p99_s
    return beside_s / before_s if before_s and beside_s is not None else None
