"""Start addresses of IOs over time: the hot ranges of the drive."""

from collections.abc import Iterator

import numpy as np

from stend.base.units import GiB, MiB
from stend.charts.parts import Drawing, Row, time_scale, whole_axis
from stend.charts.parts.vega import Chart
from stend.trace.described import Described
from stend.trace.form import READ, WRITE
from stend.words import Language


def draw(trace: Described, words: Language) -> Iterator[Drawing]:
    """Yield one map of reads and one of writes, or nothing without addresses or times."""
    places = trace.places
    if places is None or not trace.about.timed:
        return
    unit, word = (GiB, "traced.at_gib") if places.span_bytes >= 4 * GiB else (MiB, "traced.at_mib")
    scale, title = time_scale(trace.end_ns / 1e9, words)
    width, height = places.step_ns / 1e9 / scale, places.row_bytes / unit
    x = whole_axis("t", title)
    y = whole_axis("at", words(word))
    colour = {"field": "ios", "type": "quantitative", "title": words("traced.ios"),
              "scale": {"type": "log", "scheme": "viridis", "reverse": True}, "legend": {"format": "~s"}}  # fmt: skip
    for op, key in ((READ, "reads"), (WRITE, "writes")):
        cells = places.heat[op]
        rows: list[Row] = [
            {"t": c * width, "t2": (c + 1) * width, "at": r * height, "to": (r + 1) * height, "ios": int(cells[c, r])}
            for c, r in np.argwhere(cells).tolist()
        ]
        if rows:
            chart = Chart().mark("rect").encode(x=x, x2="t2", y=y, y2="to", color=colour)
            yield Drawing(
                words(f"traced.heat_{key}"), chart.properties(height=240), {"rows": rows}, words("traced.heat_says")
            )
