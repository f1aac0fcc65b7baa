"""Power over a test, or another quantity that a meter reads."""

from collections.abc import Iterator, Sequence

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
HIGHER = 1.01
"""From this ratio to the highest mean a peak is another number."""


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield one line per quantity on the time axis of the test's course, if a meter read it meanwhile."""
    for reading in READINGS:
        read = list(_points(run, test, reading))
        points, peaks = [(at_s, value) for at_s, value, _ in read], _exceeds(read)
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
            metered(words("says.watts_peaks" if peaks else "says.watts"), run, words, reading),
        )


def _exceeds(read: Sequence[tuple[float, float, float]]) -> bool:
    """Return whether a peak within a reading is higher than every mean, and therefore above the line."""
    return max((peak for *_, peak in read), default=0.0) > HIGHER * max((value for _, value, _ in read), default=0.0)


def _points(run: Run, test: PlannedTest, reading: str) -> Iterator[tuple[float, float, float]]:
    """Yield (seconds on the clock of the test's loads, mean, highest) of the readings during each load."""
    for record in look.records(run, test.name):
        stretch, begin, end = span(run, record.result)
        late = offset(run, stretch, reading)
        moved = late.at((begin + end) / 2) if late else 0.0
        for row in run.readings.table(reading, stretch, begin + moved, end + moved).tolist():
            yield record.start_s + row[0] - moved - begin, row[2], row[3]
