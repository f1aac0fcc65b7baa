"""How a run was measured: the drive, the machine, the method, and every deviation."""

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any

from stend.findings import Sheet, look
from stend.findings.look import figures
from stend.model.definition import PlannedTest
from stend.model.events import Note
from stend.model.record import Run
from stend.report.parts import Item, Items, Section, Table
from stend.report.parts.audit import deviated, few
from stend.report.parts.departures import departure_rows
from stend.report.parts.header import device, platform, range_shown
from stend.report.parts.sheet import characteristics
from stend.words import Language, key_of

UNSET = ("cache_left_off", "cache_left_on", "cache_none")
"""Notes that a drive does not have the state that the profile requires: deviations, which only a run can know."""

FORECAST = "forecast"
"""Notes that a running phase is unlikely to become steady: the end of the run shows whether it did."""


def method_section(run: Run, host: dict[str, Any], facts: Sheet, words: Language, anchor: str = "method") -> Section:
    """Return the section on the method, with its deviations from the profile and from the clauses of PTS."""
    unset = departed(run)
    lasting = (note for note in run.notes if not (run.ended and _key(note) == FORECAST))
    notes = _notes([note for note in lasting if note not in unset], run, words)
    lists = [("deviations", [words.translated(text) for text in run.plan.deviations] + _notes(unset, run, words))]
    if notes or not run.notes:  # a published run has notes without their private text
        lists.append(("notes", notes))
    items = (Items(words(f"page.{key}"), tuple(map(Item, texts or [words("page.nothing")]))) for key, texts in lists)
    tables = (*characteristics(facts, words), *about(run, host, words), *deviated(run, words))
    return Section(anchor, words("page.method"), (*tables, *items))


def departed(run: Run) -> list[Note]:
    """Return the notes of `UNSET`, but for a drive without a volatile write cache where the profile has it disabled."""
    if run.plan.profile.write_cache == "disabled" and run.plan.device.facts.get("volatile_write_cache") is False:
        return []
    return [note for note in run.notes if _key(note) in UNSET]


def about(run: Run, host: dict[str, Any], words: Language) -> Iterator[Table]:
    """Yield tables of the drive, the platform and the method."""
    pair = (words("table.item"), words("table.value"))
    for title, facts in (("device", device(run, None, words)), ("platform", platform(host, run, words))):
        rows = tuple((words(f"header.{key}"), value) for key, value in facts if value)
        yield Table(words(f"header.{title}"), pair, rows)
    yield Table(words("method.title"), pair, tuple(_method(run, words)))


def clause(test: PlannedTest, words: Language) -> str:
    """Return the clause that a test is modelled on, in words."""
    return named_clause(test.clause, words)


def conditions(run: Run, test: PlannedTest, words: Language) -> str:
    """Return the clause of a test, then its access and its threads and queue depth if they are equal throughout.

    If loads differ by their share of reads alone, the access is named without it.
    """
    loads = [row.workload for row in figures.loads(run, test) if not row.workload.replay]
    parts = [(load.label.partition(f" T{load.threads} "), load.threads) for load in loads]
    kinds = {words.show(kind, "load") for (kind, _, _), _ in parts}
    points = {f"T{threads} {depth}" for (_, _, depth), threads in parts}
    accesses = {(load.random_pct, load.block_bytes, load.mixed) for load in loads}
    if len(kinds) > 1 and len(accesses) == 1 and not loads[0].mixed and loads[0].random_pct in (0, 100):
        kinds = {words(f"method.access_{loads[0].random_pct:g}", block=loads[0].block_bytes)}
    return ", ".join((clause(test, words), *(text for equal in (kinds, points) if len(equal) == 1 for text in equal)))


def named_clause(clause: str, words: Language) -> str:
    """Return a clause in words."""
    methods = {"review": "page.own_method", "own": "page.stend_method", "RWSW (recalled)": "page.rwsw_method"}
    return words(methods.get(clause, "page.clause"), clause=clause)


def methods_of(run: Run, words: Language) -> list[str]:
    """Return the methods of the tests of a run, each once; clauses of PTS are one method."""
    clauses = ("SNIA PTS" if test.clause.startswith("PTS") else test.clause for test in run.plan.tests)
    return [named_clause(clause, words) for clause in dict.fromkeys(clauses) if clause]


def _method(run: Run, words: Language) -> Iterator[tuple[str, str]]:
    profile, pauses = run.plan.profile, look.pauses(run)
    yield words("method.profile"), f"{words.title(profile.name, profile.title, 'profile')} ({profile.name})"
    ranges = dict.fromkeys(range_shown(run, test, words) for test in run.plan.tests)
    yield words("method.range"), "; ".join(ranges)
    if any(phase.steady for _, phase in run.phases()):
        yield words("method.rule"), words.name_of("rule", profile.steady)
    yield from departure_rows(run, words)
    yield words("method.started"), words.date(run.started[0].at)
    if run.ended:
        took = "took_simulated" if run.plan.device.virtual else "took"
        yield words(f"method.{took}"), words.show(run.took_s, "time")
    every = [*(counts for r in run.results for counts in r.every), run.unfinished]
    written, read = sum(counts.write.bytes for counts in every), sum(counts.read.bytes for counts in every)
    yield words("method.moved"), words("method.moved_value", written=written, read=read)
    if pauses:
        value = words("method.pauses_value", n=len(pauses), median=median(pauses), longest=max(pauses))
        yield words("method.pauses"), value
    yield words("method.interruptions"), str(run.interruptions or words("header.none"))
    if run.repeats:
        yield words("method.repeats"), words("method.repeats_value", n=run.repeats)
    yield words("method.seed"), str(run.seed)


def _key(note: Note) -> str:
    return key_of(note.text)


def _notes(notes: Sequence[Note], run: Run, words: Language) -> list[str]:
    """Return notes of a run, each once; of many of one kind the first ones and the number of the others."""
    alike: dict[str, dict[str, None]] = {}
    for note in notes:
        if note.text:
            kind = alike.setdefault(_key(note) or note.text, {})
            kind.setdefault(_titled(words.translated(note.text), run, words))
    return [text for kind in alike.values() for text in few(list(kind), words)]


def _titled(text: str, run: Run, words: Language) -> str:
    """Return a note with tests by their titles: `idle-recovery` is a code."""
    for test in run.plan.tests:
        if "-" in test.name:
            text = text.replace(test.name, words.title(test.name, test.title))
    return text
