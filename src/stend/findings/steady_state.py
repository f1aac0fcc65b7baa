"""Steady state: when it was reached, by which rule, and with how much margin."""

from collections import Counter
from collections.abc import Iterator
from math import inf

from stend.findings import Finding, Sheet, look, saturation
from stend.findings.look import grounds
from stend.findings.look.grounds import Because, Ground
from stend.model.counts import Counts
from stend.model.definition import Phase, PlannedTest
from stend.model.events import Judged
from stend.model.record import Run
from stend.model.stats import WINDOWS

NEEDS = (grounds.overwritten, grounds.undisturbed)
"""The rule checks one window. The writes before it must have brought the drive down."""
MOVED = 1.2
"""Ratio of a load's figure in its steady state to that at the end of a later phase of its test from which it moved: the
excursion that PTS allows within a window."""
LAST = 0.2
"""Part of a later phase that is its end."""
MANY = 4
"""With more phases than this, one sentence covers all that settled."""


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """Yield one finding per phase that seeks steady state and has started, or one for many that all settled."""
    for test in look.tests(run):
        judgements = [(p, look.last_judged(run, test.name, p.name)) for p, _ in look.judged_phases(test)]
        results = [_finding(run, test, phase, judged) for phase, judged in judgements if judged]
        if len(results) > MANY and all(finding.key in ("reached", "fits") for finding in results):
            last = max(finding.values["round"] for finding in results)
            values = {"phases": len(results), "round": last, "rule": results[0].values["rule"]}
            yield Finding(key="all", test=test.name, values=values)
        else:
            yield from results


def _finding(run: Run, test: PlannedTest, phase: Phase, judged: Judged) -> Finding:
    whole = _whole(run, test, phase)
    where = {"phase": phase.name, "round": min(judged.where.round, whole)}
    if not judged.verdicts and phase.steady:
        values = where | {"rounds": whole, "window": WINDOWS[phase.steady.rule]}
        return Finding(key="short", test=test.name, values=values, confidence="can't tell")
    widest = max(judged.verdicts, key=lambda v: v.excursion / v.average if v.average else 0)
    steepest = max(judged.verdicts, key=lambda v: v.slope_excursion / v.average if v.average else 0)
    mean, mean_of_steepest = widest.average or 1.0, steepest.average or 1.0
    values = where | {
        "rule": widest.rule,
        "excursion": widest.excursion / mean,
        "allowed": widest.excursion_allowed / mean if widest.excursion_allowed is not None else None,
        "slope": steepest.slope_excursion / mean_of_steepest,
        "slope_allowed": steepest.slope_excursion_allowed / mean_of_steepest,
    }
    if judged.steady and (why := _early(run, test, phase) or _moved(run, test, phase, judged)):
        values |= {"because": why}
        return Finding(key="early", test=test.name, values=values, confidence="can't tell")
    reached = "reached" if widest.excursion_allowed is not None else "fits"
    if judged in run.saturated:
        return Finding(key="saturated", test=test.name, values=values)
    key = reached if judged.steady else "unmet"
    return Finding(key=key, test=test.name, values=values, side="" if judged.steady else "con")


def _early(run: Run, test: PlannedTest, phase: Phase) -> Because | None:
    """Return why a window that meets the rule does not yet show the drive's steady state, or None.

    For a saturation the whole course is checked too.
    """
    why = grounds.unmet(NEEDS, Ground(run, test, look.records(run, test.name, phase.name)))
    if why or test.name != "write-saturation":
        return why
    finding = saturation.of_phase(run, test.name, phase.name)
    return None if finding.key in saturation.SETTLED else finding.values.get("because", Because("falling"))


def _moved(run: Run, test: PlannedTest, phase: Phase, judged: Judged) -> Because | None:
    """Return a reason if a load that was judged is slower at the end of a later phase, such as its histogram."""
    names = look.phase_names(test)
    for name in names[names.index(phase.name) + 1 :]:
        for verdict in judged.verdicts:
            held = [r for r in look.records(run, test.name, name) if r.workload.label == verdict.label]
            last = sum((r.counts for r in held[len(held) - max(round(len(held) * LAST), 1) :]), Counts())
            value = last.quantity(verdict.quantity) if last.ios else 0.0
            times = value / verdict.average if verdict.quantity == "latency" else verdict.average / (value or inf)
            if value and times > MOVED:
                values = {"load": verdict.label, "share": 1 / times, "times": times}
                return Because("slowed_after" if verdict.quantity == "latency" else "fell_after", values)
    return None


def _whole(run: Run, test: PlannedTest, phase: Phase) -> int:
    """Return the number of rounds in which every step was done."""
    done = Counter(result.where.round for result in run.of(test.name, phase.name))
    return sum(count >= len(phase.round) for count in done.values())
