"""Ratio map of a matrix: B over A by block size and mix, with the verdict of each cell."""

from collections.abc import Iterator, Sequence
from math import log

from stend.base.units import KiB
from stend.charts.parts import Drawing, Row
from stend.charts.parts.marks import category, cells, kib, nominal
from stend.many.compare import Comparison, Difference
from stend.words import Language

RATES = ("iops", "throughput")
SIGNS = {
    "better": "▲", "worse": "▼", "same": "=", "ahead": "△", "behind": "▽", "close": "≈", "undecided": "?",
    "not comparable": "×",
}  # fmt: skip
FACTOR = 2.0
"""Ratio from which a change is shown as a factor instead of a percentage."""
PART = 0.005
"""Ratio up to which a change is shown as a part, because its percentage would be rounded to −100 %."""
LEAST_SCALE = log(1.1)
"""Changes below 10 % do not get the full colour."""


def draw(whole: Comparison, words: Language) -> Iterator[Drawing]:
    """Yield one map per phase with at least two sizes and two mixes."""
    groups: dict[tuple[str, str, str], list[Difference]] = {}
    for difference in whole.differences:
        key = difference.key
        if difference.quantity in RATES and key.direction == "both" and key.place == 1:
            groups.setdefault((key.test, key.phase, key.state), []).append(difference)
    for (test, phase, _), group in groups.items():
        sizes, mixes = (list(dict.fromkeys(v)) for v in zip(*((d.key.block, d.key.mix) for d in group), strict=True))
        loads = {(d.key.threads, d.key.depth) for d in group}
        if len(sizes) > 1 and len(mixes) > 1 and len(loads) == 1 and all(size[-1] == "K" for size in sizes):
            sizes.sort(key=lambda size: float(size[:-1]))
            mixes.sort(key=lambda mix: -int(mix.split("/")[0]))
            values = {"test": words.title(test, test), "phase": phase, "a": whole.a.name, "b": whole.b.name}
            found = {difference.verdict for difference in group}
            signs = ", ".join(f"{sign} {verdict_named(v, words)}" for v, sign in SIGNS.items() if v in found)
            says = words("overlay.map_says", signs=signs, **values)
            rows, shown = [_row(difference, words) for difference in group], [_kib(size, words) for size in sizes]
            title = words(f"overlay.map_{group[0].quantity}", **values)
            yield Drawing(title, _map(rows, shown, mixes, words), {"rows": rows}, says, test)


def change(ratio: float, words: Language, shape: str = "change") -> str:
    """Return a ratio as a change in a shape: `+4.5%`; from 2 on as a factor, `5.3×`; up to 1/200 as `to 1/800`."""
    if ratio >= FACTOR:
        return words("overlay.factor", ratio=ratio)
    if 0 < ratio <= PART:
        return words("overlay.part", of=1 / ratio)
    text = words.show(abs(ratio - 1), shape)
    none = text == words.show(0.0, shape)
    return ("" if none else "\u2212" if ratio < 1 else "+") + text


def interval(row: Difference, words: Language) -> str:
    """Return `+1% … +4%`, or a dash without an interval."""
    if row.low is None or row.high is None:
        return "–"
    return f"{change(row.low, words)} … {change(row.high, words)}"


def _kib(size: str, words: Language) -> str:
    return kib(float(size.removesuffix("K")) * KiB, words)


def _row(difference: Difference, words: Language) -> Row:
    return {
        "block": _kib(difference.key.block, words),
        "mix": difference.key.mix,
        "change": log(difference.ratio),
        "text": f"{change(difference.ratio, words, 'tenths')}\n{SIGNS[difference.verdict]}",
        "verdict": verdict_named(difference.verdict, words),
    }


def verdict_named(verdict: str, words: Language) -> str:
    """Return a verdict on a figure in words."""
    return words(f"verdict.{verdict.replace(' ', '_')}")


def _map(rows: Sequence[Row], sizes: Sequence[str], mixes: Sequence[str], words: Language) -> object:
    most = max(LEAST_SCALE, *(abs(row["change"]) for row in rows))
    x, y = category("block", words("axis.block_kib"), sizes), category("mix", words("axis.mix"), mixes)
    scale = {"domain": [-most, 0, most], "range": ["#d55e00", "#ffffff", "#0072b2"], "interpolate": "rgb"}
    colour = {"field": "change", "type": "quantitative", "scale": scale, "legend": None}
    titles = {"block": x["title"], **{f: words(f"overlay.tip_{f}") for f in ("mix", "text", "verdict")}}
    tips = [nominal(field, title=title) for field, title in titles.items()]
    return cells(x, y, colour, tips, lines=2).properties(height=max(120, 38 * len(mixes)))
