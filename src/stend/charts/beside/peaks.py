"""Peaks of several fresh drives: one dot per drive, for sequential throughput and for random IOPS."""

from collections.abc import Iterator, Sequence

from stend.charts.beside.levels import dots
from stend.charts.beside.powers import FEWEST
from stend.charts.claims import KEYS
from stend.charts.parts import SCALE, Drawing, Row, axis
from stend.charts.parts.sides import Side
from stend.findings import look
from stend.words import Language

TEST = "fresh"


def peaks(sides: Sequence[Side], words: Language) -> Iterator[Drawing]:
    """Yield the two charts of at least two drives. A single drive has `claims` instead."""
    for kind, figure in (("sequential", "throughput"), ("random", "iops")):
        rows: list[Row] = [
            {"level": words.name_of("phase", phase), "drive": side.name, "value": best * SCALE[figure]}
            for phase in KEYS
            if phase.startswith(kind)
            for side in sides
            if side.run and (test := side.test(TEST)) and (best := look.peak(side.run, test, phase, figure))
        ]
        if len({row["drive"] for row in rows}) >= FEWEST:
            chart, sets = dots(sides, rows, axis("value", words(f"axis.{figure}"), log=figure == "iops"), words)
            title = words("chart.claims", figure=words(f"figure.{figure}"))
            yield Drawing(title, chart, sets, words("beside.peaks_says"))


KINDS = {"peaks": peaks}
