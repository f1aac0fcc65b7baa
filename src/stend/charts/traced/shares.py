"""IO streams by their share of all IOs and bytes, and the running sum of shares."""

from collections.abc import Iterator

from stend.charts.parts import BLACK, BLUE, ORANGE, Drawing, series_scale
from stend.charts.parts.marks import nominal
from stend.charts.parts.vega import Chart
from stend.charts.traced.named import shown_share, stream
from stend.trace.described import Described, frequent
from stend.words import Language

MOST = 16
ALL = 0.999
"""Streams beyond this share of the IOs are too few to be visible."""
ENOUGH = 0.8
ROW = 26
"""Pixels of the two bars of a stream with the gap to the next ones."""


def draw(trace: Described, words: Language) -> Iterator[Drawing]:
    """Yield a pair of bars per stream, the most frequent first, and dots for the running sum of shares of IOs."""
    ios, size = trace.ios, trace.bytes
    kinds = [words("traced.of_ios"), words("traced.of_bytes")]
    bars, dots, so_far = [], [], 0
    for part in trace.parts[:MOST]:
        if so_far > ALL * ios:
            break
        so_far += part.tally.ios
        name = stream(part.key, words)
        bars.append({"stream": name, "kind": kinds[0], "share": 100 * part.tally.ios / ios})
        if size:
            bars.append({"stream": name, "kind": kinds[1], "share": 100 * part.tally.bytes / size})
        dots.append({"stream": name, "sum": 100 * so_far / ios})
    y = nominal("stream", title=None, sort=[row["stream"] for row in dots])
    x = {"field": "share", "type": "quantitative", "title": words("traced.share_pct"), "scale": {"domain": [0, 100]}}
    colour = nominal("kind", title=None, scale=series_scale(kinds, (BLUE, ORANGE)))
    bar = Chart().mark("bar").encode(y=y, x=x, color=colour, yOffset={"field": "kind", "sort": kinds})
    sums = {**x, "field": "sum"}
    points = Chart("sums").mark("line", color=BLACK, strokeWidth=1, point={"color": BLACK, "size": 22})
    most = frequent(trace.parts, ENOUGH)
    made = shown_share(sum(part.tally.ios for part in most) / ios, words)
    yield Drawing(
        words("traced.shares"),
        (bar + points.encode(y=y, x=sums)).properties(height=ROW * len(dots), width=480),
        {"rows": bars, "sums": dots},
        words("traced.shares_says", n=len(most), of=len(trace.parts), share=made),
    )
