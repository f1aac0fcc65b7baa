"""Temperature of the drive over a test, from its telemetry."""

from collections.abc import Iterator

from stend.charts.parts import Drawing, axis, time_scale, warm
from stend.findings import look
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.words import Language

TESTS = ("write-saturation", "iops", "hot-range", "cross-stimulus")


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield one line, if the drive reported a temperature that changed during the test."""
    records = look.records(run, test.name)
    read = warm.readings(run, records)
    if read:
        scale, title = time_scale(read[-1][0], words)
        hot = warm.spans(run, records, lambda at_s: at_s / scale)
        points = [(at_s / scale, degrees) for at_s, degrees in read]
        yield from warm.drawing(points, hot, axis("t", title), words("chart.temperature"), words)
