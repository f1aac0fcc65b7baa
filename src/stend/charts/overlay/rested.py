"""What rests bring back, side by side."""

from collections.abc import Iterator

from stend.charts.parts import Drawing, axis
from stend.charts.parts.marks import bars, category, series
from stend.many.compare import Comparison
from stend.words import Language


def draw(whole: Comparison, words: Language) -> Iterator[Drawing]:
    """One chart for every test with wait states: a pair of bars each, before any rest first."""
    own = [one for one in whole.differences if one.key.test == "idle-recovery" and one.quantity == "iops"]
    own = [one for one in own if one.key.state in ("saturated", "rested")]
    if len({one.key.phase for one in own}) < 2:
        return
    order = [words.phase(one.key.phase) for one in own]
    rows = [
        {"state": words.phase(one.key.phase), "side": side.name, "iops": value}
        for one in own
        for side, value in ((whole.a, one.a), (whole.b, one.b))
    ]
    sides = series("side", words("overlay.side"), [whole.a.name, whole.b.name])
    chart = bars(category("state", words("axis.wait_state"), order), axis("iops", words("axis.iops")), sides)
    yield Drawing(
        words("overlay.rested", a=whole.a.name, b=whole.b.name), chart, {"rows": rows}, words("overlay.rested_says")
    )
