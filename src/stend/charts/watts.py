"""Watts over a test, from the readings of a meter."""

from collections.abc import Iterator

from stend.charts.parts import GREEN, Drawing, Row, axis, binned, time_scale
from stend.charts.parts.marks import series, thin_lines
from stend.charts.parts.metered import metered
from stend.findings import look
from stend.findings.look.metered import WATTS, offset, span
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.words import Language

TESTS = ("write-saturation", "iops", "slc-cache", "heat", "inspect")
HEIGHT, MOST, FEWEST = 180, 600, 3


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield one line on the time axis of the test's course, if a meter read meanwhile."""
    points = list(_points(run, test))
    if len(points) < FEWEST:
        return
    scale, title = time_scale(points[-1][0], words)
    name = words("axis.watts")
    rows: list[Row] = [{"t": at_s / scale, "watts": watts, "kind": name} for at_s, watts in points]
    kinds = series("kind", None, [name])
    kinds["color"]["scale"]["range"] = [GREEN]
    chart = thin_lines(axis("t", title), axis("watts", name), kinds).properties(height=HEIGHT)
    yield Drawing(
        words("chart.watts"),
        chart,
        {"rows": binned(rows, "t", "watts", MOST)},
        metered(words("says.watts"), run, words),
    )


def _points(run: Run, test: PlannedTest) -> Iterator[tuple[float, float]]:
    """Yield (seconds on the clock of the test's loads, watts) of the readings during each load."""
    for record in look.records(run, test.name):
        stretch, begin, end = span(run, record.result)
        late = offset(run, stretch)
        moved = late.at((begin + end) / 2) if late else 0.0
        for row in run.readings.table(WATTS, stretch, begin + moved, end + moved).tolist():
            yield record.start_s + row[0] - moved - begin, row[2]
