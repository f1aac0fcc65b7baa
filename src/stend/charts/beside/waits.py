"""Response times of several drives: at QD1, and against IOPS as the queue grows."""

from collections.abc import Iterator, Sequence
from typing import Any

from stend.base.units import KiB
from stend.charts.beside.levels import dots
from stend.charts.parts import COLOURS, DASHES, SHAPES, Drawing, Row, axis, series_scale
from stend.charts.parts.marks import lines, tips
from stend.charts.parts.sides import Side, channels
from stend.charts.parts.vega import Chart
from stend.model.published import middle
from stend.words import Language

FIGURES = {"mean": "avg", "p99": "p99", "p99.99": "p99.99"}
"""Quantity -> the beginning of its cells in published.toml."""
MIXES = (100, 65, 0)


def single(sides: Sequence[Side], words: Language) -> Iterator[Drawing]:
    """Yield response times at QD1: mean, 99 % and 99.99 % of reads, the mix and writes."""
    rows = [
        row
        for reads in MIXES
        for quantity in FIGURES
        for side in sides
        for row in _single(side, reads, quantity, words)
    ]
    if any(row["drive"] == sides[0].name for row in rows):
        x = axis("ms", words("axis.latency_ms"), log=True, plain=True)
        yield Drawing(words("beside.single"), dots(sides, rows, x, words), {"rows": rows}, words("beside.single_says"))


def _single(side: Side, reads: int, quantity: str, words: Language) -> Iterator[Row]:
    level = words(f"kind.{reads}") + ", " + words(f"figure.{quantity}")
    for row in side.rows:
        load = row.workload
        kind = (row.test, row.state, row.direction, load.outstanding) == ("latency", "window", "both", 1)
        if kind and (load.read_pct, load.block_bytes) == (reads, 4 * KiB):
            value = row.value(quantity)
            if value is not None:
                yield {"level": level, "drive": side.name, "ms": value * 1e3}
    published_us = side.facts.get("latency", {}).get(f"{FIGURES[quantity]} 4K {reads}")
    if published_us is not None:
        yield {"level": level, "drive": side.name, "ms": middle(published_us) / 1e3}


def growing(sides: Sequence[Side], words: Language) -> Iterator[Drawing]:
    """Yield response time against IOPS with growing queue depth, if there are at least two drives.

    A single drive has `tails` instead.
    """
    for reads in MIXES[:2]:
        rows = [row for side in sides for row in _growing(side, reads)]
        if len({row["drive"] for row in rows} | {sides[0].name}) > 1:
            kinds = channels(sides, [str(row["drive"]) for row in rows])
            order = {"field": "q", "type": "quantitative"}
            x, y = axis("iops", words("axis.iops")), axis("ms", words("axis.latency"), log=True, plain=True)
            title = words("beside.growing", kind=words(f"kind.{reads}"))
            yield Drawing(title, lines(x, y, kinds, order=order), {"rows": rows}, words("beside.growing_says"))


def _growing(side: Side, reads: int) -> Iterator[Row]:
    for row in side.rows:
        load = row.workload
        kind = (row.test, row.direction, load.read_pct) == ("latency-curve", "both", reads)
        if kind and load.block_bytes == 4 * KiB and load.threads == 4:
            yield {"iops": row.value("iops"), "ms": (row.value("mean") or 0) * 1e3, "q": load.depth, "drive": side.name}


def tails(sides: Sequence[Side], words: Language) -> Iterator[Drawing]:
    """Yield mean, 99 %, 99.9 % and longest response time against IOPS of the first drive, one line per thread count."""
    names = {key: words(f"figure.{key}") for key in ("mean", "p99", "p99.9", "max")}
    for reads in MIXES:
        curve = [row for row in sides[0].rows if (row.test, row.direction) == ("latency-curve", "both")]
        rows = [
            {
                "iops": row.iops,
                "ms": value * 1e3,
                "q": row.workload.depth,
                "t": f"T{row.workload.threads}",
                "name": name,
            }
            for key, name in names.items()
            for row in curve
            if (row.workload.read_pct, row.workload.block_bytes) == (reads, 4 * KiB) and (value := row.value(key))
        ]
        if rows:
            threads = sorted({str(row["t"]) for row in rows})
            figure = series_scale(list(names.values()), COLOURS)
            colour: dict[str, Any] = {"field": "name", "type": "nominal", "title": None, "scale": figure}
            dash = {"field": "t", "type": "nominal", "title": words("axis.threads")}
            x, y = axis("iops", words("axis.iops")), axis("ms", words("axis.latency_ms"), log=True, plain=True)
            tooltip = tips(colour, dash, {"field": "q", "type": "quantitative", "title": words("axis.depth")}, x, y)
            kinds = {
                "color": colour,
                "strokeDash": {**dash, "scale": series_scale(threads, DASHES)},
                "shape": {**dash, "scale": series_scale(threads, SHAPES)},
                "order": {"field": "q", "type": "quantitative"},
            }
            line = Chart().mark("line", point={"size": 30, "filled": True}, strokeWidth=1.4)
            chart = line.encode(x=x, y=y, tooltip=tooltip, **kinds)
            title = words("beside.tails", kind=words(f"kind.{reads}"))
            yield Drawing(title, chart, {"rows": rows}, words("beside.tails_says"))


KINDS = {"single_waits": single, "growing_waits": growing, "waits_by_iops": tails}
