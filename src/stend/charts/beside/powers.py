"""Power of several drives: watts and work per watt, one dot per drive and kind of load."""

from collections.abc import Iterator, Sequence

from stend.charts.beside.levels import dots
from stend.charts.parts import Drawing, Row, axis
from stend.charts.parts.sides import Side
from stend.findings.look.figures import Figures
from stend.findings.look.powered import KINDS as LOADS
from stend.findings.look.powered import TEST, rests
from stend.words import Language

FEWEST = 2
"""Drives below which a chart of one drive shows more."""


def powers(sides: Sequence[Side], words: Language) -> Iterator[Drawing]:
    """Yield watts at rest and under load, then IOPS per watt of random IO, of at least two drives."""
    watts = [*_rests(sides, words), *_loads(sides, "watts", words)]
    work = [row for row in _loads(sides, "iops_per_watt", words) if row["random"]]
    for key, quantity, rows in (("watts", "watts", watts), ("work", "iops_per_watt", work)):
        if len({row["drive"] for row in rows}) >= FEWEST:
            chart, sets = dots(sides, rows, axis("value", words(f"axis.{quantity}"), log=True), words)
            yield Drawing(words(f"beside.power_{key}"), chart, sets, words(f"beside.power_{key}_says"))


def _rests(sides: Sequence[Side], words: Language) -> Iterator[Row]:
    """Yield the lowest power at rest of each drive."""
    for side in sides:
        if side.run and side.test(TEST) and (idle := rests(side.run, TEST)):
            value = min(rest.level.mean for rest in idle)
            yield {"level": words("power.rest"), "drive": side.name, "value": value, "random": 0}


def _loads(sides: Sequence[Side], quantity: str, words: Language) -> Iterator[Row]:
    """Yield a quantity of each kind of load at its most outstanding IOs, kind by kind."""
    for name, (random_pct, read_pct) in LOADS.items():
        for side in sides:
            rows = [row for row in side.rows if _is(row, random_pct, read_pct)]
            deepest = max(rows, key=lambda row: row.workload.outstanding, default=None)
            value = deepest.value(quantity) if deepest else None
            if value:
                yield {"level": words(f"power.{name}"), "drive": side.name, "value": value, "random": random_pct}


def _is(row: Figures, random_pct: int, read_pct: int) -> bool:
    load = row.workload
    kind = (row.test, row.direction, load.random_pct, load.read_pct) == (TEST, "both", random_pct, read_pct)
    return kind and not load.rate_iops and row.phase.startswith("loads")


KINDS = {"powers": powers}
