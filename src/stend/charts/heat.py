"""Heat: the rate of each load over time with the temperature of the drive below it."""

from collections.abc import Iterator

from stend.charts.parts import BLUE, Drawing, axis, time_scale, warm
from stend.charts.parts.marks import tips
from stend.charts.parts.vega import Chart
from stend.findings import look
from stend.findings.look.heat import HEATING, throttled
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.words import Language

HEIGHT = 200


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield the rate of the writes and their temperature, then those of the reads; throttling is shaded."""
    for phase in HEATING:
        records = look.records(run, test.name, phase)
        if not records:
            continue
        scale, title = time_scale(records[-1].end_s, words)
        x, y = axis("t", title), axis("mbs", words("axis.throughput"))
        hot = [(from_s / scale, to_s / scale) for from_s, to_s in throttled(run, records)]
        rows = [{"t": record.end_s / scale, "mbs": record.counts.bytes_per_s / 1e6} for record in records]
        base = Chart().encode(x=x, y=y, tooltip=tips(x, y))
        line = base.mark("line", color=BLUE, strokeWidth=1.4) + base.mark("circle", color=BLUE, size=18)
        shaded, more, says = warm.shade(line, x, hot, words("says.heat"), words)
        name = words("chart.heat_rate", phase=phase)
        yield Drawing(name, shaded.properties(height=HEIGHT), {"rows": rows} | more, says)
        read = [(at_s / scale, degrees) for at_s, degrees in warm.readings(run, records)]
        yield from warm.drawing(read, hot, x, words("chart.heat_temperature", phase=phase), words)
