"""Courses of several drives: saturation over hours, SLC cache over bytes written, each with the temperature."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from stend.base.units import GB, GiB, MiB
from stend.charts.beside.powers import FEWEST
from stend.charts.parts import Drawing, Row, axis, binned, time_scale, warm, zoom
from stend.charts.parts.marks import Channel, band, nominal, tips
from stend.charts.parts.sides import Side, channels, in_sets, published_marks, titled
from stend.charts.parts.vega import Chart
from stend.findings import look
from stend.findings.look import Record
from stend.findings.look.fall import Fall
from stend.findings.look.saturated import saturated
from stend.model.published import ends, middle
from stend.words import Language

MOST = 320
FEW, DOT, POINT = 40, 40, 10
"""Up to this number of rows the points of a line are dots."""
CACHE_PHASES = ("fresh", "rested")
SOON, AROUND, LATER, FAR = 0.05, 6, 1.5, 20
"""A first level that ends within this share of the time has a chart of its beginning: so many times as long as that
level, or as a later one if this is at most `FAR` times the first."""
WIDE = 20
"""From this ratio of the fastest drive to the slowest one the axis is logarithmic: a linear one hides the slowest."""


def over(
    sides: Sequence[Side], rows: Sequence[Row], x: Channel, y: Channel, words: Language
) -> tuple[Any, dict[str, Any]]:
    """Return lines of drives and their rows; rows with `from` and `to` are published ranges without a course."""
    sets = in_sets(rows)
    kinds = channels(sides, rows)
    tooltip = tips(nominal("drive", title=words("compare.drive")), x, y)
    size = DOT if len(sets["rows"]) <= FEW else POINT
    line = Chart().mark("line", strokeWidth=1.8, point={"size": size, "opacity": 0.6}, clip=True)
    course = line.encode(x=x, y=y, tooltip=tooltip, color=kinds["color"], strokeDash=kinds["strokeDash"])
    if any("low" in row for row in rows):
        course = band(x, y, kinds["color"]) + course
    course = course.add_params(zoom())
    if "published" in sets:
        course = course + published_marks(x, y, kinds["color"], words)
    return course, sets


def _levelled(
    sides: Sequence[Side], rows: list[Row], x: Channel, title: str, words: Language
) -> tuple[Any, dict[str, Any]]:
    """Return `over` with an axis that is logarithmic, and without zeros, if drives are far apart."""
    highest: dict[str, float] = {}
    for row in rows:
        value = float(row["value"] if "value" in row else row["to"])
        highest[row["drive"]] = max(value, highest.get(row["drive"], value))
    log = max(highest.values()) > WIDE * min(highest.values())
    kept = [row for row in rows if row.get("value", 1) > 0] if log else rows
    return over(sides, kept, x, axis("value", title, log=log), words)


def saturation(sides: Sequence[Side], words: Language) -> Iterator[Drawing]:
    """Yield IOPS of endless random writes against time, then their beginning, then the temperatures."""
    records, run = _saturating(sides[0]), sides[0].run
    if not records or not run:
        return
    longest_s = max(own[-1].end_s for side in sides if (own := _saturating(side)))  # a published one may last longer
    scale, title = time_scale(longest_s, words)
    courses = {side.name: _course(side, scale, longest_s * 1.01) for side in sides}
    rows = [row for course in courses.values() for row in course]
    x = axis("t", title)
    hot = warm.spans(run, records, lambda at_s: at_s / scale)
    chart, sets = _levelled(sides, rows, x, words("axis.iops"), words)
    joined = any(not side.run and any("value" in row for row in courses[side.name]) for side in sides)
    says = " ".join([words("beside.saturation_says"), *([words("beside.published_joined")] if joined else [])])
    chart, more, says = warm.shade(chart, x, hot, says, words)
    yield Drawing(words("beside.saturation"), chart, sets | more, says)
    yield from _beginning(sides, words)
    read = {side.name: _degrees(side, scale) for side in sides}
    title = words("beside.saturation_heat")
    if sum(len(own) >= warm.FEWEST for own in read.values()) < FEWEST:
        yield from warm.drawing(read[sides[0].name], hot, x, titled(title, sides[0], sides), words)
        return
    heated = ([{"t": t, "value": c, "drive": name} for t, c in own] for name, own in read.items())
    rows = [row for course in heated for row in binned(course, "t", "value", MOST)]
    chart, sets = over(sides, rows, x, axis("value", words("axis.temperature"), zero=False), words)
    yield Drawing(title, chart.properties(height=warm.HEIGHT), sets, words("says.temperature"))


def _beginning(sides: Sequence[Side], words: Language) -> Iterator[Drawing]:
    """Yield the first minutes of endless random writes where a level of a drive ends so soon that hours hide it."""
    courses = [([fall.s for fall in _falls(side)], _saturating(side)) for side in sides]
    early = (ends for ends, records in courses if ends and ends[0] <= SOON * records[-1].end_s)
    if not (ends := max(early, default=[])):
        return
    until_s = max(AROUND * ends[0], *(LATER * end for end in ends if LATER * end <= FAR * ends[0]))
    scale, title = time_scale(until_s, words)
    rows = [row for side in sides for row in binned(list(_sampled(side, scale, until_s)), "t", "value", MOST)]
    chart, sets = _levelled(sides, rows, axis("t", title), words("axis.iops"), words)
    yield Drawing(words("beside.saturation_beginning"), chart, sets, words("beside.beginning_says"))


def _sampled(side: Side, scale: float, until_s: float) -> Iterator[Row]:
    """Yield the samples of the saturation of a run up to a time."""
    records = _saturating(side)
    for record in records[: bisect_left(records, until_s, key=lambda record: record.end_s) + 1]:
        for end_s, counts in look.samples(side.run, record) if side.run else ():
            if end_s <= until_s and counts.seconds:
                yield {"t": end_s / scale, "value": counts.iops, "drive": side.name}


def _falls(side: Side) -> Sequence[Fall]:
    """Return the falls that end a level of the saturation of a run."""
    test = side.test("write-saturation")
    found = side.run and test and saturated(side.run, test.name, look.main_phase(side.run, test))
    return found.levels if found else ()


def _degrees(side: Side, scale: float) -> list[tuple[float, float]]:
    """Return [(time in units of `scale` seconds, °C)] of the saturation of a run."""
    read = warm.readings(side.run, _saturating(side)) if side.run else []
    return [(at_s / scale, degrees) for at_s, degrees in read]


def _saturating(side: Side) -> list[Record]:
    test = side.test("write-saturation")
    return look.records(side.run, test.name, look.main_phase(side.run, test)) if side.run and test else []


def _course(side: Side, scale: float, until_s: float) -> list[Row]:
    """Return the course of a run, or a published one, up to a time. A published one that ends sooner has no line."""
    if side.run:
        held = [r for r in _saturating(side) if r.counts.iops and r.end_s <= until_s]
        rows: list[Row] = [{"t": r.end_s / scale, "value": r.counts.iops, "drive": side.name} for r in held]
        return binned(rows, "t", "value", MOST)
    rows = [row | {"t": row["t"] / scale, "drive": side.name} for row in _published(side.facts) if row["t"] <= until_s]
    return rows if len(rows) > 1 or any("from" in row for row in rows) else []


def _published(facts: Mapping[str, Any]) -> Iterator[Row]:
    """Yield the published beginning, knee and end, with times in seconds. An end alone is no course."""
    level = facts.get("saturation", {})
    if "end" not in level:
        return
    knee_s, (low, high) = level.get("knee_min", 0) * 60, ends(level["end"])
    end_s, drawn = facts.get("conditions", {}).get("minutes", 600) * 60, "start" in level and knee_s
    if drawn:
        for t, value in ((0, level["start"]), (knee_s, middle(level["end"])), (end_s, middle(level["end"]))):
            yield {"t": t, "value": float(value)}
    if low < high or not drawn:
        yield {"t": end_s, "from": low, "to": high}


def cache(sides: Sequence[Side], words: Language) -> Iterator[Drawing]:
    """Yield sequential writes over the whole drive against bytes written; the first of these drives also rested."""
    fresh_phase, full_phase = CACHE_PHASES
    alone = len(sides) == 1  # its lines need no name of a drive
    sides = [Side(words.phase(fresh_phase), sides[0].run)] if alone else sides
    rows, first = list[Row](), next((side for side in sides if _cache(side, fresh_phase)), sides[0])
    run = first.run
    full = Side(words.phase(full_phase) if alone else words("beside.full", name=first.name), run)
    for side, phase in (*((side, fresh_phase) for side in sides), (full, full_phase)):
        rows += binned([{**row, "drive": side.name} for row in _cache(side, phase)], "gib", "value", MOST)
    fresh = _cache(first, fresh_phase)
    if not fresh or not run:
        return
    rows += [row for side in sides for row in _steps(side, run.plan.device.capacity_bytes)]
    x, records = axis("gib", words("axis.gib_written")), first.records("slc-cache", fresh_phase)

    def written(at_s: float) -> float:
        return next((float(row["gib"]) for row in fresh if row["t"] >= at_s), float(fresh[-1]["gib"]))

    hot = warm.spans(run, records, written)
    chart, sets = _levelled([*sides, full], rows, x, words("axis.throughput"), words)
    chart, more, says = warm.shade(chart, x, hot, words("beside.cache_says"), words)
    yield Drawing(words("beside.cache"), chart, sets | more, says)
    read = [(written(at_s), degrees) for at_s, degrees in warm.readings(run, records)]
    yield from warm.drawing(read, hot, x, titled(words("beside.cache_heat"), first, sides), words)


def _cache(side: Side, phase: str) -> list[Row]:
    """Return {t: seconds, gib: written so far, value: MB/s} for every sample of a fill."""
    rows, total = list[Row](), 0
    for record in side.records("slc-cache", phase):
        for t, counts in look.samples(side.run, record) if side.run else ():
            total += counts.write.bytes
            if counts.seconds:
                rows.append({"t": t, "gib": total / GiB, "value": counts.bytes_per_s / 1e6})
    return rows


def _steps(side: Side, capacity_bytes: int) -> Iterator[Row]:
    """Yield the corners of three published steps (levels in MiB/s, times at which they end) within both drives."""
    facts = side.facts.get("steps")
    if facts and "first" in facts:  # a file of the user may give cache_gib alone
        room = min(capacity_bytes, side.facts["about"].get("capacity_gb", float("inf")) * GB)
        rates = [facts[key] * MiB for key in ("first", "second", "third")]
        times = [facts["first_end_s"], facts["second_end_s"], float("inf")]
        at, before = 0.0, 0.0
        for rate, end in zip(rates, times, strict=True):
            past = min(at + rate * (end - before), room)
            if past > at:
                for place in (at, past):
                    yield {"gib": place / GiB, "value": rate / 1e6, "drive": side.name}
            at, before = past, end


KINDS = {"saturation_course": saturation, "cache_course": cache}
