"""Media map: the drive from its first block to its last, coloured by what was read back."""

from collections.abc import Iterator

from stend.charts.parts import BLACK, BLUE, GREEN, GREY, ORANGE, PINK, RED, SKY, Drawing, Row, position, series_scale
from stend.charts.parts.marks import nominal, tips
from stend.charts.parts.vega import Chart
from stend.findings.look.media import Media, media
from stend.model.definition import Hold, PlannedTest, Workload
from stend.model.record import Run
from stend.model.verified import BLOCK, FAULTS, folded
from stend.words import Language

COLOUR = {"good": GREEN, "sampled": "#a6dbc8", "unread": GREY} | dict(
    zip(FAULTS, (RED, BLUE, SKY, PINK, BLACK, ORANGE, "#7a4fa3"), strict=True)
)
LEAST = 0.002
"""Share of the drive that a narrower range is drawn as, to be visible."""
MOST = 400


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield one strip: what was compared in one colour, and the faults over it."""
    seen = media(run, test.name)
    if seen is None:
        return
    rows = [*_compared(run, test, seen), *_bad(seen)]
    names = {kind: words(f"media.{kind}") for kind in COLOUR}
    shown = [kind for kind in COLOUR if any(row["kind"] == kind for row in rows)]
    for row in rows:
        row["name"] = names[row["kind"]]
    x = position("from", seen.capacity_bytes, words)
    scale = series_scale([names[kind] for kind in shown], [COLOUR[kind] for kind in shown])
    colour = nominal("name", title=None, scale=scale)
    hints = tips(x, nominal("name"), {"field": "share", "type": "quantitative"})
    chart = Chart().mark("rect").encode(x=x, x2="to", color=colour, tooltip=hints).properties(height=70)
    yield Drawing(words("chart.media_map"), chart, {"rows": rows}, words("says.media_map"))


def _compared(run: Run, test: PlannedTest, seen: Media) -> Iterator[Row]:
    """Yield the whole drive as not compared, and over it the parts that were, in order of time."""
    if not seen.whole:
        yield _row("unread", 0, seen.capacity_bytes, 1.0)
    done: dict[Workload, int] = {}
    for result in run.of(test.name):
        if isinstance(result.step, Hold) and result.verified and result.step.workload.read_pct == 100:
            load = result.step.workload
            done[load] = done.get(load, 0) + result.verified.blocks * BLOCK
    for load, moved_bytes in sorted(done.items(), key=lambda item: not (item[0].verify and item[0].verify.every_bytes)):
        sampled = bool(load.verify and load.verify.every_bytes)
        begin, length = load.start_bytes, min(load.covered_bytes(moved_bytes), load.range_bytes)
        yield _row("sampled" if sampled else "good", begin, begin + length, moved_bytes / max(length, 1))


def _bad(seen: Media) -> Iterator[Row]:
    """Yield the bad ranges, with a least width; rare faults last, over the others."""
    for part in sorted(folded(seen.compared.bad, MOST), key=lambda part: -part.blocks):
        length = part.end_bytes - part.first_bytes
        yield _row(part.fault, part.first_bytes, part.end_bytes, part.blocks * BLOCK / length, seen.capacity_bytes)


def _row(kind: str, first: int, end: int, share: float, capacity: int = 0) -> Row:
    """Return a stretch of the map in 10^9 bytes; `share` is the part of its blocks that it is about."""
    begin = min(first, int(capacity * (1 - LEAST))) if capacity else first
    return {"kind": kind, "from": begin / 1e9, "to": max(end, begin + int(capacity * LEAST)) / 1e9, "share": share}
