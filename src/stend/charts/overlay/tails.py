"""Share of IOs slower than a response time: one line per run in the colour of its side (log-log)."""

from collections.abc import Iterator
from functools import partial
from math import log

from stend.charts.exceedance import curve
from stend.charts.overlay.courses import few, run_lines, says
from stend.charts.parts import Drawing, Row, axis
from stend.charts.parts.figures import place
from stend.findings import look
from stend.many.compare import Comparison, Outcome
from stend.many.sides import Key
from stend.model.quantities import QUANTITIES
from stend.words import Language

MOST_CHARTS = 4
MOST_POINTS = 120


def draw(whole: Comparison, words: Language) -> Iterator[Drawing]:
    """Yield one chart per load whose tail is a result: those whose tail changed by more than a factor of two, the most
    first, then histograms, then saturations, at most four.
    """
    loads = [d for d in whole.differences if d.quantity == "max" and d.key.direction == "both"]
    moved = _moved(whole)
    loads.sort(key=lambda d: (-moved.get(d.key, 0.0), not look.is_histogram(d.key.phase), d.key.state != "saturated"))
    for difference in loads[:MOST_CHARTS]:
        names = [whole.a.name, whole.b.name]
        key = difference.key
        drawn = few(whole, partial(_longest_ns, key))
        rows = [row for side, run in drawn for row in _rows(side, run, key)]
        x = axis("ms", words("axis.latency_ms"), log=True)
        y = axis("share", words("axis.exceedance"), log=True)
        chart = run_lines(x, y, names, words, (x, y), opacity=0.8)
        title = words("overlay.tails", where=place(key.test, key.phase, words), load=key.load)
        yield Drawing(title, chart, {"rows": rows}, says(whole, "tails", words), key.test)


def _moved(whole: Comparison) -> dict[Key, float]:
    """Return the largest change of a tail by load, as a logarithm, where it is more than a factor of two."""
    moved: dict[Key, float] = {}
    for row in whole.differences:
        if QUANTITIES[row.quantity].kind == "tail" and row.verdict != "not comparable":
            key = row.key._replace(direction="both")
            moved[key] = max(moved.get(key, 0.0), abs(log(row.ratio)))
    return {key: far for key, far in moved.items() if far > log(2)}


def _longest_ns(key: Key, run: Outcome) -> float:
    row = run.rows.get(key)
    return row.tally.max_ns if row else 0.0


def _rows(side: str, run: Outcome, key: Key) -> Iterator[Row]:
    figures = run.rows.get(key)
    points = list(curve(figures.tally.bins, side)) if figures else []
    step = max(len(points) // MOST_POINTS, 1)
    for point in points[::step]:
        yield {"ms": point["ms"], "share": point["share"], "side": side, "run": run.name}
