"""Temperature of the drive below a course, on the axis of that course, and the stretches in which it throttled."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Any

from stend.charts.parts import RED, Drawing, Row, axis, binned
from stend.charts.parts.marks import Channel, series, thin_lines
from stend.charts.parts.vega import Chart
from stend.findings.look import Record
from stend.findings.look.heat import temperatures, throttled
from stend.findings.look.moments import began, ended
from stend.model.record import Run
from stend.words import Language

FEWEST = 3
"""Readings below which no course is drawn."""
MARGIN_C = 5
CHANGE_C = 3.0
"""A temperature that changes by less is not drawn."""
AFTER_S = 60.0
"""A reading up to this long after the last record belongs to it."""
MOST, HEIGHT = 300, 180

Spans = list[tuple[float, float]]


def readings(run: Run, records: Sequence[Record]) -> list[tuple[float, float]]:
    """Return [(seconds on the clock of these records, °C)]."""
    starts = [began(run, record.result) for record in records]
    kept: list[tuple[float, float]] = []
    for moment, degrees in temperatures(run) if records else ():
        place = bisect_right(starts, moment) - 1
        clock, last_s = ended(run, records[-1].result)
        if place >= 0 and moment <= (clock, last_s + AFTER_S):
            kept.append((records[place].start_s + moment[1] - starts[place][1], degrees))
    return kept


def spans(run: Run, records: Sequence[Record], place: Callable[[float], float]) -> Spans:
    """Return the stretches in which the drive throttled, in units of an axis; `place` converts seconds to them."""
    return [(place(begin_s), place(end_s)) for begin_s, end_s in throttled(run, records)]


def shade(
    chart: Any, x: Channel, hot: Spans, says: str, words: Language
) -> tuple[Any, dict[str, list[dict[str, float]]], str]:
    """Return a chart with the stretches of throttling shaded, their rows, and its sentence with what the shade is."""
    if not hot:
        return chart, {}, says
    wide = Chart("hot").mark("rect", color=RED, opacity=0.15).encode(x={**x, "field": "from"}, x2={"field": "to"})
    rows = [{"from": begin, "to": end} for begin, end in hot]
    return wide + chart, {"hot": rows}, f"{says} {words('says.throttled')}"


def drawing(read: Sequence[tuple[float, float]], hot: Spans, x: Channel, title: str, words: Language) -> list[Drawing]:
    """Return the temperature against an axis `x`, or nothing for few readings, or if it stayed level."""
    degrees = [c for _, c in read]
    if len(read) < FEWEST or (max(degrees) - min(degrees) < CHANGE_C and not hot):
        return []
    name = words("axis.temperature")
    points: list[Row] = [{x["field"]: at, "c": c, "kind": name} for at, c in read]
    kinds = series("kind", None, [name])
    kinds["color"]["scale"]["range"] = [RED]
    y = axis("c", name, zero=False)
    y["scale"]["domain"] = [min(degrees) - MARGIN_C, max(degrees) + MARGIN_C]
    chart, more, says = shade(thin_lines(x, y, kinds), x, hot, words("says.temperature"), words)
    return [
        Drawing(title, chart.properties(height=HEIGHT), {"rows": binned(points, x["field"], "c", MOST), **more}, says)
    ]
