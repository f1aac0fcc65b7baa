"""First reads after rests of several drives: the median by length of the rest, one line per drive."""

from collections.abc import Iterator, Sequence

from stend.charts.beside.courses import over
from stend.charts.beside.powers import FEWEST
from stend.charts.parts import Drawing, Row, axis
from stend.charts.parts.sides import Side
from stend.findings.look.woken import TEST, rests
from stend.words import Language


def wakes(sides: Sequence[Side], words: Language) -> Iterator[Drawing]:
    """Yield one chart of at least two drives, without rests whose reads the host sent late."""
    rows = [row for side in sides for row in _rests(side)]
    if len({row["drive"] for row in rows}) >= FEWEST:
        x, y = axis("rest", words("axis.rest_before"), log=True), axis("value", words("axis.latency_ms"), log=True)
        chart, sets = over(sides, rows, x, y, words)
        yield Drawing(words("chart.wake"), chart, sets, words("beside.wakes_says"))


def _rests(side: Side) -> Iterator[Row]:
    for rest in rests(side.run, TEST)[1] if side.run and side.test(TEST) else ():
        if not rest.late:
            for median_s in rest.medians_s:
                yield {"rest": rest.rest_s, "value": median_s * 1e3, "drive": side.name}


KINDS = {"wakes": wakes}
