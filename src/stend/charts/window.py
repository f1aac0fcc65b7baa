"""The measurement window: data, average, 90 and 110 % of it, least-squares line, both excursion bands (PTS 3.2)."""

from collections.abc import Iterator
from typing import Any

from stend.charts.parts import BLACK, BLUE, GREEN, GREY, RED, SCALE, Drawing, Row, axis
from stend.charts.parts.marks import nominal
from stend.charts.parts.vega import Chart
from stend.findings import look
from stend.model.definition import PlannedTest
from stend.model.events import Verdict
from stend.model.record import Run
from stend.words import Language

LINES = ("data", "average", "average_110_90", "fit", "data_bounds", "slope_bounds")
FIT_LINES = ("data", "average", "average_110_90", "fit")
"""The reviews' rule lets the slope reach 90 and 110 % and does not limit the data."""
COLOURS = (BLUE, BLACK, GREY, RED, GREEN, "#7a4fa3")
DASHES = ([1, 0], [1, 0], [8, 4], [1, 0], [2, 3], [7, 3, 2, 3])


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield one chart per tracked variable of each judged phase."""
    for phase, _ in look.judged_phases(test):
        judged = look.last_judged(run, test.name, phase.name)
        for verdict in judged.verdicts if judged else ():
            yield _drawing(verdict, words)


def _drawing(verdict: Verdict, words: Language) -> Drawing:
    names = {line: words(f"window.{line}") for line in LINES}
    shown = list(LINES) if verdict.excursion_allowed is not None else list(FIT_LINES)
    scale = SCALE[verdict.quantity]
    rows = [
        {"round": n, "value": v * scale, "line": names["data"]}
        for n, v in zip(verdict.rounds, verdict.values, strict=True)
    ]
    colours = {"domain": [names[s] for s in shown], "range": [COLOURS[LINES.index(s)] for s in shown]}
    dashes = {"domain": [names[s] for s in shown], "range": [DASHES[LINES.index(s)] for s in shown]}
    common: dict[str, Any] = {
        "x": axis("round", words("axis.round"), zero=False, tickMinStep=1, format="d"),
        "y": axis("value", words(f"axis.{verdict.quantity}"), zero=False),
        "color": nominal("line", scale=colours, title=None, legend={"symbolType": "stroke", "symbolSize": 300}),
        "strokeDash": nominal("line", scale=dashes, title=None),
    }
    tips = [{"field": "line", "title": words("axis.line")}, {"field": "round", "title": words("axis.round")}]
    tips.append({"field": "value", "title": words(f"axis.{verdict.quantity}"), "format": ",.4~r"})
    lines = Chart("lines").mark("line", strokeWidth=1.6).encode(**common, detail=nominal("part"), tooltip=tips)
    measured = Chart().mark("line", point={"size": 70, "filled": True}).encode(**common, tooltip=tips)
    state = words("window.steady" if verdict.steady else "window.not_steady")
    title = words("chart.window", label=verdict.label, state=state)
    says = words(f"says.window_{verdict.rule.partition('-')[0]}")
    return Drawing(title, lines + measured, {"rows": rows, "lines": list(_lines(verdict, names, scale))}, says)


def _lines(verdict: Verdict, names: dict[str, str], scale: float) -> Iterator[Row]:
    """Yield both ends of every straight line; bands are centred on the mean because allowed ranges are peak to peak."""
    mean, (slope, intercept) = verdict.average, verdict.fit
    ends = (verdict.rounds[0], verdict.rounds[-1])
    flat = [("average", 1.0, ""), ("average_110_90", 0.9, "low"), ("average_110_90", 1.1, "high")]
    for line, share, part in flat:
        yield from ({"round": n, "value": mean * share * scale, "line": names[line], "part": part} for n in ends)
    yield from ({"round": n, "value": (slope * n + intercept) * scale, "line": names["fit"], "part": ""} for n in ends)
    if verdict.excursion_allowed is None:
        return
    for part, value in (("low", min(verdict.values)), ("high", max(verdict.values))):
        yield from ({"round": n, "value": value * scale, "line": names["data_bounds"], "part": part} for n in ends)
    half = verdict.slope_excursion_allowed / 2
    for part, value in (("low", mean - half), ("high", mean + half)):
        yield from ({"round": n, "value": value * scale, "line": names["slope_bounds"], "part": part} for n in ends)
