"""Steady state: when it was reached, by which rule, and with how much margin."""

from collections import Counter
from collections.abc import Iterator

from stend.findings import Finding, Sheet, look, saturation
from stend.findings.look import grounds
from stend.findings.look.grounds import Because, Ground
from stend.model.definition import Phase, PlannedTest, Steady
from stend.model.events import Judged
from stend.model.record import Run
from stend.model.stats import WINDOWS

NEEDS = (grounds.overwritten, grounds.undisturbed)
"""The rule checks one window. The writes before it must have brought the drive down."""
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
    if not judged.verdicts:
        rule = next(rule.rule for rule in phase.until if isinstance(rule, Steady))
        values = where | {"rounds": whole, "window": WINDOWS[rule]}
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
    if judged.steady and (why := _early(run, test, phase)):
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


def _whole(run: Run, test: PlannedTest, phase: Phase) -> int:
    """Return the number of rounds in which every step was done."""
    done = Counter(result.where.round for result in run.of(test.name, phase.name))
    return sum(count >= len(phase.round) for count in done.values())
