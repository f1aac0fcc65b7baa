"""Find drives whose lines or marks are in the same place on a chart, where one hides the other."""

from collections.abc import Iterator, Mapping, Sequence
from math import isclose
from typing import Any

from stend.charts.parts import Row

SAME = 0.015
"""Figures that differ by less are drawn over each other."""
FIGURES = ("value", "ms", "iops")
"""Fields of figures; other numbers are the place of a mark on the other axis."""
BAND = ("low", "high")
Course = Mapping[tuple[Any, ...], tuple[Any, ...]]


def coinciding(rows: Sequence[Row]) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Yield drives that coincide, and the names of the levels or lines in which they do; () stands for all.

    A level or a line is named by the other texts of its rows.
    """
    courses: dict[str, dict[str, dict[tuple[Any, ...], tuple[Any, ...]]]] = {}
    for row in rows:
        if figures := tuple(row[name] for name in FIGURES if name in row):
            other = {k: v for k, v in row.items() if k not in (*FIGURES, *BAND, "drive")}
            name = ", ".join(text for text in other.values() if isinstance(text, str))
            place = tuple(value for value in other.values() if not isinstance(value, str))
            courses.setdefault(name, {}).setdefault(str(row["drive"]), {})[place] = figures
    names: dict[tuple[str, ...], list[str]] = {}
    for name, of in courses.items():
        for drives in _groups(of):
            names.setdefault(drives, []).append(name)
    for drives, known in names.items():
        yield drives, () if len(known) == len(courses) else tuple(known)


def _groups(of: Mapping[str, Course]) -> Iterator[tuple[str, ...]]:
    left = list(of)
    while left:
        group = tuple(drive for drive in left if _same(of[left[0]], of[drive]))
        left = [drive for drive in left[1:] if drive not in group]
        if len(group) > 1:
            yield group


def _same(first: Course, second: Course) -> bool:
    """Return whether two courses have the same places, and about the same figures there."""
    return first.keys() == second.keys() and all(
        (None in (a, b) and a == b) or (None not in (a, b) and isclose(a, b, rel_tol=SAME))
        for place in first
        for a, b in zip(first[place], second[place], strict=True)
    )
