"""Service map: reads per second that stay within a limit beside a rate of writes, one line per limit."""

from collections.abc import Iterator, Sequence
from math import inf, isfinite

from stend.charts.parts import GREY, Drawing, Row, axis, ladder, series_scale
from stend.charts.parts.marks import Channel, above, level, nominal, shapes_of, tips
from stend.charts.parts.sides import Side, channels
from stend.charts.parts.vega import Chart
from stend.model import service_map
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.model.service_band import band
from stend.model.service_map import Cell, Key
from stend.words import Language

TESTS = ("diskplorer",)
SHAPES = {"": "circle", "full": "triangle-up", "host": "cross"}
"""Shape of a cell by the reason why it shows no response time, or "" if it does."""
LIMITS_S = (0.001, 0.002, 0.005, 0.01)
"""Limits of an imported map, which names none."""
WIDE = 0.05
"""Bands wider than this share of the read axis are drawn."""


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield one chart per percentile: of reads alone if no limit was kept, or if the search ended before any writes."""
    cells = service_map.cells(run, test)
    for percent in service_map.percents(run, test):
        lines = [row for limit in _limits(test) for row in _line(run, test, cells, Key(percent, limit), words)]
        if lines and any(cell.writes for cell in cells):
            bands = [row for limit in _limits(test) for row in _band(run, test, cells, Key(percent, limit), words)]
            yield _drawing(lines, bands, [_point(cell, percent, words) for cell in cells], percent, words)
        elif alone := [cell for cell in cells if not cell.writes and isfinite(cell.waits[percent] or inf)]:
            says = words("says.service_alone" if lines else "says.service_beyond")
            yield _alone([_point(cell, percent, words) for cell in alone], max(_limits(test)), percent, says, words)


def _alone(waits: list[Row], limit_s: float, percent: float, says: str, words: Language) -> Drawing:
    """Return the response times of reads without writes by their rate, and a limit."""
    x = axis("reads", words("axis.reads"))
    y = above(limit_s * 1e3, axis("ms", words("axis.percentile_ms", percentile=percent), log=True), waits)
    limit: Row = {"ms": limit_s * 1e3, "what": words("service_map.limit", limit=limit_s * 1e3)}
    line = Chart().mark("line", strokeWidth=1.4, point=True).encode(x=x, y=y, tooltip=tips(x, y))
    title = words("chart.service_alone", percent=percent)
    return Drawing(title, level("limit", y) + line, {"rows": waits, "limit": [limit]}, says)


def _limits(test: PlannedTest) -> Sequence[float]:
    options = test.profile.options
    return [limit / 1e3 for limit in options["limits_ms"]] if "limits_ms" in options else LIMITS_S


def _line(run: Run, test: PlannedTest, cells: Sequence[Cell], key: Key, words: Language) -> list[Row]:
    """Return the contour of a limit up to the write rate where it ends, or nothing if no cell kept it."""
    points = service_map.contour(cells, key, service_map.axes(run, test))
    named = words("service_map.limit", limit=key.limit_s * 1e3)
    last = max((place for place, (_, reads) in enumerate(points) if reads), default=-2)
    return [{"mbs": writes / 1e6, "reads": reads, "limit": named} for writes, reads in points[: last + 2]]


def _band(run: Run, test: PlannedTest, cells: Sequence[Cell], key: Key, words: Language) -> list[Row]:
    """Return where waits are near a limit, of each column, or nothing if that is narrow in all of them."""
    keys = [Key(percent, limit) for percent in service_map.percents(run, test) for limit in _limits(test)]
    points = band(cells, key, ends := service_map.axes(run, test), keys)
    if all(high - low <= WIDE * ends.reads for _, low, high in points):
        return []
    named = words("service_map.limit", limit=key.limit_s * 1e3)
    return [{"mbs": writes / 1e6, "low": low, "high": high, "limit": named} for writes, low, high in points]


def _point(cell: Cell, percent: float, words: Language) -> Row:
    wait = cell.waits[percent]
    shown = {"ms": min(wait, service_map.MOST_S) * 1e3} if wait is not None else {}
    how = words(f"service_map.{cell.why or 'measured'}")
    return {"mbs": cell.writes / 1e6, "reads": cell.reads, "how": how, **shown}


def _drawing(lines: list[Row], bands: list[Row], cells: list[Row], percent: float, words: Language) -> Drawing:
    names = list(dict.fromkeys(str(row["limit"]) for row in lines))
    scale = series_scale(names, ladder(len(names)))
    colour = nominal("limit", title=words("service_map.within", percent=percent), scale=scale)
    x, y = axis("mbs", words("axis.written_mbs")), axis("reads", words("axis.reads"))
    wait: Channel = {"field": "ms", "type": "quantitative", "title": words("axis.percentile_ms", percentile=percent)}
    shapes = {words(f"service_map.{why or 'measured'}"): shape for why, shape in SHAPES.items()}
    how = shapes_of(shapes, cells, words("service_map.cells"))
    size = 45 if len(cells) < 100 else 12
    points = Chart("cells").mark("point", size=size, color=GREY, filled=True, opacity=0.6)
    points = points.encode(x=x, y=y, shape=how, tooltip=tips(x, y, wait, how))
    line = Chart("rows").mark("line", strokeWidth=2.2).encode(x=x, y=y, color=colour, tooltip=tips(colour, x, y))
    near = Chart("bands").mark("area", opacity=0.2, clip=True)
    near = near.encode(x=x, y={**y, "field": "low"}, y2={"field": "high"}, color=colour)
    return Drawing(
        words("chart.service_map", percent=percent),
        near + points + line if bands else points + line,
        {"rows": lines, "cells": cells} | ({"bands": bands} if bands else {}),
        words("says.service_map"),
    )


def beside(sides: Sequence[Side], words: Language) -> Iterator[Drawing]:
    """Yield the first contour that a drive of the page keeps, one line per drive, or nothing for a single drive."""
    found = [(side, test) for side in sides if side.run and (test := side.test("service-map"))]
    if len(found) < 2:
        return
    asked = _question(found[0][1])
    for percent, limit in ((p, ms / 1e3) for p in asked[1] for ms in asked[0]):
        rows: list[Row] = []
        for side, test in found:
            if side.run and _question(test) == asked:
                cells = service_map.cells(side.run, test)
                lines = _line(side.run, test, cells, Key(percent, limit), words)
                rows += [row | {"drive": side.name} for row in lines if any(cell.writes for cell in cells)]
        if rows:
            kinds = channels(sides, rows)
            x, y = axis("mbs", words("axis.written_mbs")), axis("reads", words("axis.reads"))
            shown = {name: kinds[name] for name in ("color", "strokeDash")}
            chart = Chart().mark("line", strokeWidth=2, point=True)
            chart = chart.encode(x=x, y=y, tooltip=tips(kinds["color"], x, y), **shown)
            title = words("beside.service_map", percent=percent, limit=limit * 1e3)
            yield Drawing(title, chart, {"rows": rows}, words("beside.service_map_says"))
            return


def _question(test: PlannedTest) -> tuple[Sequence[float], Sequence[float], float, float]:
    options = test.profile.options
    return options["limits_ms"], options["percentiles"], options["read_kib"], options["write_kib"]
