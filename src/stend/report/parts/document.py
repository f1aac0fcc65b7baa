"""Runs as a protocol: every clause, report sheet, table and round of their tests."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from stend import charts, findings
from stend.base import regular
from stend.base.version import __version__
from stend.charts import Picture
from stend.findings import Finding, Sheet, look
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.report.parts import Block, Code, Facts, Item, Items, Keys, Page, Running, Section, Stamps, Text
from stend.report.parts.audit import audit
from stend.report.parts.card import numbers
from stend.report.parts.compare import compare
from stend.report.parts.header import header
from stend.report.parts.method import clause, method_section
from stend.report.parts.sheet import photo, sheet
from stend.report.parts.states import states
from stend.report.parts.summary import stamps, statement, verdict
from stend.report.parts.tables import matrix, raw, verification, workloads
from stend.sentences import finding_said
from stend.words import Language

MOST_ENDS = 4
PER_SHEET = 2


class Context(NamedTuple):
    """A run with its folder, host, findings, drive sheet and title. `place` counts the runs of the page from 1."""

    place: int
    folder: Path | None
    run: Run
    host: dict[str, Any]
    findings: tuple[Finding, ...]
    facts: Sheet
    words: Language

    @property
    def title(self) -> str:
        """Return the name of the drive."""
        return self.run.plan.device.model or self.run.plan.device.target


def protocol(runs: Sequence[tuple[Path | None, Run, dict[str, Any]]], lang: str) -> Page:
    """Return the protocol of these runs in a language."""
    words = Language(lang)
    contexts = []
    for place, (folder, run, host) in enumerate(runs, 1):
        facts = sheet(folder)
        contexts.append(Context(place, folder, run, host, tuple(findings.find(run, facts)), facts, words))
    compared: tuple[Block, ...] = compare([run for _, run, _ in runs], words)
    return Page(
        title=" · ".join(dict.fromkeys(context.title for context in contexts)),
        lang=lang,
        made=words.date(time.time()),
        words=words,
        lead=Section("glance", words("page.glance"), tuple(block for context in contexts for block in _card(context))),
        sections=(
            *([Section("compared", words("page.compared"), compared)] if compared else []),
            *(section for context in contexts for section in _part(context)),
        ),
        caption="plot",
    )


def _card(context: Context) -> Iterator[Block]:
    """Yield a run at a glance: key figures, how it ended, warnings, a photo."""
    run, words = context.run, context.words
    yield Keys(context.title, numbers(run, words))
    yield from _ended(context)
    picture = photo(context.folder, context.facts)
    yield from [picture._replace(alt=context.title)] if picture else []


def _ended(context: Context) -> Iterator[Block]:
    run, words = context.run, context.words
    yield Text(verdict(run, words), "bad" if run.unmet else "good")
    yield Stamps(stamps(run, words, listed=True))


def _part(context: Context) -> Iterator[Section]:
    """Yield the sections of one run: method, a chapter per test, conclusion with the audit, appendix."""
    run, words, place = context.run, context.words, context.place
    about = method_section(run, context.host, context.facts, words, f"part-{place}")
    yield about._replace(title=f"{context.title}: {about.title}")
    yield from (chapter(context, test) for test in look.tests(run))
    found = [finding for finding in context.findings if finding.confidence != "can't tell"]
    overall = [_item(finding, words) for finding in context.findings if not finding.test]
    sides = {side: [Item(finding_said(f, words), side) for f in found if f.side == side] for side in ("pro", "con")}
    lists = (("", overall), *((words(f"page.{side}s"), items) for side, items in sides.items()))
    shown = (Items(title, tuple(items)) for title, items in lists if items)
    title = f"{words('page.conclusion')}: {context.title}"
    yield Section(f"end-{place}", title, (*_ended(context), *shown, *audit(run, words)))
    text = _manifest(context.folder)
    repeat = (Text(words("page.repeat_text", version=__version__)), Code(text)) if text else ()
    yield Section(f"appendix-{place}", words("page.appendix"), (*raw(run, words), *repeat))


def chapter(context: Context, test: PlannedTest) -> Section:
    """Return the chapter of one test: report sheets (14.2), findings, results, verification of steady state."""
    run, words = context.run, context.words
    title = words.title(test.name, test.title)
    pictures = tuple(charts.of(run, test, words.name, context.facts))
    stamped = Stamps(tuple(charts.stamped(run, test, words)))
    columns = Facts(header(run, test, context.host, words))
    sheets: list[Block] = []
    grouped = list(_sheets(pictures))
    for number, group in enumerate(grouped, 1):
        page = words("page.page_of", n=number, m=len(grouped))
        sheets += [Running(f"{title} · {words('page.sheet')}", context.title, page), stamped, columns, *group]
    judgements = [j for j in run.judged if j.where.test == test.name and j.ended_by and not j.exhausted]
    ended = "; ".join(_phases_ended([(j.where.phase, words.translated(j.ended_by)) for j in judgements], words))
    about = " · ".join(filter(None, (clause(test, words), ended and f"{words('page.ended')}: {ended}")))
    items = tuple(_item(finding, words) for finding in context.findings if finding.test == test.name)
    return Section(
        f"part-{context.place}-{test.name}",
        title,
        (
            Text(about, "note"),
            *(sheets or (stamped, columns)),
            *([Items(words("page.findings"), items)] if items else []),
            *states(run, test, words),
            *matrix(run, test, words),
            *workloads(run, test, words),
            *verification(run, test, words),
        ),
    )


def _sheets(pictures: Sequence[Picture]) -> Iterator[tuple[Picture, ...]]:
    """Yield the charts of each report sheet: two, or one of several plots."""
    waiting: list[Picture] = []
    for picture in pictures:
        large = not {"facet", "spec", "vconcat"}.isdisjoint(picture.spec)
        if waiting and (large or len(waiting) == PER_SHEET):
            yield tuple(waiting)
            waiting = []
        waiting.append(picture)
        if large:
            yield tuple(waiting)
            waiting = []
    if waiting:
        yield tuple(waiting)


def _item(finding: Finding, words: Language) -> Item:
    text, confidence = statement(finding, words)
    return Item(text, finding.side, tag=confidence)


def _phases_ended(ends: Sequence[tuple[str, str]], words: Language) -> Iterator[str]:
    """Yield how each phase ended, or a count per reason if there are many phases."""
    if len(ends) <= MOST_ENDS:
        yield from (f"{words.phase(phase)}: {why}" for phase, why in ends)
        return
    for why, count in Counter(why for _, why in ends).items():
        yield words("page.ended_many", n=count, why=why)


def _manifest(folder: Path | None) -> str:
    try:
        return regular.read(folder / "manifest.toml").decode(errors="replace") if folder else ""
    except OSError:
        return ""
