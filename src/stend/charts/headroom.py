"""Headroom: a percentile of the trace's response times against the replay speed, with the limit."""

from collections.abc import Iterator, Sequence
from typing import Any

from stend.charts.parts import Drawing, Row, axis
from stend.charts.parts.marks import above, level, shapes_of, tips
from stend.charts.parts.sides import Side, channels
from stend.charts.parts.vega import Chart
from stend.model import headroom
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.words import Language

HOW = {"": "circle", "slow": "triangle-up", "full": "square", "host": "cross"}
"""Shape of a pass by the reason why it did not hold, or "" if it held."""


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield the search of one drive."""
    side = Side(run.plan.device.model or run.plan.device.target, run)
    yield from drawing([side], words, words("chart.headroom"))


def drawing(sides: Sequence[Side], words: Language, title: str) -> Iterator[Drawing]:
    """Yield one line per drive that replayed the first one's trace under the same limit."""
    rows = [row for side in comparable(sides) for row in _rows(side, words)]
    if not rows:
        return
    _, percentile, limit_ms = _question(sides[0])
    x = axis("speed", words("axis.speed"), log=True)
    y = above(limit_ms, axis("ms", words("axis.percentile_ms", percentile=percentile), log=True), rows)
    limit = {"ms": limit_ms, "what": words("headroom.limit", limit=limit_ms / 1e3)}
    shapes = {words(f"headroom.{why or 'held'}"): shape for why, shape in HOW.items()}
    kinds, how = channels(sides, rows), shapes_of(shapes, rows, None, legend={"orient": "bottom", "columns": 2})
    drives = {name: kinds[name] for name in ("color", "strokeDash")}
    base = Chart().encode(x=x, y=y, tooltip=tips(kinds["color"], how, x, y))
    line = base.mark("line", strokeWidth=1.4).encode(**drives)
    points = base.mark("point", size=70, filled=True, opacity=0.85).encode(color=kinds["color"], shape=how)
    yield Drawing(title, level("limit", y) + line + points, {"rows": rows, "limit": [limit]}, words("says.headroom"))


def comparable(sides: Sequence[Side]) -> list[Side]:
    """Return the sides that replayed the first one's trace under the same limit; none if the first did not replay."""
    first = _question(sides[0]) if sides else ()
    return [side for side in sides if first and _question(side) == first]


def passes(side: Side) -> list[headroom.Pass]:
    """Return the passes of a side's search, or an empty list."""
    test = side.test("headroom")
    return headroom.passes(side.run, test) if side.run and test else []


def _question(side: Side) -> tuple[Any, ...]:
    test = side.test("headroom")
    if test is None or test.traced is None:
        return ()
    return test.traced.number, test.profile.options["percentile"], test.profile.options["limit_ms"]


def _rows(side: Side, words: Language) -> Iterator[Row]:
    for tried in sorted(passes(side), key=lambda tried: tried.speed):
        if tried.waited_s is not None:
            how = words(f"headroom.{tried.why or 'held'}")
            yield {"speed": tried.speed, "ms": tried.waited_s * 1e3, "how": how, "drive": side.name}
