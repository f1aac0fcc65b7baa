"""Saturation of every run, in the colour of its side."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from statistics import fmean
from typing import Any

from stend.charts.parts import COLOURS, DASHES, Drawing, Row, axis, binned, series_scale, time_scale, zoom
from stend.charts.parts.marks import Channel, nominal, tips
from stend.charts.parts.vega import Chart
from stend.many.compare import Comparison, Outcome
from stend.words import Language

MOST_POINTS, MOST_RUNS = 300, 5
"""A chart with more lines of runs cannot be read."""


def draw(whole: Comparison, words: Language) -> Iterator[Drawing]:
    """Yield one chart per test that saturates on both sides."""
    for test in dict.fromkeys(test for run in whole.a.runs for test in run.courses):
        longest_s = max((point[0] for run in whole.runs for point in run.courses.get(test, ())), default=0.0)
        scale, title = time_scale(longest_s, words)
        drawn = few(whole, partial(_mean, test))
        rows = [row for side, run in drawn for row in _rows(side, run, test, scale)]
        if len({row["side"] for row in rows}) < 2:
            continue
        names = [whole.a.name, whole.b.name]
        run = nominal("run", title=words("overlay.run"))
        x, y = axis("t", title), axis("iops", words("axis.iops"))
        chart = run_lines(x, y, names, words, (run, x, y), opacity=0.75).add_params(zoom())
        heading = words("overlay.courses", test=words.title(test, test), a=names[0], b=names[1])
        yield Drawing(heading, chart, {"rows": rows}, says(whole, "courses", words), test)


def few(whole: Comparison, value: Callable[[Outcome], float]) -> list[tuple[str, Outcome]]:
    """Return side and run of each run; of more than `MOST_RUNS` those with the least and most of each side."""
    ranked = ((side.name, sorted(side.runs, key=value)) for side in (whole.a, whole.b))
    many = len(whole.runs) > MOST_RUNS
    return [(name, run) for name, runs in ranked for run in (runs[:: len(runs) - 1 or 1] if many else runs)]


def says(whole: Comparison, chart: str, words: Language) -> str:
    """Return the caption of a chart with a line per run."""
    kept = [words("overlay.few_says")] if len(whole.runs) > MOST_RUNS else []
    return " ".join((words(f"overlay.{chart}_says"), *kept))


def run_lines(
    x: Channel, y: Channel, names: Sequence[str], words: Language, shown: Sequence[Channel], *, opacity: float
) -> Any:
    """Return one line per run in the colour and dash of its side. The tooltip has the side and `shown`."""
    side = nominal("side", title=words("overlay.side"))
    looks = {"color": COLOURS, "strokeDash": DASHES}
    kinds = {name: {**side, "scale": series_scale(names, look)} for name, look in looks.items()}
    line = Chart().mark("line", strokeWidth=1.2, opacity=opacity)
    return line.encode(x=x, y=y, **kinds, detail=nominal("run"), tooltip=tips(side, *shown))


def _mean(test: str, run: Outcome) -> float:
    return fmean([iops for _, iops in run.courses.get(test, ())] or [0.0])


def _rows(side: str, run: Outcome, test: str, scale: float) -> list[Row]:
    points = run.courses.get(test, ())
    rows = [{"t": end_s / scale, "iops": iops, "side": side, "run": run.name} for end_s, iops in points]
    return binned(rows, "t", "iops", MOST_POINTS)
