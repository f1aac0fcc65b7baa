"""Power over a test, or another quantity that a meter reads."""

from collections.abc import Iterator

from stend.base.text import capital
from stend.charts.parts import GREEN, Drawing, Row, axis, binned, time_scale
from stend.charts.parts.marks import series, thin_lines
from stend.charts.parts.metered import metered
from stend.findings import look
from stend.findings.look.metered import offset, span
from stend.model.definition import PlannedTest
from stend.model.quantities import QUANTITIES, READINGS
from stend.model.record import Run
from stend.words import Language
from stend.words.numbers import unit

TESTS = ("write-saturation", "iops", "slc-cache", "heat", "inspect")
HEIGHT, MOST, FEWEST = 180, 600, 3


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield one line per quantity on the time axis of the test's course, if a meter read it meanwhile."""
    for reading in READINGS:
        points = list(_points(run, test, reading))
        if len(points) < FEWEST:
            continue
        scale, title = time_scale(points[-1][0], words)
        text = words("axis.reading", reading=reading, unit=unit(words.format_of, QUANTITIES[reading].unit))
        name = capital(text)
        rows: list[Row] = [{"t": at_s / scale, "value": value, "kind": name} for at_s, value in points]
        kinds = series("kind", None, [name])
        kinds["color"]["scale"]["range"] = [GREEN]
        chart = thin_lines(axis("t", title), axis("value", name), kinds).properties(height=HEIGHT)
        yield Drawing(
            words("chart.watts", reading=reading),
            chart,
            {"rows": binned(rows, "t", "value", MOST)},
            metered(words("says.watts"), run, words, reading),
        )


def _points(run: Run, test: PlannedTest, reading: str) -> Iterator[tuple[float, float]]:
    """Yield (seconds on the clock of the test's loads, value) of the readings during each load."""
    for record in look.records(run, test.name):
        stretch, begin, end = span(run, record.result)
        late = offset(run, stretch, reading)
        moved = late.at((begin + end) / 2) if late else 0.0
        for row in run.readings.table(reading, stretch, begin + moved, end + moved).tolist():
            yield record.start_s + row[0] - moved - begin, row[2]
