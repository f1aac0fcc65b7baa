"""Stream map: the number of IOs of each stream, step by step."""

from collections.abc import Iterator, Mapping

from stend.charts.parts import COLOURS, GREY, Drawing, Row, axis, series_scale, time_scale, whole_axis
from stend.charts.parts.marks import nominal
from stend.charts.parts.vega import Chart
from stend.charts.traced.named import stream
from stend.trace.described import Described
from stend.trace.steps import Key, Step
from stend.words import Language

MOST = 7


def draw(trace: Described, words: Language) -> Iterator[Drawing]:
    """Yield stacked bars with one colour per stream, rare streams merged, or nothing if there is only one step."""
    if len(trace.steps) < 2 or not trace.about.timed:
        return
    shown = {part.key: stream(part.key, words) for part in trace.parts[:MOST]}
    names = [*shown.values(), *([words("traced.others")] if len(trace.parts) > MOST else [])]
    scale, title = time_scale(trace.end_ns / 1e9, words)
    rows = [row for step in trace.steps for row in _stacked(step, shown, words("traced.others"), scale)]
    colours = [*COLOURS[: len(shown)], GREY]
    x = whole_axis("t", title)
    kinds = {"title": words("traced.stream"), "scale": series_scale(names, colours)}
    tips = [nominal("stream"), {"field": "iops", "type": "quantitative", "format": ",.3~g"}]
    colour = nominal("stream", **kinds)
    y = axis("low", "IOPS")
    chart = Chart().mark("rect").encode(x=x, x2="t2", y=y, y2="high", color=colour, tooltip=tips)
    yield Drawing(words("traced.map"), chart, {"rows": rows}, words("traced.map_says", n=len(trace.steps)))


def _stacked(step: Step, shown: Mapping[Key, str], others: str, scale: float) -> Iterator[Row]:
    """Yield the streams of one step in IOPS, each stacked on the one before."""
    seconds = max(step.length_ns, 1) / 1e9
    begin, low = step.start_ns / 1e9 / scale, 0.0
    many = dict.fromkeys([*shown.values(), others], 0)
    for part in step.parts:
        many[shown.get(part.key, others)] += part.tally.ios
    for name, count in many.items():
        if count:
            high = low + count / seconds
            at = {"t": begin, "t2": begin + seconds / scale}
            yield {**at, "low": low, "high": high, "stream": name, "iops": count / seconds}
            low = high
