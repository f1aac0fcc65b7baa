"""Write saturation over time: IOPS of each record, and its response times on a log axis (PTS 8.2 and the reviews)."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from stend.charts.parts import BAND, BLUE, GREEN, RED, Drawing, Row, axis, series_scale, thin, time_scale, warm, zoom
from stend.charts.parts.marks import nominal, tips
from stend.charts.parts.vega import Chart
from stend.findings import look
from stend.findings.look import Record
from stend.findings.look.figures import SATURATING
from stend.model.counts import added
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.model.stats import percentiles_s
from stend.words import Language

TESTS = ("write-saturation", "multi-wsat")
CLOSE, MOST = 1.05, 0.8
"""Times that differ by less than this ratio look equal; the share of stretches in which they do."""
COLUMNS = 200
"""Largest number of stretches whose percentiles are drawn."""


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield IOPS, then response times, of the phase that saturates."""
    phase = next((p.name for p in test.phases if p.name in SATURATING), look.main_phase(run, test))
    records = look.records(run, test.name, phase)
    if not records:
        return
    scale, time = time_scale(records[-1].end_s, words)
    hot = warm.spans(run, records, lambda at_s: at_s / scale)
    values = {"test": words.title(test.name, test.title), "label": records[0].workload.label}
    for key, made in (
        ("saturation", _iops(records, scale, time, words)),
        ("saturation_latency", _latency(records, scale, time, words)),
    ):
        own = words(f"says.{_hidden(made[1], words('figure.p99.9')) or key}")
        chart, more, says = warm.shade(made[0], axis("t", time), hot, own, words)
        yield Drawing(words(f"chart.{key}", **values), chart.add_params(zoom()), made[1] | more, says)


def _hidden(sets: Mapping[str, Sequence[Row]], tail: str) -> str:
    """Return the key of the caption if marks are missing or hidden, else "".

    Percentiles need enough IOs. If the median and 99.9 % (the figure `tail`), or even the maximum,
    coincide nearly throughout, one line hides the others.
    """
    if "longest" in sets and "band" not in sets:
        return "saturation_few"
    longest = {row["t"]: row["ms"] for row in sets.get("longest", ())}
    tails = {row["t"]: row["ms"] or math.inf for row in sets.get("rows", ()) if row.get("figure") == tail}
    for key, ends in (("saturation_alike", longest), ("saturation_alike_tail", tails)):
        pairs = [(row["low"], ends.get(row["t"], math.inf)) for row in sets.get("band", ())]
        if pairs and sum(high < CLOSE * low for low, high in pairs) >= MOST * len(pairs):
            return key
    return ""


def _iops(records: Sequence[Record], scale: float, time: str, words: Language) -> tuple[Any, dict[str, list[Row]]]:
    rows: list[Row] = [{"t": r.end_s / scale, "iops": r.counts.iops} for r in records]
    x, y = axis("t", time), axis("iops", words("axis.iops"))
    base = Chart().encode(x=x, y=y, tooltip=tips(x, y))
    line = base.mark("line", color=BLUE, strokeWidth=1, opacity=0.6)
    return line + base.mark("circle", color=BLUE, size=14), {"rows": thin(rows, "t", "iops")}


def _latency(records: Sequence[Record], scale: float, time: str, words: Language) -> tuple[Any, dict[str, list[Row]]]:
    """Return a band from the median to 99 %, lines of the mean and 99.9 %, and maxima as dots.

    Percentiles are those of all IOs of a stretch, never means of percentiles. A line breaks where there are too few.
    """
    size = -(-len(records) // COLUMNS)
    rows_of: dict[str, list[Row]] = {"band": [], "rows": [], "longest": []}
    for start in range(0, len(records), size):
        part = records[start : start + size]
        tally, at = added(r.counts for r in part).both, {"t": part[-1].end_s / scale}
        low, high, tail = percentiles_s(tally, (50, 99, 99.9))
        if low and high:
            rows_of["band"].append({**at, "low": low * 1e3, "high": high * 1e3, "figure": words("figure.band")})
        for name, value in (("mean", tally.mean_s), ("p99.9", tail)) if tally.ios else ():
            rows_of["rows"] += [{**at, "ms": value * 1e3 if value else None, "figure": words(f"figure.{name}")}]
        if tally.max_s:
            rows_of["longest"].append({**at, "ms": tally.max_s * 1e3, "figure": words("figure.max")})
    x, y = axis("t", time), axis("ms", words("axis.latency_ms"), log=True)
    names = [words(f"figure.{name}") for name in ("band", "mean", "p99.9", "max")]
    colour = nominal("figure", title=None, scale=series_scale(names, (BAND, BLUE, GREEN, RED)))
    ends = [{**y, "field": "low"}, {**y, "field": "high"}]
    band = Chart("band").mark("area", opacity=1).encode(x=x, y=ends[0], y2={"field": "high"}, color=colour)
    shown = {"x": x, "y": y, "color": colour, "tooltip": tips(colour, x, y)}
    line = Chart().mark("line", strokeWidth=1.6).encode(**shown)
    dots = Chart("longest").mark("point", filled=True, size=12, opacity=0.7).encode(**shown)
    return band.encode(tooltip=tips(colour, x, *ends)) + line + dots, {
        key: rows for key, rows in rows_of.items() if rows
    }
