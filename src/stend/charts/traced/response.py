"""Captured response times: the share of reads and writes that took longer."""

from collections.abc import Iterator

from stend.charts.parts import BLUE, RED, Drawing, Row, axis, series_scale
from stend.charts.parts.marks import nominal
from stend.charts.parts.vega import Chart
from stend.charts.traced.named import operation
from stend.model.stats import bin_edges_ns
from stend.model.tally import Tally
from stend.trace.described import Described
from stend.trace.form import READ, WRITE
from stend.words import Language

WIDER = 1.25
"""Room on both sides of times within a factor of two, whose labels would all be alike."""
COLOURS = {READ: BLUE, WRITE: RED}


def draw(trace: Described, words: Language) -> Iterator[Drawing]:
    """Yield one step line per direction on two log axes, or nothing if no response time was captured."""
    rows: list[Row] = []
    for op in COLOURS:
        rows += _rows(trace.of(op), operation(op, words))
    if not rows:
        return
    names = [operation(op, words) for op in COLOURS]
    colour = nominal("op", title=None, scale=series_scale(names, tuple(COLOURS.values())))
    x = axis("ms", words("axis.latency_ms"), log=True)
    low, high = (op(row["ms"] for row in rows) for op in (min, max))
    wider = WIDER if high <= 2 * low else 1.0
    x["scale"] = {"type": "log", "nice": False, "domain": [low / wider, high * wider]}
    y = axis("beyond", words("traced.beyond"), log=True)
    chart = Chart().mark("line", interpolate="step-after").encode(x=x, y=y, color=colour).properties(height=260)
    yield Drawing(words("traced.response"), chart, {"rows": rows}, words("traced.response_says"))


def _rows(tally: Tally, name: str) -> Iterator[Row]:
    """Yield the share at the start of each bin, and the last one at its end too: a line even if all are in one bin."""
    total, beyond = sum(tally.bins.values()), sum(tally.bins.values())
    for index, count in sorted(tally.bins.items()):
        yield {"ms": max(bin_edges_ns(index)[0], 1) / 1e6, "beyond": 100 * beyond / total, "op": name}
        beyond -= count
    if total:
        last = max(tally.bins)
        yield {"ms": max(bin_edges_ns(last)[1], 2) / 1e6, "beyond": 100 * tally.bins[last] / total, "op": name}
