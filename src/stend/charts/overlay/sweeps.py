"""Sweeps of both sides in one frame: a rate against block size or what is outstanding, a line a side and mix."""

from collections.abc import Iterator, Sequence
from typing import Any

from stend.charts.parts import COLOURS, DASHES, SHAPES, Drawing, Row, axis, data, series_scale
from stend.charts.parts.marks import octaves, tips
from stend.charts.parts.plain import Chart
from stend.many.compare import Comparison, Difference
from stend.words import Language

FEWEST = 3
RATES = {"iops": 1.0, "throughput": 1e-6}


def draw(whole: Comparison, words: Language) -> Iterator[Drawing]:
    """A chart for every phase that has three points of one or the other; reads and writes of profiles apart."""
    groups: dict[tuple[str, str, str, str], list[Difference]] = {}
    for one in whole.differences:
        if one.quantity in RATES and one.key.place == 1:
            groups.setdefault((one.key.test, one.key.phase, one.key.state, one.quantity), []).append(one)
    for (test, phase, _, quantity), own in groups.items():
        by = _varied(own)
        if by:
            rows = [row for one in own for row in _rows(whole, one, by, words)]
            told = {"test": words.title(test, test), "phase": phase, "a": whole.a.name, "b": whole.b.name}
            chart = _chart(rows, [whole.a.name, whole.b.name], by, quantity, words)
            title = words("overlay.sweep", figure=words(f"figure.{quantity}"), **told)
            yield Drawing(title, chart, {"rows": rows}, words("overlay.sweep_says"))


def _varied(own: Sequence[Difference]) -> str:
    """Which one of the two goes through three values at least while the other stands still."""
    blocks = {one.key.block for one in own}
    loads = {one.key.threads * one.key.depth for one in own}
    if len(blocks) >= FEWEST and len(loads) == 1 and all(block[-1] == "K" for block in blocks):
        return "kib"
    return "outstanding" if len(loads) >= FEWEST and len(blocks) == 1 else ""


def _rows(whole: Comparison, one: Difference, by: str, words: Language) -> Iterator[Row]:
    key, scale = one.key, RATES[one.quantity]
    x = float(key.block[:-1]) if by == "kib" else key.threads * key.depth
    kind = key.mix if key.direction == "both" else f"{key.mix}, {words(f'direction.{key.direction}')}"
    for side, value in ((whole.a, one.a), (whole.b, one.b)):
        yield {"x": x, "value": value * scale, "side": side.name, "mix": kind}


def _chart(rows: Sequence[Row], names: list[str], by: str, quantity: str, words: Language) -> Any:
    kinds = list(dict.fromkeys(row["mix"] for row in rows))
    title = words("axis.block_kib" if by == "kib" else "axis.outstanding")
    x = octaves("x", title, [row["x"] for row in rows])
    y = axis("value", words(f"axis.{quantity}"), log=quantity == "iops")
    side = {"field": "side", "type": "nominal", "title": words("overlay.side")}
    mix = {"field": "mix", "type": "nominal", "title": words("axis.mix")}
    channels = {
        "color": {**side, "scale": series_scale(names, COLOURS)},
        "strokeDash": {**mix, "scale": series_scale(kinds, DASHES)},
        "shape": {**mix, "scale": series_scale(kinds, SHAPES)},
        "strokeWidth": {**side, "scale": series_scale(names, (4.0, 1.4))},
        "opacity": {**side, "scale": series_scale(names, (0.55, 1.0))},
    }
    return (
        Chart(data())
        .mark_line(point={"size": 36, "filled": True})
        .encode(x=x, y=y, tooltip=tips(side, mix, x, y), **channels)
    )
