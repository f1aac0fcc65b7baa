"""Compare each claim of the vendor with the measured figure in the state that the claim is made for.

Claims of a desktop drive are about its fresh peak, claims of a server drive about its steady state. The sheet states
the class (`class = "client"` or "enterprise"), else the profile does. A claim is

- held if the figure reaches it;
- nearly held if the figure is within `NEAR` of it: one sample measured once cannot refute a claim by less. The rule of
  steady state itself lets the average move by 10 % within its window (PTS 2.0.2, definition 2.1.24);
- missed if the figure is further off;
- not answered if the run has no usable figure in that state. One example are random reads of a fresh desktop drive:
  vendors read an empty drive or a small range, stend reads data that it has written.

Claims in MB/s are decimal. Every figure is given with its state and load.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from stend.findings import Confidence, Finding, Sheet, Side, look
from stend.findings.look import grounds
from stend.findings.look.claimed import Claim, meaning
from stend.findings.look.figures import Figures, answers, figures
from stend.findings.look.grounds import Because, Ground
from stend.findings.saturation import SETTLED, of_phase
from stend.model.definition import PlannedTest, Workload
from stend.model.record import Run

NEAR = 0.1
"""A claim is missed only if the figure of one sample differs by more than this share."""
FRESH, LASTING = ("fresh", "filled"), ("window", "saturated")
"""States that a claim may be about: a drive as bought, and a drive in service."""
ORDER = ("fresh", "iops", "throughput", "block-sweep", "latency", "latency-curve")
"""If several tests measured the load of a claim, the first of these answers it."""
STEADY_NEEDS = (grounds.overwritten, grounds.ruled)
"""Preconditions of a phase that seeks steady state."""


class Figure(NamedTuple):
    """A figure of the run that may answer a claim: its state and its value in base units.

    `why` is the reason why it cannot answer for a lasting state or a peak. `sure` is whether the state is certain.
    """

    test: str
    state: str
    value: float
    load: Workload
    why: Because | None = None
    sure: bool = True


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """Yield one finding per claim of the drive sheet that stend understands."""
    device_class = sheet.get("class", run.plan.profile.device_class)
    for key, value in sheet.get("claimed", {}).items():
        if (claim := meaning(key)) and isinstance(value, int | float) and value > 0:
            wanted = FRESH if device_class == "client" else LASTING
            yield _finding(run, key, claim, value * claim.unit, LASTING if claim.figure == "latency" else wanted)


def _finding(run: Run, key: str, claim: Claim, claimed: float, wanted: tuple[str, ...]) -> Finding:
    every = list(_figures(run, claim))
    shape = {"throughput": "mbs", "latency": "lat"}.get(claim.figure, "rate")
    better: Better = (lambda figure: -figure.value) if claim.figure == "latency" else (lambda figure: figure.value)
    values: dict[str, Any] = {"claim": key, "claimed": (claimed, shape)}
    if not every:
        return Finding(key="unmeasured", values=values, confidence="can't tell")
    judged = _best(every, wanted, better)
    beside = _best(every, FRESH if wanted == LASTING else LASTING, better)
    shown = judged or beside or max(every, key=better)
    values |= {"value": (shown.value, shape), "share": shown.value / claimed}
    values |= {"state": shown.state, "load": shown.load.label}
    if beside and judged:
        values |= {"beside": (beside.value, shape), "beside_state": beside.state, "beside_load": beside.load.label}
    return _answered(values, claimed, judged, beside, wanted, better) or _unanswered(values, every, judged, wanted)


def _answered(
    values: dict[str, Any],
    claimed: float,
    judged: Figure | None,
    beside: Figure | None,
    wanted: tuple[str, ...],
    better: "Better",
) -> Finding | None:
    """Return that the claim holds, nearly holds, or holds only fresh, or None if it does not."""
    reached = _reached(claimed, judged, better) if judged else 0.0
    if reached >= 1:
        return _conclusion("holds_beside" if beside else "holds", values, "pro", _grade(judged))
    if reached >= 1 - NEAR:
        return _conclusion("near", values | {"off": 1 - reached}, "", "medium")
    fresh = _reached(claimed, beside, better) if judged and beside and wanted == LASTING else 0.0
    if fresh >= 1:
        return _conclusion("only_fresh", values, "con", _grade(judged))
    if fresh >= 1 - NEAR:
        return _conclusion("near_fresh", values | {"off": 1 - fresh}, "con", "medium")
    return None


def _unanswered(values: dict[str, Any], every: list[Figure], judged: Figure | None, wanted: tuple[str, ...]) -> Finding:
    """Return that the claim is missed, or the reason why this run cannot answer it."""
    if judged and judged.state == "filled" and wanted == FRESH:
        return _conclusion("other_state", values, "", "can't tell")
    why = judged.why if judged else next((f.why for f in every if f.why), Because("unmeasured"))
    if judged and not why:
        return _conclusion("missed", values, "con", _grade(judged))
    return _conclusion("because", values | {"because": why, "wanted": wanted[0]}, "", "can't tell")


def _grade(judged: Figure | None) -> Confidence:
    return "high" if judged is None or judged.sure else "medium"


def _reached(claimed: float, figure: Figure, better: "Better") -> float:
    """Return the share of the claim that a figure reaches; for a response time, the claim over the figure."""
    return figure.value / claimed if better(figure) >= 0 else claimed / figure.value


def _conclusion(key: str, values: dict[str, Any], side: Side, confidence: Confidence = "high") -> Finding:
    return Finding(key=key, values=values, side=side, confidence=confidence)


Better = Callable[[Figure], float]


def _best(every: list[Figure], states: tuple[str, ...], better: Better) -> Figure | None:
    """Return the best answer in one of these states, from the test that tables and charts use too."""
    candidates = [f for f in every if f.state in states]
    first = min((_order(f.test) for f in candidates), default=0)
    return max((f for f in candidates if _order(f.test) == first), key=better, default=None)


def _order(test: str) -> int:
    return ORDER.index(test) if test in ORDER else len(ORDER)


def _figures(run: Run, claim: Claim) -> Iterator[Figure]:
    """Yield the figures of each test for the load of a claim; of a saturation the end, and the start if it is fresh."""
    for test in look.tests(run):
        every = (row for row in figures(run) if row.test == test.name and row.direction == "both")
        saturation = [row for row in every if row.window != "first" or row.state == "fresh"]
        for row in saturation if test.name == "write-saturation" else answers(run, test.name):
            load = row.workload
            single = claim.figure != "latency" or load.outstanding == 1
            if load.is_plain(*claim[:3]) and single:
                yield _answer(run, test, row, claim.figure)


def _answer(run: Run, test: PlannedTest, row: Figures, figure: str) -> Figure:
    ground, load = Ground(run, test, look.records(run, test.name, row.phase)), row.workload
    slow = grounds.unthrottled(ground)
    if test.name == "fresh":
        state = "filled" if load.read_pct == 100 else "fresh"
        return Figure(test.name, state, look.peak(run, test, row.phase, figure), load, slow)
    if test.name == "write-saturation" and row.state == "fresh":
        slow = grounds.unthrottled(ground._replace(records=ground.records[:1]))
        return Figure(test.name, "fresh", row.number(figure), load, slow)
    if test.name == "write-saturation":
        return _saturated(run, row, figure)
    if test.name in look.UNSTEADY or not row.rounds:
        return Figure(test.name, "other", row.number(figure), load, Because("unsought"))
    why = grounds.unmet(STEADY_NEEDS, ground)
    return Figure(test.name, "other" if why else "window", row.number(figure), load, why or slow)


def _saturated(run: Run, row: Figures, figure: str) -> Figure:
    """Return the end of a saturation. Its state is "saturated" if it is a level that the drive keeps."""
    finding = of_phase(run, row.test, row.phase)
    state = "saturated" if finding.key in SETTLED else "other"
    why = None if finding.key in SETTLED else finding.values.get("because", Because("falling"))
    return Figure(row.test, state, row.number(figure), row.workload, why, sure=finding.confidence == "high")
