"""Find lines or marks that are in the same place on a chart, where one hides the other: drives, mixes, profiles."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from stend.base.text import capital
from stend.charts.parts import Row
from stend.charts.parts.fit import units
from stend.words import Language

SAME = 0.015
"""Figures that differ by less are drawn over each other; of an axis that does not begin at zero, a part of its span."""
LONGEST = 240
"""Letters up to which a caption lists what coincides."""
MARKS = ("line", "point", "circle")
"""Marks that hide each other; bars are beside each other."""
GIVEN = ("drive", "side", "run")
"""Fields whose names are those of drives and runs, which keep their first letter."""
Course = Mapping[tuple[Any, ...], Sequence[tuple[Any, ...]]]
"""The figures at each place of a line; of dots, one place has several."""


class Fields(NamedTuple):
    """The fields of a mark: the name of its line, its figures, its place in the line, and the part of the chart.

    `spans` are the figures whose axis does not begin at zero.
    """

    line: str
    figures: tuple[str, ...]
    places: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    spans: tuple[str, ...] = ()


def sentences(spec: Mapping[str, Any], words: Language) -> Iterator[str]:
    """Yield which lines or marks of a chart with its data sets hide each other, or that many do.

    Each line has a colour.
    """
    known: dict[str, None] = {}
    ways = {name: name.lower() for name in (words("direction.read"), words("direction.write"))}  # within a sentence
    for view in units(dict(spec)):
        colour, offset = (view.get("encoding", {}).get(name, {}) for name in ("color", "yOffset"))
        apart = offset.get("field", "") == colour.get("field")
        if view.get("mark", {}).get("type") in MARKS and colour.get("type") == "nominal" and not apart:
            fields = _fields(spec, view["encoding"])
            place = (view.get("data") or spec.get("data") or {}).get("name", "rows")
            every_group = list(coinciding(spec["datasets"].get(place, ()), fields))
            for found, parts in every_group:
                if any(set(found) < set(more) and set(parts) <= set(others or parts) for more, others in every_group):
                    continue  # a larger group says it
                lines = [ways.get(name, name) for name in found]
                every = f"{', '.join(lines[:-1])} {words('beside.and')} {lines[-1]}"
                key = "coincide_at" if parts else "coincide"
                told = words(f"beside.{key}", drives=every, names="; ".join(parts))
                known[told if fields.line in GIVEN else capital(told)] = None
    yield from known if sum(map(len, known)) <= LONGEST else [words("beside.coincide_many")]


def _fields(spec: Mapping[str, Any], encoding: Mapping[str, Any]) -> Fields:
    line = encoding["color"]["field"]
    named = [spec.get("facet", {}), *(encoding.get(name, {}) for name in ("x", "y", "strokeDash", "shape", "detail"))]
    parts = tuple(c["field"] for c in named if c.get("type") == "nominal" and c["field"] != line)
    axes = [encoding[name] for name in "yx" if encoding.get(name, {}).get("type") == "quantitative"]
    numbers = tuple(axis["field"] for axis in axes)
    spans = tuple(axis["field"] for axis in axes if axis.get("scale", {}).get("zero") is False)
    if "order" in encoding:
        return Fields(line, numbers, (encoding["order"]["field"],), parts, spans)
    return Fields(line, numbers[:1], numbers[1:], parts, spans)


def coinciding(rows: Sequence[Row], fields: Fields) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Yield lines that coincide, and the names of the parts of the chart in which they do; () stands for all."""
    if len({row.get(fields.line) for row in rows}) < 2:
        return
    courses: dict[str, dict[str, dict[tuple[Any, ...], list[tuple[Any, ...]]]]] = {}
    for row in rows:
        if row.get(fields.line, "") != "":  # a drive without a name is the same drive once more
            part = courses.setdefault(", ".join(str(row.get(name, "")) for name in fields.parts), {})
            course = part.setdefault(str(row[fields.line]), {})
            place, figures = (tuple(row.get(name) for name in some) for some in (fields.places, fields.figures))
            course.setdefault(place, []).append(figures)
    near = tuple(SAME * _span(rows, name) if name in fields.spans else 0.0 for name in fields.figures)
    names: dict[tuple[str, ...], list[str]] = {}
    for name, of in courses.items():
        for lines in _groups(of, near):
            names.setdefault(lines, []).append(name)
    for lines, found in names.items():
        yield lines, () if len(found) == len(courses) else tuple(filter(None, found))


def _span(rows: Sequence[Row], name: str) -> float:
    values = [row[name] for row in rows if row.get(name) is not None]
    return float(max(values, default=0.0) - min(values, default=0.0))


def _groups(of: Mapping[str, Course], near: Sequence[float]) -> Iterator[tuple[str, ...]]:
    left = list(of)
    while left:
        group = tuple(line for line in left if _same(of[left[0]], of[line], near))
        left = [line for line in left[1:] if line not in group]
        if len(group) > 1:
            yield group


def _same(first: Course, second: Course, near: Sequence[float]) -> bool:
    """Return whether two courses have the same places, and about the same figures there: within `near`, or in ratio."""
    return {place: len(of) for place, of in first.items()} == {place: len(of) for place, of in second.items()} and all(
        _near(a, b, least)
        for place, of in first.items()
        for row, other in zip(of, second[place], strict=True)
        for a, b, least in zip(row, other, near, strict=True)
    )


def _near(a: float | None, b: float | None, least: float) -> bool:
    if a is None or b is None:
        return a == b
    return math.isclose(a, b, rel_tol=0.0 if least else SAME, abs_tol=least)
