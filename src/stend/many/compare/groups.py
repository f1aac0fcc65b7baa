"""Differences grouped by test, state and kind of load, in five classes, each with the largest first."""

from collections.abc import Iterable, Sequence
from math import log
from statistics import median
from typing import Literal, NamedTuple, get_args

from stend.many.compare.differences import Difference, Verdict

Class = Literal["up", "ahead", "down", "behind", "level"]
CLASSES: tuple[Class, ...] = get_args(Class)
"""The second side is better, ahead, worse or behind in most figures, or none of them."""
UP: tuple[Verdict, ...] = ("better", "ahead")
DOWN: tuple[Verdict, ...] = ("worse", "behind")
UNPROVEN: tuple[Verdict, ...] = ("ahead", "behind", "close")
"""Verdicts on sides whose repeats are unknown."""
BY_PHASE = ("profiles", "composite")
"""Tests whose phases are different workloads."""


class Group(NamedTuple):
    """Figures of one quantity and one kind of load. `phase` is empty if the phases of the test are merged."""

    test: str
    phase: str
    state: str
    access: str
    quantity: str
    differences: tuple[Difference, ...]

    @property
    def sort(self) -> Class:
        """Return the class: more than half of the figures are better, or worse, and none is the opposite.

        It is "ahead" or "behind" if most of them are unproven.
        """
        up, down = (sum(d.verdict in verdicts for d in self.differences) for verdicts in (UP, DOWN))
        half = len(self.differences) / 2
        proven = sum(d.verdict in ("better", "worse") for d in self.differences) > half
        if up > half and not down:
            return "up" if proven else "ahead"
        return ("down" if proven else "behind") if down > half and not up else "level"

    @property
    def moved(self) -> bool:
        """Return whether any figure is better, ahead, worse or behind."""
        return any(d.verdict in (*UP, *DOWN) for d in self.differences)

    @property
    def far(self) -> float:
        """Return the size of the middle difference, for ranking."""
        return median(abs(log(d.ratio)) for d in self.differences)

    @property
    def largest(self) -> Difference:
        """Return the largest difference."""
        return max(self.differences, key=lambda d: abs(log(d.ratio)))


def groups(differences: Iterable[Difference]) -> list[Group]:
    """Return the groups of all comparable figures of whole loads, the largest differences first.

    Mean response times of profiles are left out, because at a fixed depth they follow from the rates.
    """
    every: dict[Group, list[Difference]] = {}
    for row in differences:
        key = row.key
        if (
            row.verdict == "not comparable"
            or key.direction != "both"
            or (key.test == "profiles" and row.quantity == "mean")
        ):
            continue
        every.setdefault(alone(row)._replace(differences=()), []).append(row)
    filled = (group._replace(differences=tuple(rows)) for group, rows in every.items())
    return sorted(filled, key=lambda group: -group.far)


def alone(row: Difference) -> Group:
    """Return the group of one figure."""
    key = row.key
    phase = key.phase if key.test in BY_PHASE else ""
    return Group(key.test, phase, key.state, access(key.random_pct, key.read_pct), row.quantity, (row,))


def classes(differences: Sequence[Difference]) -> dict[Class, list[Group]]:
    """Return the groups of each class; first those of which some figures are better or worse."""
    every = sorted(groups(differences), key=lambda group: not group.moved)
    return {name: [group for group in every if group.sort == name] for name in CLASSES}


def access(random_pct: int, read_pct: int) -> str:
    """Return the kind of a load: `random_read`, `sequential_mix`."""
    way = {100: "read", 0: "write"}.get(read_pct, "mix")
    return f"{'sequential' if not random_pct else 'random'}_{way}"
