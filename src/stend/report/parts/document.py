"""Runs as a Document: all text of the report, before any format."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from stend import charts, findings
from stend.base import regular
from stend.findings import Finding, Sheet, look
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.report.parts import Chapter, Document, Part, Table
from stend.report.parts.audit import audit
from stend.report.parts.card import numbers
from stend.report.parts.compare import compare
from stend.report.parts.departures import departure_rows
from stend.report.parts.header import device, header, platform
from stend.report.parts.sheet import characteristics, photo, sheet
from stend.report.parts.summary import stamps, statement, verdict
from stend.report.parts.tables import matrix, raw, verification, workloads
from stend.words import Language
from stend.words.sentences import finding_said

MOST_ENDS = 4


def document(
    runs: Sequence[tuple[Path | None, Run, dict[str, Any]]], lang: str, style: str, made_at: float | None = None
) -> Document:
    """Return the document of these runs in a language and style; `made_at` is seconds since the epoch."""
    words = Language(lang)
    parts = tuple(part(folder, run, host, words, style) for folder, run, host in runs)
    pictures, tables = compare([run for _, run, _ in runs], words)
    return Document(
        title=" · ".join(dict.fromkeys(p.title for p in parts)),
        lang=lang,
        style=style,
        made=words.date(time.time() if made_at is None else made_at),
        parts=parts,
        pictures=pictures,
        tables=tables,
        words=words,
    )


class Context(NamedTuple):
    """A run with its host, findings and drive sheet."""

    run: Run
    host: dict[str, Any]
    findings: tuple[Finding, ...]
    facts: Sheet
    words: Language


def part(folder: Path | None, run: Run, host: dict[str, Any], words: Language, style: str) -> Part:
    """Return the part of one run."""
    drive = run.plan.device
    facts = sheet(folder)
    conclusions = tuple(findings.find(run, facts))
    return Part(
        title=drive.model or drive.target,
        verdict=verdict(run, words),
        steady=not run.unmet,
        stamps=stamps(run, words),
        numbers=numbers(run, words),
        photo=photo(folder, facts),
        about=(*characteristics(facts, words), *about(run, host, words)),
        deviations=tuple(words.translated(text) for text in run.plan.deviations),
        notes=tuple(dict.fromkeys(words.translated(note.text) for note in run.notes)),
        chapters=tuple(chapter(Context(run, host, conclusions, facts, words), test) for test in look.tests(run)),
        overall=tuple(statement(finding, words) for finding in conclusions if not finding.test),
        conclusion=_sides(conclusions, words),
        audit=tuple(audit(run, words)) if style == "pts" else (),
        appendix=tuple(raw(run, words)),
        manifest=_manifest(folder),
    )


def about(run: Run, host: dict[str, Any], words: Language) -> Iterator[Table]:
    """Yield tables of the drive, the platform and the method."""
    pair = (words("table.item"), words("table.value"))
    for title, facts in (("device", device(run, None, words)), ("platform", platform(host, run, words))):
        rows = tuple((words(f"header.{key}"), value) for key, value in facts if value)
        yield Table(words(f"header.{title}"), pair, rows)
    yield Table(words("method.title"), pair, tuple(_method(run, words)))


def _method(run: Run, words: Language) -> Iterator[tuple[str, str]]:
    profile, pauses = run.plan.profile, look.pauses(run)
    yield words("method.profile"), f"{profile.title} ({profile.name})"
    yield (
        words("method.range"),
        words("header.range_value", pct=profile.active_range_pct / 100, size=run.plan.range_bytes),
    )
    yield (
        words("method.rule"),
        words.name_of("rule", profile.steady),
    )
    yield from departure_rows(run, words)
    yield words("method.started"), words.date(run.started[0].at)
    if run.ended:
        yield words("method.took"), words.show(run.ended.t, "time")
    written = sum(r.counts.write.bytes for r in run.results)
    read = sum(r.counts.read.bytes for r in run.results)
    yield words("method.moved"), words("method.moved_value", written=written, read=read)
    if pauses:
        value = words("method.pauses_value", n=len(pauses), median=median(pauses), longest=max(pauses))
        yield words("method.pauses"), value
    yield words("method.interruptions"), str(run.interruptions or words("header.none"))
    if run.repeats:
        yield words("method.repeats"), words("method.repeats_value", n=run.repeats)
    yield words("method.seed"), str(run.seed)


def chapter(context: Context, test: PlannedTest) -> Chapter:
    """Return the chapter of one test."""
    run, words = context.run, context.words
    judgements = [j for j in run.judged if j.where.test == test.name and j.ended_by not in ("", "all done")]
    return Chapter(
        name=test.name,
        title=words.title(test.name, test.title),
        clause=words("page.own_method") if test.clause == "review" else words("page.clause", clause=test.clause),
        anchor=test.name,
        stamps=tuple(charts.stamped(run, test, words)),
        ended="; ".join(_ended([(j.where.phase, words.translated(j.ended_by)) for j in judgements], words)),
        header=header(run, test, context.host, words),
        pictures=tuple(charts.of(run, test, words.name, context.facts)),
        statements=tuple(statement(finding, words) for finding in context.findings if finding.test == test.name),
        verification=tuple(verification(run, test, words)),
        results=(*matrix(run, test, words), *workloads(run, test, words)),
    )


def _ended(ends: Sequence[tuple[str, str]], words: Language) -> Iterator[str]:
    """Yield how each phase ended; a count per reason if there are many phases."""
    if len(ends) <= MOST_ENDS:
        yield from (f"{words.phase(phase)}: {why}" for phase, why in ends)
        return
    for why, count in Counter(why for _, why in ends).items():
        yield words("page.ended_many", n=count, why=why)


def _sides(conclusions: tuple[Finding, ...], words: Language) -> dict[str, tuple[str, ...]]:
    return {
        side: tuple(finding_said(f, words) for f in conclusions if f.side == side and f.confidence != "can't tell")
        for side in ("pro", "con")
    }


def _manifest(folder: Path | None) -> str:
    try:
        return regular.read(folder / "manifest.toml").decode(errors="replace") if folder else ""
    except OSError:
        return ""
