"""The stream map: how many IOs of each stream there are, step by step."""

from collections.abc import Iterator, Mapping

from stend.charts.parts import COLOURS, GREY, Drawing, Row, axis, data, series_scale, time_scale
from stend.charts.parts.plain import Chart
from stend.charts.traced.named import stream
from stend.trace.described import Described
from stend.trace.steps import Key, Step
from stend.words import Language

MOST = 7


def draw(trace: Described, words: Language) -> Iterator[Drawing]:
    """Stacked bars, a colour a stream, those that are few taken together; nothing where there is one step."""
    if len(trace.steps) < 2 or not trace.about.timed:
        return
    own = {part.key: stream(part.key, words) for part in trace.parts[:MOST]}
    names = [*own.values(), *([words("traced.others")] if len(trace.parts) > MOST else [])]
    scale, title = time_scale(trace.end_ns / 1e9, words)
    rows = [row for step in trace.steps for row in _stacked(step, own, words("traced.others"), scale)]
    colours = [*COLOURS[: len(own)], GREY]
    x = {**axis("t", title, zero=False), "scale": {"nice": False, "zero": False}}
    kinds = {"title": words("traced.stream"), "scale": series_scale(names, colours)}
    tips = [{"field": "stream", "type": "nominal"}, {"field": "iops", "type": "quantitative", "format": ",.3~g"}]
    colour = {"field": "stream", "type": "nominal", **kinds}
    y = axis("low", "IOPS", format="~s")
    chart = Chart(data()).mark_rect().encode(x=x, x2="t2", y=y, y2="high", color=colour, tooltip=tips)
    yield Drawing(words("traced.map"), chart, {"rows": rows}, words("traced.map_says", n=len(trace.steps)))


def _stacked(step: Step, own: Mapping[Key, str], others: str, scale: float) -> Iterator[Row]:
    """One step's streams, each from where the one below it ends, in IOPS."""
    seconds = max(step.length_ns, 1) / 1e9
    begin, low = step.start_ns / 1e9 / scale, 0.0
    many = dict.fromkeys([*own.values(), others], 0)
    for part in step.parts:
        many[own.get(part.key, others)] += part.tally.ios
    for name, count in many.items():
        if count:
            high = low + count / seconds
            at = {"t": begin, "t2": begin + seconds / scale}
            yield {**at, "low": low, "high": high, "stream": name, "iops": count / seconds}
            low = high
