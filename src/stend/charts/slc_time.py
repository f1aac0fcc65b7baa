"""Sequential writes over the whole drive against time: the steps of an SLC cache (method of the reviews)."""

from collections.abc import Iterator

from stend.charts.parts import Drawing, Row, axis, binned, time_scale, zoom
from stend.charts.parts.marks import band, series, thin_lines
from stend.findings import look
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.words import Language

PHASES = ("fresh", "rested", "full")


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield one chart with one line per state of the drive."""
    longest = max((r["t"] for r in written(run, test, words)), default=0.0)
    scale, title = time_scale(longest, words)
    yield drawing(run, test, words, "t", scale, title, "chart.slc_time")


def drawing(run: Run, test: PlannedTest, words: Language, field: str, scale: float, title: str, key: str) -> Drawing:
    """Return throughput against time or bytes; `scale` is the size of one unit of the x axis."""
    rows = [{**row, field: row[field] / scale} for row in written(run, test, words)]
    names = list(dict.fromkeys(str(row["state"]) for row in rows))
    kept = [r for name in names for r in binned([row for row in rows if row["state"] == name], field, "mbs", 600)]
    wanted = (field, "mbs", "state", "low", "high")
    bare = [{name: row[name] for name in wanted if name in row} for row in kept]
    kinds = series("state", words("axis.state"), names)
    x, y = axis(field, title), axis("mbs", words("axis.throughput"))
    chart = band(x, y, kinds["color"]) + thin_lines(x, y, kinds).add_params(zoom())
    return Drawing(words(key), chart, {"rows": bare}, words("says.slc"))


def written(run: Run, test: PlannedTest, words: Language) -> list[Row]:
    """Return {t: seconds, gib: bytes so far, mbs, state} for every sample of every state."""
    rows: list[Row] = []
    for phase in test.phases:
        if not phase.name.startswith(PHASES):
            continue
        for record in look.records(run, test.name, phase.name):
            total = 0
            for t, counts in look.samples(run, record):
                total += counts.write.bytes
                if counts.seconds:
                    speed = counts.bytes_per_s / 1e6
                    rows.append({"t": t, "gib": total, "mbs": speed, "state": words.name_of("phase", phase.name)})
    return rows
