"""Folds over a run that findings, charts and reports share; figures are derived here and nowhere recorded."""

from collections.abc import Sequence
from typing import NamedTuple

from stend.findings.look.once import once
from stend.model.counts import Counts, added
from stend.model.definition import Hold, Idle, Phase, PlannedTest, Steady, Workload
from stend.model.events import Judged, Result
from stend.model.record import Run
from stend.model.stats import percentile_s

UNSTEADY = ("fresh", "slc-cache", "hot-range", "cold-warm", "idle-recovery")
"""Tests whose figures are those of a state that service does not last in."""
END, FEWEST_LAST = 0.2, 5
"""The end of a saturation that nobody judged: the last fifth of its records, at least five."""
PEAK_S = 10.0
"""How long a rate must last to be a peak, where a record lasts longer than a minute."""
PERCENTILES = (50.0, 99.0, 99.9, 99.99, 99.999)


class Record(NamedTuple):
    """One hold on the test's own clock: load and the pauses before it, from the start of its phase, in seconds."""

    start_s: float
    end_s: float
    workload: Workload
    counts: Counts
    result: Result


def tests(run: Run, *names: str) -> list[PlannedTest]:
    """The planned tests of these names that have results."""
    done = {test for test, _ in run.placed}
    return [test for test in run.plan.tests if test.name in done and (not names or test.name in names)]


@once
def records(run: Run, test: str, phase: str | None = None) -> list[Record]:
    """Every hold of a test or phase in order, with its time."""
    found: list[Record] = []
    clock = 0.0
    for result in run.of(test, phase):
        if not isinstance(result.step, Hold):
            continue
        start = clock + (result.gap_s if found else 0.0)
        clock = start + result.counts.seconds
        found.append(Record(start, clock, result.step.workload, result.counts, result))
    return found


def judged_phases(test: PlannedTest) -> list[tuple[Phase, Steady]]:
    """The phases of a test that seek steady state, with their rule."""
    return [(phase, rule) for phase in test.phases for rule in phase.until if isinstance(rule, Steady)]


def last_judged(run: Run, test: str, phase: str) -> Judged | None:
    """The last judgement of a phase that had a full window; else the last of all."""
    own = run.judgements.get((test, phase), [])
    return next((j for j in reversed(own) if j.verdicts), own[-1] if own else None)


class Cell(NamedTuple):
    """One figure of a test: a workload in a phase, added up over the measurement window where there is one."""

    phase: str
    workload: Workload
    counts: Counts


def phase_names(test: PlannedTest) -> list[str]:
    """The phases a test went through, first those it took over from an earlier test."""
    return [*test.shared, *(phase.name for phase in test.phases)]


PREPARING = ("purge", "precondition", "condition", "rest-", "fill", "warm-up", "baseline")
"""How the names of phases begin that only bring the drive into a state."""


def measuring(run: Run, test: PlannedTest) -> list[Phase]:
    """The phases a test is about, as far as they have results."""
    done = {name for (own, name), many in run.placed.items() if own == test.name and _holds(many)}
    own = [phase for phase in test.phases if phase.name in done]
    return [phase for phase in own if not phase.name.startswith(PREPARING)] or own


def _holds(results: Sequence[Result]) -> bool:
    return any(isinstance(result.step, Hold) for result in results)


def cells(run: Run, test: PlannedTest) -> list[Cell]:
    """What a test answered, phase by phase, in the order it was measured; a cell has at least one IO."""
    return [cell for cell in every_cell(run, test) if cell.counts.iops]


def ended(run: Run, test: PlannedTest, phase: str) -> Counts:
    """The end of a phase that holds one load: the measurement window where one was sought, else the last records."""
    rounds, own = run.verdict_rounds(test.name, phase), last_records(run, test, phase)
    return run.window(test.name, phase, own[-1].workload) if rounds and own else added(r.counts for r in own)


def last_records(run: Run, test: PlannedTest, phase: str) -> list[Record]:
    """The last fifth of a phase's records."""
    own = records(run, test.name, phase)
    return own[-max(round(len(own) * END), FEWEST_LAST) :]


def rested(run: Run, test: str, phase: str) -> Counts:
    """The level that rests bring: the second half of the bursts; by then it is no more that of what came before."""
    own = [record.counts for record in records(run, test, phase)]
    return added(own[len(own) // 2 :])


def peak(run: Run, test: PlannedTest, phase: str, figure: str) -> float:
    """The best record of a phase; where one record is all of it, as of a fill, its best ten seconds."""
    own = records(run, test.name, phase)
    counts = [record.counts for record in own]
    if len(own) == 1:
        counts = _stretches([c for _, c in samples(run, own[0])]) or counts
    return max((c.quantity(figure) for c in counts), default=0.0)


def _stretches(every: Sequence[Counts]) -> list[Counts]:
    """Each run of samples that just reaches PEAK_S."""
    found, first, total = list[Counts](), 0, 0.0
    for last, counts in enumerate(every):
        total += counts.seconds
        while first < last and total - every[first].seconds >= PEAK_S:
            total, first = total - every[first].seconds, first + 1
        if total >= PEAK_S:
            found.append(added(every[first : last + 1]))
    return found


def every_cell(run: Run, test: PlannedTest) -> list[Cell]:
    """The same, with those loads too that got no IO done in their time."""
    return [cell for phase in measuring(run, test) for cell in cells_of(run, test.name, phase.name)]


@once
def cells_of(run: Run, test: str, phase: str) -> tuple[Cell, ...]:
    """The loads of one phase, measuring or preparing, in the order they first came."""
    planned = next((p for t, p in run.phases() if (t.name, p.name) == (test, phase)), None)
    loads = dict.fromkeys(r.step.workload for r in run.of(test, phase) if isinstance(r.step, Hold))
    found = [Cell(phase, load, _result(run, test, planned, load)) for load in loads] if planned else []
    return tuple(cell for cell in found if cell.counts.seconds)


def rest_s(phase: Phase) -> float:
    """How long a phase rests in each round; 0 where it does not."""
    return next((step.seconds for step in phase.round if isinstance(step, Idle)), 0.0)


def _result(run: Run, test: str, phase: Phase, workload: Workload) -> Counts:
    """The window of a judged phase; else all of it, but where a round warms up with the same load, its last records."""
    if rest_s(phase):
        return rested(run, test, phase.name)
    if run.verdict_rounds(test, phase.name) or phase.rounds > 1:
        return run.window(test, phase.name, workload)
    own = [r.counts for r in run.of(test, phase.name) if isinstance(r.step, Hold) and r.step.workload == workload]
    return added(own)


def samples(run: Run, record: Record) -> list[tuple[float, Counts]]:
    """(end in seconds on the record's clock, counts) of every sample taken during a record."""
    begin = record.result.t - record.counts.seconds
    return [(record.start_s + t - begin, counts) for t, counts in run.sampled(record.result)]


def percentiles(counts: Counts, direction: str = "both") -> dict[float, float | None]:
    """Response times in seconds by percentile; None where the sample cannot carry one."""
    tally = getattr(counts, direction)
    return {percent: percentile_s(tally, percent) for percent in PERCENTILES}


def pauses(run: Run) -> list[float]:
    """The pauses between two different loads, in seconds; a rest that the plan asked for is none."""
    found, rested = [], True
    for result in run.results:
        if isinstance(result.step, Hold):
            if not rested and result.gap_s > 0:
                found.append(result.gap_s)
            rested = False
        else:
            rested = True
    return found


def main_phase(run: Run, test: PlannedTest) -> str:
    """The phase a test is about: of those that measure, the one with the most seconds of load."""
    loads = [
        (sum(r.counts.seconds for r in run.of(test.name, phase.name)), phase.name) for phase in measuring(run, test)
    ]
    return max(loads)[1] if loads else ""
