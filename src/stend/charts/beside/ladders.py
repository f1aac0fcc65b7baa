"""Ladders of several drives: rate by block size, profiles and a mix by outstanding IOs, hours in a hot range.

Drawn if at least two drives have the test; a single drive has the charts of the test itself.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from stend.base.units import KiB, mix_label
from stend.charts.parts import DASHES, MOST_LINES, Drawing, Row, axis, binned, series_scale, time_scale
from stend.charts.parts.marks import lines, nominal, octaves, thin_lines
from stend.charts.parts.sides import Side, channels
from stend.findings.look.figures import Figures
from stend.findings.look.headline import ladder
from stend.words import Language

FEWEST = 2
MIXES = (100, 33, 0)
MOST = 320


def _several(rows: Sequence[Row], first: Side) -> bool:
    """Return whether the rows hold the first drive and at least one other."""
    drives = {row["drive"] for row in rows}
    return first.name in drives and len(drives) >= FEWEST


def blocks(sides: Sequence[Side], words: Language) -> Iterator[Drawing]:
    """Yield IOPS of reads, a mix and writes against block size, sequential and random."""
    for phase in ("sequential", "random"):
        rows = [row for side in sides for row in _blocks(side, phase, words)]
        if _several(rows, sides[0]):
            x = octaves("kib", words("axis.block_kib"), [row["kib"] for row in rows])
            title = words("beside.blocks", phase=words.name_of("phase", phase))
            whole = Drawing(title, None, {"rows": rows}, words("beside.blocks_says"))
            yield from _drawn(whole, x, axis("value", words("axis.iops"), log=True), "mix", sides, words)


def _blocks(side: Side, phase: str, words: Language) -> Iterator[Row]:
    for row in side.rows:
        load = row.workload
        if (row.test, row.phase, row.direction) == ("block-sweep", phase, "both") and load.read_pct in MIXES:
            pct = load.read_pct
            mix = words(f"kind.{pct:g}") if pct in (0, 100) else mix_label(pct)
            yield {"kib": load.block_bytes / KiB, "value": row.value("iops"), "mix": mix, "drive": side.name}


def servers(sides: Sequence[Side], words: Language) -> Iterator[Drawing]:
    """Yield IOPS of the server profiles against outstanding IOs."""
    rows = [row for side in sides for row in _servers(side, words)]
    if _several(rows, sides[0]):
        x = octaves("n", words("axis.outstanding"), [float(row["n"]) for row in rows])
        whole = Drawing(words("beside.servers"), None, {"rows": rows}, words("beside.same_axes"))
        yield from _drawn(whole, x, axis("value", words("axis.iops")), "profile", sides, words)


def _servers(side: Side, words: Language) -> Iterator[Row]:
    """Yield the points of servers and databases; of profiles with the same load those of the first."""
    first: dict[str, str] = {}
    for row in side.rows:
        wanted = (row.test, row.direction) == ("profiles", "both") and row.phase.endswith(("file-server", "database"))
        if wanted and first.setdefault(row.workload.pattern, row.phase) == row.phase:
            name = words.name_of("phase", row.phase)
            yield {"n": row.workload.outstanding, "value": row.value("iops"), "profile": name, "drive": side.name}


def crowd(sides: Sequence[Side], words: Language, test: str = "thread-queue-sweep") -> Iterator[Drawing]:
    """Yield IOPS and mean response time of a mix against outstanding IOs, however threads share these."""
    loads = {side.name: _crowd(side, test) for side in sides}
    if not (first := next(iter(loads[sides[0].name].values()), None)):
        return
    title = words("beside.crowd", load=words.show(first.workload.pattern, "load"))
    for quantity, scale, y in (("iops", 1.0, "axis.iops"), ("mean", 1e3, "axis.latency")):
        rows: list[Row] = [
            {"n": n, "value": row.number(quantity) * scale, "drive": name}
            for name, points in loads.items()
            for n, row in points.items()
            if _pattern(row) == _pattern(first)
        ]
        if _several(rows, sides[0]):
            x = octaves("n", words("axis.outstanding"), [row["n"] for row in rows])
            kinds = channels(sides, rows)
            chart = lines(x, axis("value", words(y)), {"color": kinds["color"]})
            whole = f"{title}: {words(f'figure.{quantity}')}"
            yield Drawing(whole, chart, {"rows": rows}, words("beside.crowd_says"))


def _crowd(side: Side, test: str) -> dict[int, Figures]:
    place = test, "sweep", "both"
    return ladder(row for row in side.rows if (row.test, row.phase, row.direction) == place and row.tally.ios)


def _pattern(row: Figures) -> tuple[int, int, int]:
    load = row.workload
    return load.random_pct, load.read_pct, load.block_bytes


def hot(sides: Sequence[Side], words: Language) -> Iterator[Drawing]:
    """Yield IOPS of reads within a hot range against time."""
    rows = [row for side in sides for row in _hot(side)]
    scale, title = time_scale(max((row["t"] for row in rows), default=0.0), words)
    rows = [row | {"t": row["t"] / scale} for row in rows]
    if _several(rows, sides[0]):
        kinds = channels(sides, rows)
        chart = thin_lines(axis("t", title), axis("value", words("axis.iops")), kinds)
        yield Drawing(words("beside.hot"), chart, {"rows": rows}, words("beside.hot_says"))


def _hot(side: Side) -> list[Row]:
    records = side.records("hot-range", "mix-100")
    return binned([{"t": r.end_s, "value": r.counts.iops, "drive": side.name} for r in records], "t", "value", MOST)


def _drawn(
    whole: Drawing, x: dict[str, Any], y: dict[str, Any], field: str, sides: Sequence[Side], words: Language
) -> Iterator[Drawing]:
    """Yield one chart with a line per drive and value of `field`, or one per value if that are too many lines."""
    rows = whole.rows["rows"]
    if len({(row["drive"], row[field]) for row in rows}) <= MOST_LINES:
        yield whole._replace(chart=lines(x, y, _dashed(sides, rows, field, words)))
        return
    for value in dict.fromkeys(str(row[field]) for row in rows):
        some = [row for row in rows if row[field] == value]
        kinds = channels(sides, some)
        says = words("beside.highest", listed=", ".join(_highest(some, words)))
        yield Drawing(f"{whole.title}: {value}", lines(x, y, {"color": kinds["color"]}), {"rows": some}, says)


def _highest(rows: Sequence[Row], words: Language) -> Iterator[str]:
    """Yield the highest IOPS of each drive, with its name."""
    for drive in dict.fromkeys(row["drive"] for row in rows):
        yield f"{words.show(max(row['value'] for row in rows if row['drive'] == drive), 'said:rate')} ({drive})"


def _dashed(sides: Sequence[Side], rows: Sequence[Row], field: str, words: Language) -> dict[str, Any]:
    """Return channels with one colour per drive and one dash pattern per value of `field`."""
    names = list(dict.fromkeys(str(row[field]) for row in rows))
    kind = nominal(field, title=words(f"axis.{field}"))
    drives = channels(sides, rows)
    return {"color": drives["color"], "strokeDash": {**kind, "scale": series_scale(names, DASHES)}}


KINDS: dict[str, Callable[[Sequence[Side], Language], Iterator[Drawing]]] = {
    "blocks": blocks,
    "servers": servers,
    "crowd": crowd,
    "composite": partial(crowd, test="composite"),
    "demand": partial(crowd, test="demand-intensity"),
    "hot": hot,
}
