"""Courses of several drives on one chart: saturation, SLC cache over bytes written, rests, bursts."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from stend.base.units import GiB, MiB
from stend.charts.parts import BLUE, ORANGE, Drawing, Row, axis, binned, thin, zoom
from stend.charts.parts.marks import band, tips
from stend.charts.parts.sides import Side, channels
from stend.charts.parts.vega import Chart
from stend.findings import look
from stend.model.definition import Idle
from stend.model.published import middle
from stend.words import Language

HOUR_S = 3600.0
MOST = 320
CACHE_PHASES = ("fresh", "rested")


def _over(sides: Sequence[Side], rows: list[Row], x: dict[str, Any], y: dict[str, Any], words: Language) -> Any:
    kinds = channels(sides, [str(row["drive"]) for row in rows])
    tooltip = tips({"field": "drive", "type": "nominal", "title": words("compare.drive")}, x, y)
    shown = {key: kinds[key] for key in ("color", "strokeDash")}
    line = Chart().mark("line", strokeWidth=1.8, point={"size": 10, "opacity": 0.6}, clip=True)
    course = line.encode(x=x, y=y, tooltip=tooltip, **shown)
    if any("low" in row for row in rows):
        course = band(x, y, kinds["color"]) + course
    if not _single(rows):
        return course.add_params(zoom())
    dot = Chart("single").mark("point", filled=True, size=70, opacity=0.9, clip=True)
    return course.add_params(zoom()) + dot.encode(x=x, y=y, tooltip=tooltip, color=kinds["color"], shape=kinds["shape"])


def _single(rows: Sequence[Row]) -> list[Row]:
    """Return the rows of drives that have only one: a line through a single published number has no length."""
    count = Counter(row["drive"] for row in rows)
    return [row for row in rows if count[row["drive"]] == 1]


def _sets(rows: list[Row]) -> dict[str, list[Row]]:
    """Return the rows, and the rows of drives with only one as a second set."""
    single = _single(rows)
    return {"rows": rows, "single": single} if single else {"rows": rows}


def saturation(sides: Sequence[Side], words: Language) -> Iterator[Drawing]:
    """Yield IOPS of endless random writes against hours; published figures give start, knee and end."""
    rows = [row for side in sides for row in _saturation(side)]
    hours = [row["t"] for row in rows if row["drive"] == sides[0].name]
    if hours:
        rows = [row for row in rows if row["t"] <= max(hours) * 1.01]
        x = axis("t", words("axis.time_h"))
        chart = _over(sides, rows, x, axis("value", words("axis.iops"), log=True), words)
        yield Drawing(words("beside.saturation"), chart, _sets(rows), words("beside.saturation_says"))


def _saturation(side: Side) -> list[Row]:
    rows: list[Row] = []
    for test in look.tests(side.run, "write-saturation") if side.run else ():
        records = look.records(side.run, test.name, look.main_phase(side.run, test)) if side.run else []
        rows += [{"t": r.end_s / HOUR_S, "value": r.counts.iops, "drive": side.name} for r in records if r.counts.iops]
    facts = side.facts.get("saturation", {})
    if "end" in facts:
        knee, end = facts.get("knee_min", 0) / 60, middle(facts["end"])
        hours = side.facts.get("conditions", {}).get("minutes", 600) / 60
        points = [(0.0, facts["start"]), (knee, end), (hours, end)] if knee and "start" in facts else [(hours, end)]
        rows += [{"t": t, "value": float(value), "drive": side.name} for t, value in points]
    return binned(rows, "t", "value", MOST) if side.run else rows


def cache(sides: Sequence[Side], words: Language) -> Iterator[Drawing]:
    """Yield sequential writes over the whole drive against bytes written; the first drive also rested."""
    rows: list[Row] = []
    for number, side in enumerate(sides):
        for phase in CACHE_PHASES if number == 0 else CACHE_PHASES[:1]:
            rows += _cache(side, phase, words)
        rows += _steps(side)
    if any(row["drive"] == sides[0].name for row in rows):
        full = Side(_full(sides[0], words), sides[0].run)
        x = axis("gib", words("axis.gib_written"))
        chart = _over([*sides, full], rows, x, axis("value", words("axis.throughput")), words)
        yield Drawing(words("beside.cache"), chart, _sets(rows), words("beside.cache_says"))


def _full(side: Side, words: Language) -> str:
    return words("beside.full", name=side.name)


def _cache(side: Side, phase: str, words: Language) -> list[Row]:
    rows: list[Row] = []
    name = side.name if phase == "fresh" else _full(side, words)
    for test in look.tests(side.run, "slc-cache") if side.run else ():
        for record in look.records(side.run, test.name, phase) if side.run else ():
            total = 0
            for _, counts in look.samples(side.run, record) if side.run else ():
                total += counts.write.bytes
                if counts.seconds:
                    rows.append({"gib": total / GiB, "value": counts.bytes_per_s / 1e6, "drive": name})
    return binned(rows, "gib", "value", MOST)


def _steps(side: Side) -> Iterator[Row]:
    """Yield the corners of three published steps: levels in MiB/s and the times at which they end."""
    facts = side.facts.get("steps")
    if facts:
        rates = [facts[key] * MiB for key in ("first", "second", "third")]
        ends = [facts["first_end_s"], facts["second_end_s"], facts["second_end_s"] + 120]
        at, before = 0.0, 0.0
        for rate, end in zip(rates, ends, strict=True):
            for place in (at, at + rate * (end - before)):
                yield {"gib": place / GiB, "value": rate / 1e6, "drive": side.name}
            at, before = at + rate * (end - before), end


def rests(sides: Sequence[Side], words: Language) -> Iterator[Drawing]:
    """Yield the IOPS to which pauses of each length bring writes back."""
    rows = [row for side in sides for row in _rests(side)]
    if any(row["drive"] == sides[0].name for row in rows):
        x = axis("rest", words("axis.rest_s"), values=sorted({row["rest"] for row in rows}))
        chart = _over(sides, rows, x, axis("value", words("axis.iops")), words)
        yield Drawing(words("beside.rests"), chart, _sets(rows), words("beside.rests_says"))


def _rests(side: Side) -> Iterator[Row]:
    for row in side.rows:
        if row.test == "idle-recovery" and row.state == "rested" and side.run:
            test = next(t for t in side.run.plan.tests if t.name == row.test)
            phase = next(p for p in test.phases if p.name == row.phase)
            rest = next(step.seconds for step in phase.round if isinstance(step, Idle))
            yield {"rest": rest, "value": row.value("iops"), "drive": side.name}
    for key, published_iops in side.facts.get("recovery", {}).items():
        if key in ("pause_5s", "pause_5s_peak", "pause_50s"):
            yield {"rest": float(key.split("_")[1][:-1]), "value": middle(published_iops), "drive": side.name}


def bursts(sides: Sequence[Side], words: Language) -> Iterator[Drawing]:
    """Yield mean and longest response time of each burst between rests, as dots over time."""
    run, rows = sides[0].run, list[Row]()
    for test in look.tests(run, "idle-recovery") if run else ():
        records = look.records(run, test.name) if run else []
        kept = [r for r in records if r.result.where.phase.startswith(("wait-", "baseline-"))]
        for key in ("mean", "max"):
            dots = [
                {"t": (r.end_s - kept[0].start_s) / HOUR_S, "ms": getattr(r.counts, f"{key}_s") * 1e3}
                for r in kept
                if r.counts.ios
            ]
            rows += [{**row, "figure": words(f"figure.{key}")} for row in thin(dots, "t", "ms", 2 * MOST)]
    if rows:
        x, y = axis("t", words("axis.time_h")), axis("ms", words("axis.latency_ms"), log=True, plain=True)
        names = [words("figure.mean"), words("figure.max")]
        colour: dict[str, Any] = {"field": "figure", "type": "nominal", "title": None, "legend": {"orient": "bottom"}}
        colour["scale"] = {"domain": names, "range": [BLUE, ORANGE]}
        mark = Chart().mark("point", filled=True, size=9, opacity=0.6)
        chart = mark.encode(x=x, y=y, color=colour, tooltip=tips(colour, x, y)).add_params(zoom())
        yield Drawing(words("beside.bursts"), chart, {"rows": rows}, words("beside.bursts_says"))


KINDS = {"saturation_course": saturation, "cache_course": cache, "rests": rests, "bursts": bursts}
