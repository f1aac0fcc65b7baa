"""Recovery by rests, side by side."""

from collections.abc import Iterator

from stend.charts.parts import Drawing, axis
from stend.charts.parts.marks import bars, category, series
from stend.many.compare import Comparison
from stend.words import Language


def draw(whole: Comparison, words: Language) -> Iterator[Drawing]:
    """Yield one chart of wait states with a pair of bars each. The state before any rest comes first."""
    levels = [d for d in whole.differences if d.key.test == "idle-recovery" and d.quantity == "iops"]
    levels = [d for d in levels if d.key.state in ("saturated", "rested")]
    if len({d.key.phase for d in levels}) < 2:
        return
    order = [words.phase(d.key.phase) for d in levels]
    rows = [
        {"state": words.phase(d.key.phase), "side": side.name, "iops": value}
        for d in levels
        for side, value in ((whole.a, d.a), (whole.b, d.b))
    ]
    sides = series("side", words("overlay.side"), [whole.a.name, whole.b.name])
    chart = bars(category("state", words("axis.wait_state"), order), axis("iops", words("axis.iops")), sides)
    yield Drawing(
        words("overlay.rested", a=whole.a.name, b=whole.b.name), chart, {"rows": rows}, words("overlay.rested_says")
    )
