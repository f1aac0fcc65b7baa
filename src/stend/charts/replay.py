"""Response times of a trace: the share of IOs that took longer, as captured and on this drive."""

from collections.abc import Iterator

from stend.charts.exceedance import curve, share_lines
from stend.charts.parts import Drawing
from stend.charts.parts.marks import series
from stend.findings.look.replayed import replayed
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.words import Language


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield one chart: a line per direction, as captured and as replayed."""
    if not test.traced:
        return
    replay = words("replay.simulated" if run.plan.device.virtual else "replay.replayed")
    series_of = [
        (f"{source}, {words(f'direction.{way}')}", tally.bins)
        for source, tallies in (
            (words("replay.captured"), (test.traced.read, test.traced.write)),
            (replay, replayed(run, test)[1]),
        )
        for way, tally in zip(("read", "write"), tallies, strict=True)
        if tally.bins
    ]
    rows = [row for name, bins in series_of for row in curve(bins, name)]
    chart = share_lines(series("name", None, [name for name, _ in series_of]), words).properties(height=340)
    title = words("chart.replay")
    yield Drawing(title, chart, {"rows": rows}, words("says.exceedance"))
