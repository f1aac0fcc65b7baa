"""Differences grouped by test, state and kind of load, in classes, each with the largest first."""

from collections.abc import Iterable, Sequence
from math import log
from statistics import median
from typing import Literal, NamedTuple, get_args

from stend.many.compare.differences import Difference, Verdict

Class = Literal["up", "ahead", "down", "behind", "some", "level"]
CLASSES: tuple[Class, ...] = get_args(Class)
"""The second side is better, ahead, worse or behind in most figures, any of these in some, or in none."""
UP: tuple[Verdict, ...] = ("better", "ahead")
DOWN: tuple[Verdict, ...] = ("worse", "behind")
UNPROVEN: tuple[Verdict, ...] = ("ahead", "behind", "close")
"""Verdicts on sides whose repeats are unknown."""
A_LITTLE = 0.03
"""Smaller changes in one direction are not told."""
BY_PHASE = ("profiles", "composite")
"""Tests whose phases are different workloads."""


class Group(NamedTuple):
    """Figures of one quantity, one kind of load and one direction: its reads, its writes or both.

    `phase` is empty if the phases of the test are merged.
    """

    test: str
    phase: str
    state: str
    access: str
    quantity: str
    direction: str
    differences: tuple[Difference, ...]

    @property
    def sort(self) -> Class:
        """Return the class: more than half of the figures are better, or worse, and none is the opposite.

        It is "ahead" or "behind" if most of them are unproven.
        """
        up, down = self.count(UP), self.count(DOWN)
        half = len(self.differences) / 2
        proven = self.count(("better", "worse")) > half
        if up > half and not down:
            return "up" if proven else "ahead"
        if down > half and not up:
            return "down" if proven else "behind"
        return "some" if up or down else "level"

    def count(self, verdicts: Sequence[Verdict]) -> int:
        """Return how many figures have one of these verdicts."""
        return sum(d.verdict in verdicts for d in self.differences)

    @property
    def _moved(self) -> set[tuple[str, ...]]:
        kind = self.test, self.phase, self.state, self.access
        return {(*kind, way) for way, verdicts in (("up", UP), ("down", DOWN)) if self.count(verdicts)}

    @property
    def one_way(self) -> bool:
        """Return whether all figures grew, or all shrank, the middle one by a few percent at least."""
        ratios = [d.ratio for d in self.differences]
        return (min(ratios) > 1 or max(ratios) < 1) and self.far >= log(1 + A_LITTLE)

    @property
    def far(self) -> float:
        """Return the size of the middle difference, for ranking."""
        return median(abs(log(d.ratio)) for d in self.differences)

    @property
    def largest(self) -> Difference:
        """Return the largest difference."""
        return max(self.differences, key=lambda d: abs(log(d.ratio)))


def groups(differences: Iterable[Difference]) -> list[Group]:
    """Return the groups of all comparable figures, the largest differences first.

    Reads or writes of a mix alone have a group if they moved where the whole mix did not. Mean response times of
    profiles are left out, because at a fixed depth they follow from the rates.
    """
    every: dict[Group, list[Difference]] = {}
    for row in differences:
        follows = row.key.test == "profiles" and row.quantity == "mean" and row.key.direction == "both"
        if row.verdict != "not comparable" and not follows:
            every.setdefault(alone(row)._replace(differences=()), []).append(row)
    filled = [group._replace(differences=tuple(rows)) for group, rows in every.items()]
    moved = {way for group in filled if group.direction == "both" for way in group._moved}
    kept = (group for group in filled if group.direction == "both" or group._moved - moved)
    return sorted(kept, key=lambda group: -group.far)


def alone(row: Difference) -> Group:
    """Return the group of one figure."""
    key = row.key
    phase = key.phase if key.test in BY_PHASE else ""
    return Group(key.test, phase, key.state, access(key.random_pct, key.read_pct), row.quantity, key.direction, (row,))


def classes(differences: Sequence[Difference]) -> dict[Class, list[Group]]:
    """Return the groups of each class."""
    every = groups(differences)
    return {name: [group for group in every if group.sort == name] for name in CLASSES}


def access(random_pct: int, read_pct: int) -> str:
    """Return the kind of a load: `random_read`, `sequential_mix`."""
    way = {100: "read", 0: "write"}.get(read_pct, "mix")
    return f"{'sequential' if not random_pct else 'random'}_{way}"
