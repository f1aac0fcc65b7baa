"""Levels of several drives: one dot per drive and state, and IOPS over the read share of a mix."""

from collections.abc import Iterator, Sequence
from typing import Any

from stend.base.units import KiB, mix_label
from stend.charts.parts import Drawing, Row, axis
from stend.charts.parts.marks import lines, nominal, tips
from stend.charts.parts.sides import Side, channels, in_sets, published_marks
from stend.charts.parts.vega import Chart
from stend.findings.look import headline
from stend.findings.look.figures import Figures
from stend.model import published
from stend.model.published import middle
from stend.words import Language

IOPS = {
    "read_window": ("reads",),
    "mix_window": ("mix",),
    "write_fresh": ("start", "fresh_writes"),
    "write_window": ("filled_writes",),
    "write_saturated": ("writes",),
}
"""Level -> published figures, of which the first known one counts. Tests of each level: findings/look/headline.py."""
SEQUENTIAL = {"seq_read": 100, "seq_write": 0}
READS, PUBLISHED_MIX = 100, 65
"""Read shares of the published reads and mixes (published.PLACES)."""


def ends(side: Side, level: str) -> tuple[float, float] | None:
    """Return the ends of a published range of a level, in IOPS or bytes/s; of a run its figure twice, or None."""
    if not side.run:
        names = IOPS.get(level, (level,))
        return next((span for name in names if (span := published.span(side.facts, name)) is not None), None)
    reads = SEQUENTIAL.get(level)
    row = headline.level(side.rows, level) if reads is None else headline.stream(side.rows, reads)
    value = row.number("iops" if reads is None else "throughput") if row else 0.0
    return (value, value) if value else None


def named(level: str, sides: Sequence[Side], words: Language) -> str:
    """Return the name of a level; that of a mix has the shares of reads and writes of the loads that were run."""
    reads = dict.fromkeys(_read_pct(side, level) for side in sides if ends(side, level))
    return words(f"level.{level}", mix=f" {words('beside.and')} ".join(mix_label(pct) for pct in reads))


def _read_pct(side: Side, level: str) -> int:
    row = headline.level(side.rows, level)
    return row.workload.read_pct if row else PUBLISHED_MIX


def _random(row: Figures, reads: int) -> bool:
    load = row.workload
    return load.is_plain(100, reads, 4 * KiB) and row.direction == "both" and load.closed and load.outstanding > 1


def dots(sides: Sequence[Side], rows: list[Row], x: dict[str, Any], words: Language) -> tuple[Any, dict[str, Any]]:
    """Return a chart with one row per level and one dot per drive, and its rows. A published range is a bar."""
    order = list(dict.fromkeys(row["level"] for row in rows))
    y = nominal("level", title=None, sort=order)
    y["axis"] = {"grid": True, "ticks": False, "labelPadding": 9}  # a dot at the end of the axis is as wide
    kinds = channels(sides, rows)
    shown = {key: kinds[key] for key in ("color", "shape")}
    tooltip = tips(nominal("drive", title=words("compare.drive")), {**y, "title": " "}, x)
    chart = Chart().mark("point", filled=True, size=110, opacity=0.9).encode(x=x, y=y, tooltip=tooltip, **shown)
    sets = in_sets(rows)
    if "published" in sets:
        chart = chart + published_marks(x, y, kinds["color"], words)
    return chart.properties(height=34 * len(order) + 10), sets


def iops_levels(sides: Sequence[Side], words: Language) -> Iterator[Drawing]:
    """Yield random 4 KiB IOPS, state by state."""
    names = {level: named(level, sides, words) for level in IOPS}
    rows = [
        {"level": name, "drive": side.name, **value}
        for level, name in names.items()
        for side in sides
        if (value := spanned(ends(side, level), "value"))
    ]
    if rows:
        chart, sets = dots(sides, rows, axis("value", words("axis.iops"), log=True), words)
        yield Drawing(words("beside.levels"), chart, sets, words("beside.levels_says"))


def stream_levels(sides: Sequence[Side], words: Language) -> Iterator[Drawing]:
    """Yield throughput of 128 KiB streams."""
    rows = [
        {"level": words(f"level.{level}"), "drive": side.name, **value}
        for level in SEQUENTIAL
        for side in sides
        if (value := spanned(ends(side, level), "value", 1e-6))
    ]
    if rows:
        chart, sets = dots(sides, rows, axis("value", words("axis.throughput")), words)
        yield Drawing(words("beside.streams"), chart, sets, words("beside.streams_says"))


def spanned(known: tuple[float, float] | None, field: str, scale: float = 1.0) -> Row:
    """Return {`field`: value}, of a range {from, to}, or {} if neither is known."""
    low, high = known or (0.0, 0.0)
    if low < high:
        return {"from": low * scale, "to": high * scale}
    return {field: high * scale} if high else {}


def mixes(sides: Sequence[Side], words: Language) -> Iterator[Drawing]:
    """Yield IOPS of 4 KiB against the read share."""
    rows = [row for side in sides for row in _mixes(side)]
    if len({row["read"] for row in rows}) > 2:
        x = axis("read", words("axis.read_share"), values=[0, 20, 40, 60, 80, 100], labelFlush=False)
        x["scale"] = {"domain": [0, 100]}
        kinds = channels(sides, rows)
        chart = lines(x, axis("value", words("axis.iops"), log=True), kinds)
        yield Drawing(words("beside.mixes"), chart, {"rows": rows}, words("beside.mixes_says"))


def _mixes(side: Side) -> Iterator[Row]:
    measured = [r for r in side.rows if r.test == "iops" and _random(r, r.workload.read_pct)]
    for row in measured:
        yield {"read": row.workload.read_pct, "value": row.value("iops"), "drive": side.name}
    for cell, published_iops in side.facts.get("iops", {}).items():
        if cell == f"4K {READS}" or (cell.startswith("4K ") and published.filled(side.facts)):
            yield {"read": int(cell[3:]), "value": middle(published_iops), "drive": side.name}


KINDS = {"iops_levels": iops_levels, "stream_levels": stream_levels, "mixes": mixes}
