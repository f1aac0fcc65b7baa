"""Recovery in pauses: the level by length of pause, and single bursts of a drive that recovers."""

from collections.abc import Iterator, Sequence
from itertools import islice

from stend.charts import recovery
from stend.charts.beside.courses import MOST, over
from stend.charts.parts import BLUE, ORANGE, Drawing, Row, axis, thin, time_scale, zoom
from stend.charts.parts.marks import nominal, tips
from stend.charts.parts.sides import Side
from stend.charts.parts.vega import Chart
from stend.findings import look
from stend.model.published import ends
from stend.words import Language

TEST, SATURATION = "idle-recovery", "write-saturation"
LEVEL = 1.15
"""Levels within this ratio are one: the drive lost nothing that pauses could bring back."""
PUBLISHED = {"pause_5s": 5.0, "pause_50s": 50.0}


def rests(sides: Sequence[Side], words: Language) -> Iterator[Drawing]:
    """Yield the IOPS to which pauses of each length bring writes back."""
    rows = [row for side in sides for row in _rests(side)]
    if any(row["drive"] == sides[0].name for row in rows):
        x = axis("rest", words("axis.rest_s"))
        chart, sets = over(sides, rows, x, axis("value", words("axis.iops")), words)
        level = "_level" if all(_level(side) for side in sides if side.run) else ""
        says = (words(f"beside.rests{level}_says"), *_before(sides, words))
        yield Drawing(words("beside.rests"), chart, sets, " ".join(says))


def _before(sides: Sequence[Side], words: Language) -> Iterator[str]:
    """Yield what each drive did before its pauses, as a sentence, if that differs."""
    of: dict[str, list[str]] = {}
    for side in sides:
        if test := side.test(TEST):
            after = test.profile.options.get("after")
            of.setdefault(after if after in ("saturation", "fill") else "steady", []).append(side.name)
    if len(of) > 1:
        parts = (f"{', '.join(names)}: {words(f'beside.rests_after_{after}')}" for after, names in of.items())
        yield words("beside.rests_before", listed="; ".join(parts))


def _level(side: Side) -> bool:
    """Return whether all levels of a drive, with and without pauses, are about the same.

    Without writes of its own before the pauses, the test starts from the saturation.
    """
    of = {(row.test, row.state): row.iops for row in side.rows if row.state in ("saturated", "rested")}
    before = [of[test, "saturated"] for test in (TEST, SATURATION) if (test, "saturated") in of][:1]
    levels = [*before, *(row.iops for row in side.rows if (row.test, row.state) == (TEST, "rested"))]
    return bool(levels) and max(levels) < LEVEL * min(levels)


def _several(sides: Sequence[Side]) -> bool:
    """Return whether several runs have the test: a chart of single bursts would show the first alone."""
    return sum(side.test(TEST) is not None for side in sides) > 1


def _rests(side: Side) -> Iterator[Row]:
    for row in side.rows:
        if row.test == TEST and row.state == "rested" and side.run:
            rest = look.rest_s(side.run.plan.test(row.test).phase(row.phase))
            yield {"rest": rest, "value": row.value("iops"), "drive": side.name}
    for key, iops in side.facts.get("recovery", {}).items():
        if key in PUBLISHED:
            low, high = ends(iops)
            yield {"rest": PUBLISHED[key], "from": low, "to": high, "drive": side.name}


def bursts(sides: Sequence[Side], words: Language) -> Iterator[Drawing]:
    """Yield mean and longest response time of each burst of one drive, as dots, if pauses change anything."""
    run, rows = sides[0].run, list[Row]()
    if run is None or _several(sides) or _level(sides[0]):
        return
    for test in look.tests(run, TEST):
        records = look.records(run, test.name)
        kept = [r for r in records if r.result.where.phase.startswith(("wait-", "baseline-"))]
        scale, title = time_scale(kept[-1].end_s - kept[0].start_s if kept else 0.0, words)
        for key in ("mean", "max"):
            dots = [
                {"t": (r.end_s - kept[0].start_s) / scale, "ms": getattr(r.counts, f"{key}_s") * 1e3}
                for r in kept
                if r.counts.ios
            ]
            rows += [{**row, "figure": words(f"figure.{key}")} for row in thin(dots, "t", "ms", 2 * MOST)]
    if rows:
        x, y = axis("t", title), axis("ms", words("axis.latency_ms"), log=True)
        names = [words("figure.mean"), words("figure.max")]
        colour = nominal("figure", title=None)
        colour["scale"] = {"domain": names, "range": [BLUE, ORANGE]}
        mark = Chart().mark("point", filled=True, size=9, opacity=0.6)
        chart = mark.encode(x=x, y=y, color=colour, tooltip=tips(colour, x, y)).add_params(zoom())
        yield Drawing(words("beside.bursts"), chart, {"rows": rows}, words("beside.bursts_says"))


def course(sides: Sequence[Side], words: Language) -> Iterator[Drawing]:
    """Yield every burst of one drive over time in the colour of its pause, if pauses change anything."""
    test = sides[0].test(TEST)
    if test and sides[0].run and not _several(sides) and not _level(sides[0]):
        yield from islice(recovery.draw(sides[0].run, test, words), 1)


KINDS = {"rests": rests, "bursts": bursts, "recovery_course": course}
