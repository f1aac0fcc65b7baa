"""Conformance audit clause by clause: met, deviated (with details), not applicable, or not claimed."""

from collections.abc import Iterator

from stend.findings import look
from stend.model.definition import Bytes, Hold, PlannedTest, Purge
from stend.model.record import Run
from stend.model.stats import WINDOWS
from stend.report.parts import Table
from stend.report.parts.departures import departures
from stend.report.parts.header import FULL, range_share, range_shown
from stend.words import Language

GAP_S = 1.0
"""Our limit for the pause between two records; the clauses only require that steps run back to back."""
MOST_ALIKE = 3
"""Details of one requirement, or notes of one kind, that a page lists."""
LESSER = "(not a drive's own purge)"
"""In the method of a purge that PTS does not list: discards, zeros, holes of a file."""
Line = tuple[str, str, str]
"""(requirement, key of the answer, detail)."""


def audit(run: Run, words: Language) -> Iterator[Table]:
    """Yield one table per PTS test. The reviews' methods have no clauses to check."""
    for test in _specified(run):
        lines = list(_lines(run, test, words))
        marks = tuple(i for i, (_, answer, _) in enumerate(lines) if answer == "deviated")
        title = words("audit.title", test=words.title(test.name, test.title), clause=test.clause)
        rows = tuple((words(f"audit.{asked}"), words(f"audit.{answer}"), detail) for asked, answer, detail in lines)
        yield Table(title, _head(words, "asked", "answer"), rows, note=words("audit.note"), marks=marks)


def deviated(run: Run, words: Language) -> Iterator[Table]:
    """Yield one table of the requirements of PTS that the run did not meet, with their tests; nothing if it met all."""
    tests_of, details_of = dict[str, dict[str, None]](), dict[str, dict[str, None]]()
    specified = _specified(run)
    for test in specified:
        for asked, answer, detail in _lines(run, test, words):
            if answer == "deviated":
                tests_of.setdefault(asked, {})[words.title(test.name, test.title)] = None
                details_of.setdefault(asked, {})[detail] = None
    every = words("audit.all_tests", n=len(specified))
    rows = tuple(
        (
            words(f"audit.{asked}"),
            every if 2 < len(specified) == len(tests) else ", ".join(tests),
            "; ".join(few(list(details_of[asked]), words)),
        )
        for asked, tests in tests_of.items()
    )
    if rows:
        yield Table(words("audit.deviations"), _head(words, "asked", "tests"), rows)


def few(texts: list[str], words: Language) -> list[str]:
    """Return the first texts of one kind, and the number of the others."""
    left = len(texts) - MOST_ALIKE
    return texts if left < 2 else [*texts[:MOST_ALIKE], words("page.alike", n=left)]


def _specified(run: Run) -> list[PlannedTest]:
    return [test for test in look.tests(run) if test.clause.startswith("PTS")]


def _head(words: Language, *keys: str) -> tuple[str, ...]:
    return tuple(words(f"audit.{key}") for key in (*keys, "detail"))


def _lines(run: Run, test: PlannedTest, words: Language) -> Iterator[Line]:
    changed = {departure.setting for departure in (departures(run) or {}).get(test.name, ())}
    yield _purge(run, test, words)
    yield "cache", "not_claimed", words(f"header.cache_{test.profile.write_cache}")
    yield _range(run, test, changed, words)
    yield _fill(run, test, words)
    entropy = min((hold.workload.entropy_pct for hold in test.holds), default=100)
    yield "pattern", "met" if entropy == 100 else "deviated", f"{entropy} %"
    minute = words.show(test.profile.minute_s, "time")
    yield "minute", "met" if test.profile.minute_s == 60 else "deviated", minute
    yield "order", "met", words("audit.by_plan")
    yield from _steady(run, test, changed, words)
    yield _gaps(run, test, words)
    yield _window(run, test, words)


def _purge(run: Run, test: PlannedTest, words: Language) -> Line:
    methods = [r.said for r in run.of(test.name) if isinstance(r.step, Purge)]
    planned = any(isinstance(step, Purge) for phase in test.phases for step in phase.round)
    if not planned:
        return "purge", "not_applicable", ""
    if not (methods and all(methods)):
        return "purge", "not_claimed", ""
    lesser = [method for method in methods if LESSER in method]
    return "purge", "not_claimed" if lesser else "met", words.translated([*lesser, *methods][0])


def _range(run: Run, test: PlannedTest, changed: set[str], words: Language) -> Line:
    met = range_share(run, test)[2] and "active_range_pct" not in changed
    return "range", "met" if met else "deviated", range_shown(run, test, words)


def _fill(run: Run, test: PlannedTest, words: Language) -> Line:
    phases = [phase for phase in test.phases if phase.name.startswith("precondition")]
    names, holds = [phase.name for phase in phases], [hold for phase in phases for hold in phase.holds]
    planned = sum(hold.amount.bytes for hold in holds if isinstance(hold.amount, Bytes))
    if not planned:
        return "fill", "not_applicable", ""
    written = sum(r.counts.write.bytes for name in names for r in run.of(test.name, name))
    cut = next(((t.name, phase) for t in run.plan.tests for phase in run.cut_phases(t)), ("", ""))
    written += run.unfinished.write.bytes if cut[0] == test.name and cut[1] in names else 0
    capacity = run.plan.device.capacity_bytes
    fills = len(holds)
    met = written >= FULL * planned and planned >= FULL * 2 * capacity * fills
    return (
        "fill",
        "met" if met else "deviated",
        words("audit.written", written=written, times=written / capacity / fills),
    )


def _steady(run: Run, test: PlannedTest, changed: set[str], words: Language) -> Iterator[Line]:
    for rule in dict.fromkeys(rule.rule for _, rule in look.judged_phases(test)):
        yield "rule", "met" if rule == "pts" else "deviated", words.name_of("value_steady", rule)
    for phase, _ in look.judged_phases(test):
        name = words.phase(phase.name)
        yield "limit", "deviated" if "rounds" in changed else "met", f"{name}: {phase.rounds}"
        if judged := look.last_judged(run, test.name, phase.name):
            detail = (
                f"{name}: {words.translated(judged.ended_by) if judged.ended_by else words('verification.going_on')}"
            )
            yield "steady", "met" if judged.steady or judged in run.saturated else "deviated", detail


def _window(run: Run, test: PlannedTest, words: Language) -> Line:
    """Return whether the results are of a window: a search that ended before its first whole window has none.

    A saturation that ended regularly that early needs none.
    """
    places = [(phase, rule, look.last_judged(run, test.name, phase.name)) for phase, rule in look.judged_phases(test)]
    ended = [(phase, rule, judged) for phase, rule, judged in places if judged and judged.ended_by]
    bare = [(phase, rule, judged) for phase, rule, judged in ended if not judged.verdicts]
    short = [
        words("audit.too_few", phase=phase.name, n=judged.where.round, window=WINDOWS[rule.rule])
        for phase, rule, judged in bare
        if judged not in run.saturated
    ]
    if short:
        return "window", "deviated", "; ".join(short)
    return "window", "met" if len(places) > len(bare) else "not_applicable", ""


def _gaps(run: Run, test: PlannedTest, words: Language) -> Line:
    gaps = [r.gap_s for r in run.of(test.name) if isinstance(r.step, Hold)]
    if test.name == "idle-recovery" or len(gaps) < 2:
        return "gaps", "not_applicable", ""
    longest = max(gaps[1:])
    return "gaps", "met" if longest <= GAP_S else "deviated", words("audit.longest", longest=longest)
