"""Temperature of the drive over the run, from its telemetry."""

from collections.abc import Iterator

from stend.charts.parts import RED, Drawing, axis, thin, time_scale
from stend.charts.parts.marks import series, thin_lines
from stend.findings import look
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.words import Language

TESTS = ("write-saturation", "iops", "hot-range", "cross-stimulus")
FEWEST = 3
MARGIN_C = 5


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield one line, if the drive reported at least three temperatures during the test."""
    times = [r.result.t for r in look.records(run, test.name)]
    reported = [
        (t.t, float(t.values["temperature_c"]))
        for t in run.telemetry
        if times and times[0] <= t.t <= times[-1] + 60 and t.values.get("temperature_c") is not None
    ]
    if len(reported) < FEWEST:
        return
    scale, title = time_scale(reported[-1][0] - reported[0][0], words)
    name = words("axis.temperature")
    rows = thin([{"t": (t - reported[0][0]) / scale, "c": c, "kind": name} for t, c in reported], "t", "c")
    kinds = series("kind", None, [name])
    kinds["color"]["scale"]["range"] = [RED]
    y = axis("c", name, zero=False)
    y["scale"]["domain"] = [min(c for _, c in reported) - MARGIN_C, max(c for _, c in reported) + MARGIN_C]
    chart = thin_lines(axis("t", title), y, kinds).properties(height=180)
    yield Drawing(
        words("chart.temperature", test=words.title(test.name, test.title)),
        chart,
        {"rows": rows},
        words("says.temperature"),
    )
