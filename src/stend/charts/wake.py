"""Wake: response time of the first read by the rest before it, and of reads without a rest."""

from collections.abc import Iterator

from stend.charts.parts import Drawing, Row, axis
from stend.charts.parts.marks import level, lines, series, tips
from stend.charts.parts.vega import Chart
from stend.findings.look.woken import rests
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.words import Language


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield one chart: median and longest response time; crosses are rests whose reads the host sent late."""
    awake, every = rests(run, test.name)
    names = [words("figure.p50"), words("figure.max")]
    rows, late = list[Row](), list[Row]()
    for rest in every:
        values = [*((names[0], median_s) for median_s in rest.medians_s), (names[1], rest.longest_s)]
        points = [{"rest": rest.rest_s, "ms": value * 1e3, "figure": name} for name, value in values]
        rows += [] if rest.late else points
        late += points if rest.late else []
    if not rows and not late:
        return
    x, y = axis("rest", words("axis.rest_before"), log=True), axis("ms", words("axis.latency_ms"), log=True)
    kinds = series("figure", None, names)
    chart, sets, says = lines(x, y, kinds), {"rows": rows}, words("says.wake")
    if awake:
        usual_s = awake.value("p50") or awake.number("mean")
        sets["awake"] = [{"ms": usual_s * 1e3, "what": words("wake.awake")}]
        chart = chart + level("awake", y)
    if late:
        sets["late"], says = late, f"{says} {words('says.late_reads')}"
        crossed = Chart("late").mark("point", shape="cross", angle=45, size=70, strokeWidth=1.4)
        chart = chart + crossed.encode(x=x, y=y, color=kinds["color"], tooltip=tips(kinds["color"], x, y))
    yield Drawing(words("chart.wake"), chart, sets, says)
