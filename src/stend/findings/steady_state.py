"""Steady state: reached when, by which rule, and how much room there was."""

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
"""The rule looks at a window; what came before it must have brought the drive down."""
MANY = 4
"""From more phases than this on, one sentence for all that settled."""


def find(run: Run, sheet: Sheet) -> Iterator[Finding]:
    """One for every phase that seeks steady state and has begun."""
    for test in look.tests(run):
        own = [(p, look.last_judged(run, test.name, p.name)) for p, _ in look.judged_phases(test)]
        found = [_finding(run, test, phase, judged) for phase, judged in own if judged]
        if len(found) > MANY and all(finding.key in ("reached", "fits") for finding in found):
            last = max(finding.values["round"] for finding in found)
            values = {"phases": len(found), "round": last, "rule": found[0].values["rule"]}
            yield Finding(name="steady_state", key="all", test=test.name, values=values)
        else:
            yield from found


def _finding(run: Run, test: PlannedTest, phase: Phase, judged: Judged) -> Finding:
    whole = _whole(run, test, phase)
    name, where = "steady_state", {"phase": phase.name, "round": min(judged.where.round, whole)}
    if not judged.verdicts:
        values = where | {"rounds": whole, "window": WINDOWS[_rule(phase)]}
        return Finding(name=name, key="short", test=test.name, values=values, confidence="can't tell")
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
        return Finding(name=name, key="early", test=test.name, values=values, confidence="can't tell")
    reached = "reached" if widest.excursion_allowed is not None else "fits"
    if judged in run.saturated:
        return Finding(name=name, key="saturated", test=test.name, values=values)
    key = reached if judged.steady else "unmet"
    return Finding(name=name, key=key, test=test.name, values=values, side="" if judged.steady else "con")


def _early(run: Run, test: PlannedTest, phase: Phase) -> Because | None:
    """Why what the rule says of the window is not yet so of the drive; a saturation shows its whole course."""
    why = grounds.unmet(NEEDS, Ground(run, test, look.records(run, test.name, phase.name)))
    if why or test.name != "write-saturation":
        return why
    found = saturation.of_phase(run, test.name, phase.name)
    return None if found.key in saturation.SETTLED else found.values.get("because", Because("falling"))


def _rule(phase: Phase) -> str:
    return next(rule.rule for rule in phase.until if isinstance(rule, Steady))


def _whole(run: Run, test: PlannedTest, phase: Phase) -> int:
    """Rounds of which every step was done."""
    done = Counter(result.where.round for result in run.of(test.name, phase.name))
    return sum(count >= len(phase.round) for count in done.values())
