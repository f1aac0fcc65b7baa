"""Idle recovery: every burst as a dot in the colour of its wait state, and the level after each rest (PTS 9.2)."""

from collections.abc import Iterator

from stend.charts.parts import GREY, Drawing, Row, axis, thin, time_scale, zoom
from stend.charts.parts.marks import bars, category, dots, series
from stend.findings import look
from stend.findings.look.figures import listed
from stend.model.counts import added
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.words import Language

PLOT_POINTS = 500


def rests(test: PlannedTest) -> dict[str, float]:
    """Return phase name -> seconds of rest after each burst, or 0 for the return to the baseline."""
    return {p.name: look.rest_s(p) for p in test.phases if p.name.startswith(("wait-", "baseline-"))}


def draw(run: Run, test: PlannedTest, words: Language) -> Iterator[Drawing]:
    """Yield all wait states over time, then the mean of the second half of each."""
    pauses = rests(test)
    records = [r for r in look.records(run, test.name) if r.result.where.phase in pauses]
    if not records:
        return
    first = records[0].start_s
    scale, title = time_scale(records[-1].end_s - first, words)
    baseline = words("wait.baseline")
    names = [words("wait.state", rest=rest) for rest in dict.fromkeys(pauses.values()) if rest]
    rows: list[Row] = []
    for phase, rest in pauses.items():
        name = words("wait.state", rest=rest) if rest else baseline
        bursts = [r for r in records if r.result.where.phase == phase]
        dots_of = [{"t": (r.end_s - first) / scale, "iops": r.counts.iops, "state": name} for r in bursts]
        rows += thin(dots_of, "t", "iops", PLOT_POINTS)
    kinds = series("state", words("axis.wait_state"), [*names, baseline])
    kinds["color"]["scale"]["range"][-1] = GREY
    chart = dots(axis("t", title), axis("iops", words("axis.iops")), kinds).add_params(zoom())
    yield Drawing(words("chart.recovery"), chart, {"rows": rows}, words("says.recovery"))
    levels = {
        words("wait.state", rest=rest): listed(run, test.name, phase)[0].iops for phase, rest in pauses.items() if rest
    }
    low = [r.counts for r in records if not pauses[r.result.where.phase]]
    yield _levels({baseline: added(low[len(low) // 2 :]).iops, **levels}, words)


def _levels(iops_of: dict[str, float], words: Language) -> Drawing:
    levels = [{"state": name, "iops": iops, "kind": "IOPS"} for name, iops in iops_of.items() if iops]
    chart = bars(
        category("state", words("axis.wait_state"), list(iops_of)),
        axis("iops", words("axis.iops")),
        series("kind", None, ["IOPS"]),
    )
    return Drawing(words("chart.recovery_levels"), chart, {"rows": levels}, words("says.recovery_levels"))
