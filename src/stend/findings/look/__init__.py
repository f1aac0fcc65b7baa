"""Folds over a run that findings, charts and reports share. Figures are derived here and never recorded."""

from collections.abc import Sequence
from typing import NamedTuple

from stend.findings.look.once import once
from stend.model.counts import Counts, added
from stend.model.definition import Hold, Idle, Phase, PlannedTest, Steady, Workload
from stend.model.events import Judged, Result
from stend.model.record import Run
from stend.model.tally import NONE, Tally

UNSTEADY = ("fresh", "slc-cache", "hot-range", "cold-warm", "idle-recovery")
"""Tests that measure states which do not last in service."""
END, FEWEST_LAST = 0.2, 5
"""The end of a saturation without a judged window: the last fifth of its records. Fewest that show a scatter."""
PEAK_S = 10.0
"""A peak must last this long if a record lasts longer than a minute."""


class Record(NamedTuple):
    """One hold on the test's clock: load and pauses before it, in seconds from the start of its phase."""

    start_s: float
    end_s: float
    workload: Workload
    counts: Counts
    result: Result


def tests(run: Run, *names: str) -> list[PlannedTest]:
    """Return the planned tests with these names (all if none) that have results."""
    done = {test for test, _ in run.placed}
    return [test for test in run.plan.tests if test.name in done and (not names or test.name in names)]


@once
def records(run: Run, test: str, phase: str | None = None) -> list[Record]:
    """Return every hold of a test or phase in order, with its time."""
    held: list[Record] = []
    clock = 0.0
    for result in run.of(test, phase):
        if not isinstance(result.step, Hold):
            continue
        start = clock + (result.gap_s if held else 0.0)
        clock = start + result.counts.seconds
        held.append(Record(start, clock, result.step.workload, result.counts, result))
    return held


def judged_phases(test: PlannedTest) -> list[tuple[Phase, Steady]]:
    """Return the phases of a test that seek steady state, with their rule."""
    return [(phase, rule) for phase in test.phases if (rule := phase.steady)]


def last_judged(run: Run, test: str, phase: str) -> Judged | None:
    """Return the last judgement of a phase with a full window, else its last judgement, else None."""
    judgements = run.judgements.get((test, phase), [])
    return next((j for j in reversed(judgements) if j.verdicts), judgements[-1] if judgements else None)


def reached(run: Run, test: str, phase: str) -> bool:
    """Return whether a rule sought a steady state in a phase and found it."""
    judged = last_judged(run, test, phase)
    return judged is not None and judged.steady


class Cell(NamedTuple):
    """One figure of a test: a workload in a phase, added up over the measurement window if there is one."""

    phase: str
    workload: Workload
    counts: Counts
    trims: Tally = NONE


def phase_names(test: PlannedTest) -> list[str]:
    """Return the phases of a test, first those shared from an earlier test."""
    return [*test.shared, *(phase.name for phase in test.phases)]


PREPARING = ("purge", "precondition", "condition", "rest-", "fill", "warm-up", "baseline", "verify")
"""Prefixes of the names of phases that only bring the drive into a state."""
HISTOGRAM = "histogram"
"""Prefix of the names of phases that repeat a load of another phase for its distribution of response times."""


def is_histogram(phase: str) -> bool:
    """Return whether a phase repeats a load of another phase for its distribution of response times."""
    return phase.startswith(HISTOGRAM)


def measuring(run: Run, test: PlannedTest) -> list[Phase]:
    """Return the phases with results that a test measures in; if there are only preparing ones, those."""
    held = {key for key, results in run.placed.items() if any(isinstance(result.step, Hold) for result in results)}
    phases = [phase for phase in test.phases if (test.name, phase.name) in held]
    return [phase for phase in phases if not f"{phase.name}-".startswith(PREPARING)] or phases


def cells(run: Run, test: PlannedTest) -> list[Cell]:
    """Return the cells of a test in the order measured. Each has at least one read or write."""
    every = (cell for phase in measuring(run, test) for cell in cells_of(run, test.name, phase.name))
    return [cell for cell in every if cell.counts.iops]


def ended(run: Run, test: PlannedTest, phase: str) -> Counts:
    """Return the end of a phase with one load: the measurement window of a steady state, else the last records.

    Rounds of a saturation may be half an hour apart (PTS 10), so that a window that is not steady is not its end.
    """
    steady, last = reached(run, test.name, phase), last_records(run, test, phase)
    return run.window(test.name, phase, last[-1].workload) if steady and last else added(r.counts for r in last)


def last_records(run: Run, test: PlannedTest, phase: str) -> list[Record]:
    """Return the last fifth of a phase's records, at least one."""
    held = records(run, test.name, phase)
    return held[-max(round(len(held) * END), 1) :]


def rested(run: Run, test: str, phase: str) -> Counts:
    """Return the level after rests: the second half of the bursts, which no longer shows the level before."""
    return added(later_bursts(run, test, phase))


def later_bursts(run: Run, test: str, phase: str) -> list[Counts]:
    """Return the second half of the bursts of a phase that rests."""
    bursts = [record.counts for record in records(run, test, phase)]
    return bursts[len(bursts) // 2 :]


def peak(run: Run, test: PlannedTest, phase: str, figure: str) -> float:
    """Return the best record of a phase. If the phase is one record, as a fill is, its best ten seconds."""
    return max((counts.quantity(figure) for counts in _peaks(run, test.name, phase)), default=0.0)


@once
def _peaks(run: Run, test: str, phase: str) -> list[Counts]:
    """Return the counts that the peak of a phase is one of."""
    held = records(run, test, phase)
    long = _stretches([counts for _, counts in samples(run, held[0])]) if len(held) == 1 else []
    return long or [record.counts for record in held]


def _stretches(every: Sequence[Counts]) -> list[Counts]:
    """Return the shortest stretches of samples that reach PEAK_S, one per last sample."""
    reached, first, total = list[Counts](), 0, 0.0
    for last, counts in enumerate(every):
        total += counts.seconds
        while first < last and total - every[first].seconds >= PEAK_S:
            total, first = total - every[first].seconds, first + 1
        if total >= PEAK_S:
            reached.append(added(every[first : last + 1]))
    return reached


@once
def cells_of(run: Run, test: str, phase: str) -> tuple[Cell, ...]:
    """Return the loads of one phase, measuring or preparing, in the order of their first results."""
    planned = next((p for t, p in run.phases() if (t.name, p.name) == (test, phase)), None)
    held = [(r.step.workload, r) for r in run.of(test, phase) if isinstance(r.step, Hold) and not r.step.ramp]
    loads = dict.fromkeys(load for load, _ in held)
    trims = dict.fromkeys(loads, NONE)
    for load, result in held:
        trims[load] += result.trims
    every = [Cell(phase, load, _result(run, test, planned, load), trims[load]) for load in loads] if planned else []
    return tuple(cell for cell in every if cell.counts.seconds)


def rest_s(phase: Phase) -> float:
    """Return the seconds that a phase rests in each round, or 0 if it does not."""
    return next((step.seconds for step in phase.round if isinstance(step, Idle)), 0.0)


def _result(run: Run, test: str, phase: Phase, workload: Workload) -> Counts:
    """Return the counts of a load in a phase: its later bursts, its window, or all of it.

    Bursts count if the phase rests, the window if the phase is judged or repeated.
    """
    if rest_s(phase):
        return rested(run, test, phase.name)
    if run.verdict_rounds(test, phase.name) or phase.rounds > 1:
        return run.window(test, phase.name, workload)
    held = [(r.step, r.counts) for r in run.of(test, phase.name) if isinstance(r.step, Hold)]
    return added(counts for step, counts in held if step.workload == workload and not step.ramp)


def samples(run: Run, record: Record) -> list[tuple[float, Counts]]:
    """Return (end in seconds on the record's clock, counts) of every sample taken during a record."""
    begin = record.result.t - record.counts.seconds
    return [(record.start_s + t - begin, counts) for t, counts in run.sampled(record.result)]


def pauses(run: Run) -> list[float]:
    """Return the pauses between loads in seconds. Planned rests do not count."""
    gaps, rested = [], True
    for result in run.results:
        if isinstance(result.step, Hold):
            if not rested and result.gap_s > 0:
                gaps.append(result.gap_s)
            rested = False
        else:
            rested = True
    return gaps


def main_phase(run: Run, test: PlannedTest) -> str:
    """Return the main phase of a test: of its measuring phases, the one with the most seconds of load, or "" if none.

    A histogram repeats a load of another phase, and can outlast it in a shortened run.
    """
    phases = measuring(run, test)
    phases = [phase for phase in phases if not is_histogram(phase.name)] or phases
    loads = [(sum(r.counts.seconds for r in run.of(test.name, phase.name)), phase.name) for phase in phases]
    return max(loads)[1] if loads else ""
