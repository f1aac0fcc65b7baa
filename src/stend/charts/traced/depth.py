"""IOs in flight at issue, and the share of each step in which the drive was idle."""

from collections.abc import Iterator

from stend.charts.parts import BLUE, GREY, Drawing, axis, time_scale, whole_axis
from stend.charts.parts.vega import Chart
from stend.trace.described import Described
from stend.words import Language


def draw(trace: Described, words: Language) -> Iterator[Drawing]:
    """Yield two charts over time; unknown values are left out."""
    if len(trace.steps) < 2 or not trace.about.timed:
        return
    scale, title = time_scale(trace.end_ns / 1e9, words)
    depths, idle = [], []
    for step in trace.steps:
        begin, end = step.start_ns / 1e9 / scale, (step.start_ns + step.length_ns) / 1e9 / scale
        at = {"t": begin, "t2": end}
        if step.depth is not None:
            depths.append({**at, "depth": step.depth})
        if step.idle_share is not None:
            idle.append({**at, "idle": 100 * step.idle_share})
    x = whole_axis("t", title)
    if depths:
        y = axis("depth", words("traced.in_flight"))
        chart = Chart().mark("rect", color=BLUE).encode(x=x, x2="t2", y=y, y2={"datum": 0}).properties(height=160)
        yield Drawing(words("traced.depth"), chart, {"rows": depths}, words("traced.depth_says"))
    if idle and trace.whole.idle_ns is not None:  # idle shares of only some steps are not a course
        y = {**axis("idle", words("traced.idle_pct")), "scale": {"domain": [0, 100]}}
        chart = Chart().mark("rect", color=GREY).encode(x=x, x2="t2", y=y, y2={"datum": 0}).properties(height=120)
        yield Drawing(words("traced.idle"), chart, {"rows": idle}, words("traced.idle_says"))
