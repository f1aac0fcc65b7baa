"""Response time histogram with the confidence level: counts on a log axis, percentiles marked (PTS 7.2, 11.3)."""

from collections.abc import Iterator, Mapping
from typing import Any

from stend.charts.parts import BLACK, RED, Drawing, Row, axis
from stend.charts.parts.marks import nominal, series, tips
from stend.charts.parts.vega import Chart, layer
from stend.findings import look
from stend.findings.look.figures import quantities
from stend.model.counts import Counts, added
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.model.stats import bin_edges_ns
from stend.model.tally import TAIL
from stend.words import Language

PHASES = ("histogram", "max", "mid", "min")
COLUMNS = 120
FLOOR = 0.7
"""Lower end of bars on the log axis: below one IO."""
STEP = 15
"""Vertical distance between labels of neighbouring percentiles, in per cent of the plot."""
BEYOND = 1.1
"""The axis ends at 1.1 x the last percentile that the sample size allows; the title states the maximum."""


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield one chart per phase that is run for its histogram."""
    for phase in look.measuring(run, test):
        if phase.name.split("-")[0] not in PHASES:
            continue
        records = look.records(run, test.name, phase.name)
        load = records[-1].workload
        total = added(r.counts for r in records if r.workload == load)
        if total.both.bins:
            yield _drawing(load.label, phase.name, total, words)


def _drawing(label: str, phase: str, total: Counts, words: Language) -> Drawing:
    values = quantities(total.both, total.seconds, TAIL)
    marks = [(name, value) for name, value in values.items() if value is not None]
    end_s = (marks[-1][1] if marks else total.both.max_s) * BEYOND
    names = {way: words(f"direction.{way}") for way in ("read", "write") if getattr(total, way).ios}
    rows = [r for way, name in names.items() for r in _columns(getattr(total, way).bins, end_s, name)]
    named = [(words("figure.mean"), total.both.mean_s)] + [(words(f"figure.{name}"), value) for name, value in marks]
    lines = [{"ms": value * 1e3, "label": label, "share": 100 - STEP * i} for i, (label, value) in enumerate(named)]
    title = words(
        "chart.histogram", phase=phase, label=label, iops=total.iops, mbs=total.bytes_per_s, longest=total.both.max_s
    )
    rows_of = {"rows": rows, "marks": lines, "confidence": list(_confidence(total.both.bins, end_s))}
    return Drawing(title, _chart(list(names.values()), words), rows_of, words("says.histogram"))


def _chart(names: list[str], words: Language) -> Any:
    x = axis("ms", words("axis.latency_ms"))
    kinds = series("way", None, names)
    count = axis("ios", words("axis.count"), log=True)
    count["scale"] = {"type": "log", "domainMin": FLOOR, "nice": False}
    hints = tips(kinds["color"], x, count)
    columns = Chart().mark("rect", opacity=0.55)
    columns = columns.encode(x=x, x2="ms2", y=count, y2="floor", color=kinds["color"], tooltip=hints)
    share = {**axis("share", words("axis.confidence")), "scale": {"domain": [0, 100]}}
    level = Chart("confidence").mark("line", color=RED, strokeWidth=1.2, strokeDash=[4, 2]).encode(x=x, y=share)
    rules = Chart("marks").mark("rule", color=BLACK, strokeDash=[2, 3]).encode(x=x)
    text = Chart("marks").mark("text", angle=270, align="right", dy=9, dx=-4, color=BLACK, fontSize=11)
    text = text.encode(x=x, y=share, text=nominal("label"))
    return layer(columns, layer(level, rules, text)).resolve(scale={"y": "independent"})


def _columns(bins: Mapping[int, int], end_s: float, name: str) -> Iterator[Row]:
    """Yield columns of equal width without empty ones: a log axis has no zero."""
    width, ios = end_s * 1e9 / COLUMNS, dict[int, int]()
    for index, count in bins.items():
        lower, upper = bin_edges_ns(index)
        column = int((lower + upper) / 2 / width)
        ios[column] = ios.get(column, 0) + count
    for column in sorted(ios):
        if column < COLUMNS:
            left = column * width / 1e6
            yield {"ms": left, "ms2": left + width / 1e6, "ios": ios[column], "floor": FLOOR, "way": name}


def _confidence(bins: Mapping[int, int], end_s: float) -> Iterator[Row]:
    total, done = sum(bins.values()), 0
    for index in sorted(bins):
        done += bins[index]
        ms = bin_edges_ns(index)[1] / 1e6
        if ms <= end_s * 1e3:
            yield {"ms": ms, "share": 100 * done / total}
