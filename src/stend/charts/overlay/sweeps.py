"""Sweeps of both sides on one chart: a rate against block size or outstanding IOs, one line per side and mix."""

from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import Any

from stend.charts.parts import COLOURS, DASHES, SCALE, Drawing, Row, axis, series_scale
from stend.charts.parts.figures import place
from stend.charts.parts.marks import nominal, octaves, tips
from stend.charts.parts.vega import Chart
from stend.many.compare import Comparison, Difference
from stend.words import Language

FEWEST = 3
RATES = ("iops", "throughput")


def draw(whole: Comparison, words: Language) -> Iterator[Drawing]:
    """Yield one chart per phase that varies block size or outstanding IOs; of mixes reads and writes together."""
    several = max(len(whole.a.runs), len(whole.b.runs)) > 1
    groups: dict[tuple[str, str, str, str], list[Difference]] = {}
    for difference in whole.differences:
        key, quantity = difference.key, difference.quantity
        if quantity in RATES and key.place == 1 and key.closed and key.direction == "both":
            groups.setdefault((key.test, key.phase, key.state, quantity), []).append(difference)
    for (test, phase, _, quantity), group in groups.items():
        by = _varied(group)
        if by:
            every = [row for difference in group for row in _rows(whole, difference, by)]
            highest = _highest(every)
            rows, left_out = _few(highest)
            where, figure = place(test, phase, words), words(f"figure.{quantity}")
            named = where if where == figure else f"{where}: {figure}"
            chart = _chart(rows, [whole.a.name, whole.b.name], by, quantity, words)
            title = words("overlay.sweep", where=named, a=whole.a.name, b=whole.b.name)
            says = [words("overlay.sweep_says" if several else "overlay.sweep_one_says")]
            says += [words("overlay.sweep_few_says")] if left_out else []
            says += [words("overlay.sweep_threads_says")] if len(highest) < len(every) else []
            yield Drawing(title, chart, {"rows": rows}, " ".join(says), test)


def _varied(group: Sequence[Difference]) -> str:
    """Return "kib" or "outstanding" if that has at least `FEWEST` values while the other is constant, else ""."""
    blocks = {d.key.block for d in group}
    loads = {d.key.threads * d.key.depth for d in group}
    if len(blocks) >= FEWEST and len(loads) == 1 and all(block[-1] == "K" for block in blocks):
        return "kib"
    return "outstanding" if len(loads) >= FEWEST and len(blocks) == 1 else ""


def _rows(whole: Comparison, difference: Difference, by: str) -> Iterator[Row]:
    key, scale = difference.key, SCALE[difference.quantity]
    x = float(key.block[:-1]) if by == "kib" else key.threads * key.depth
    for side, value in ((whole.a, difference.a), (whole.b, difference.b)):
        yield {"x": x, "value": value * scale, "side": side.name, "mix": key.mix}


def _highest(rows: Sequence[Row]) -> list[Row]:
    """Return the highest rate of each side, mix and place: several numbers of threads can have as many IOs."""
    best: dict[tuple[Any, ...], Row] = {}
    for row in rows:
        place = row["side"], row["mix"], row["x"]
        best[place] = max(best.get(place, row), row, key=itemgetter("value"))
    return list(best.values())


def _few(rows: list[Row]) -> tuple[list[Row], bool]:
    """Return the rows of the mixes with the most and the fewest reads, and whether mixes between them are left out.

    Both sides have a line per mix, and more than five lines cannot be told apart.
    """
    kinds = sorted(dict.fromkeys(row["mix"] for row in rows), key=lambda mix: int(mix.split("/")[0]))
    kept = {kinds[0], kinds[-1]}
    return [row for row in rows if row["mix"] in kept], len(kinds) > len(kept)


def _chart(rows: Sequence[Row], names: list[str], by: str, quantity: str, words: Language) -> Any:
    kinds = list(dict.fromkeys(row["mix"] for row in rows))
    title = words("axis.block_kib" if by == "kib" else "axis.outstanding")
    x = octaves("x", title, [row["x"] for row in rows])
    y = axis("value", words(f"axis.{quantity}"), log=quantity == "iops" and by == "kib")
    side = nominal("side", title=words("overlay.side"))
    mix = nominal("mix", title=words("axis.mix"))
    if len(kinds) < 2:
        mix["legend"] = None
    channels = {
        "color": {**side, "scale": series_scale(names, COLOURS)},
        "strokeDash": {**mix, "scale": series_scale(kinds, DASHES)},
        "strokeWidth": {**side, "scale": series_scale(names, (4.0, 1.4))},
        "opacity": {**side, "scale": series_scale(names, (0.55, 1.0))},
    }
    line = Chart().mark("line", point={"size": 36, "filled": True})
    return line.encode(x=x, y=y, tooltip=tips(side, mix, x, y), **channels)
