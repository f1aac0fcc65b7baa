"""Response times of several drives: at QD1, and as the number of outstanding IOs grows."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from stend.base.units import KiB
from stend.charts.beside.levels import dots, spanned
from stend.charts.parts import Drawing, Row, axis
from stend.charts.parts.marks import by_load, lines, series
from stend.charts.parts.sides import Side, channels, titled
from stend.findings.look.figures import Figures, after_fill
from stend.model.published import ends
from stend.words import Language

FIGURES = {"mean": "avg", "p99": "p99", "p99.99": "p99.99"}
"""Quantity -> the beginning of its cells in published.toml."""
GROWING = ("mean", "p99.9")
TAILS = ("mean", "p99", "p99.9", "max")
MIXES = (100, 65, 0)


def single(sides: Sequence[Side], words: Language) -> Iterator[Drawing]:
    """Yield response times at QD1: mean, 99 % and 99.99 % of reads, the mix and writes."""
    rows = [
        {"level": f"{words(f'kind.{reads}')}, {words(f'figure.{quantity}')}", "drive": side.name, **row}
        for reads, quantity, side in product(MIXES, FIGURES, sides)
        if (row := spanned(single_ends(side, reads, quantity), "ms", 1e3))
    ]
    runs = {side.name for side in sides if side.run}
    shown = {row["level"] for row in rows if row["drive"] in runs}  # not those of published drives alone
    rows = [row for row in rows if row["level"] in shown]
    if any(row["drive"] == sides[0].name for row in rows):
        x = axis("ms", words("axis.latency_ms"), log=True)
        chart, sets = dots(sides, rows, x, words)
        yield Drawing(words("beside.single"), chart, sets, words("beside.single_says"))


def single_ends(side: Side, reads: int, quantity: str = "mean") -> tuple[float, float] | None:
    """Return the ends of a published response time of 4 KiB at QD1 in s; of a run its figure twice; None if unknown."""
    published_us = side.facts.get("latency", {}).get(f"{FIGURES[quantity]} 4K {reads}")
    if published_us is not None:
        low, high = ends(published_us)
        return low / 1e6, high / 1e6
    for row in side.rows:
        load = row.workload
        kind = (row.test, row.direction, load.outstanding) == ("latency", "both", 1) and after_fill(row)
        if kind and (load.read_pct, load.block_bytes) == (reads, 4 * KiB) and (value := row.value(quantity)):
            return value, value
    return None


def _ladder(side: Side, reads: int) -> Mapping[int, Figures]:
    """Return outstanding IOs -> figures of 4 KiB in a closed loop, from the fewest threads that reach each number."""
    curve = [row for row in side.rows if (row.test, row.direction) == ("latency-curve", "both")]
    closed = [row for row in curve if not row.workload.rate_iops]
    kept = [r for r in closed if (r.workload.read_pct, r.workload.block_bytes) == (reads, 4 * KiB)]
    kept.sort(key=lambda row: (row.workload.outstanding, row.workload.threads))
    return {row.workload.outstanding: row for row in reversed(kept)}


def _points(side: Side, reads: int, figure: str) -> list[Row]:
    ladder = sorted(_ladder(side, reads).items())
    found = ((n, row, row.value(figure)) for n, row in ladder)
    return [{"n": n, "iops": row.iops, "ms": value * 1e3} for n, row, value in found if value]


def growing(sides: Sequence[Side], words: Language) -> Iterator[Drawing]:
    """Yield mean and 99.9 % response time of at least two drives as the queue grows. One drive has `tails` instead."""
    for reads, quantity in product(MIXES[:2], GROWING):
        rows = [{**row, "drive": side.name} for side in sides for row in _points(side, reads, quantity)]
        if len({row["drive"] for row in rows}) > 1:
            kinds = channels(sides, rows)
            y = axis("ms", words("axis.latency_ms"), log=True)
            drawn = _over("growing", rows, "drive", kinds, y, reads, words)
            yield drawn._replace(title=f"{drawn.title}: {words(f'figure.{quantity}')}")


def tails(sides: Sequence[Side], words: Language) -> Iterator[Drawing]:
    """Yield mean, 99 %, 99.9 % and longest response time as the queue grows, of a drive that no other is beside."""
    names = {key: words(f"figure.{key}") for key in TAILS}
    for reads in MIXES:
        having = [side for side in sides if _ladder(side, reads)]
        for side in having if len(having) == 1 else ():
            rows = [{**row, "name": name} for key, name in names.items() for row in _points(side, reads, key)]
            y = axis("ms", words("axis.latency_ms"), log=True)
            drawn = _over("tails", rows, "name", series("name", None, list(names.values())), y, reads, words)
            yield drawn._replace(title=titled(drawn.title, side, sides))


def _over(
    key: str, rows: list[Row], field: str, kinds: dict[str, Any], y: dict[str, Any], reads: int, words: Language
) -> Drawing:
    """Return response times against IOPS, or against outstanding IOs if IOPS of a line do not rise with them."""
    x, order, by = by_load(rows, field, words)
    title = words(f"beside.{key}_{by}", kind=words(f"kind.{reads}"))
    return Drawing(title, lines(x, y, kinds, order=order), {"rows": rows}, words(f"beside.{key}_{by}_says"))


KINDS = {"single_waits": single, "growing_waits": growing, "waits_by_iops": tails}
