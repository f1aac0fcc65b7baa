"""The review of a run as a Page: the questions that its tests answer, in the order of questions.toml."""

import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from stend import charts, findings
from stend.charts import Picture
from stend.charts.beside import Side, picture
from stend.findings import Sheet, judgement, look
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.report.parts import (
    Block,
    Item,
    Items,
    Keys,
    Page,
    Pair,
    Photo,
    Section,
    Stamps,
    Table,
    Text,
    Uses,
    departures,
)
from stend.report.parts.method import clause, method_section
from stend.report.parts.sheet import photo, sheet
from stend.report.parts.summary import stamps
from stend.report.parts.tables import workloads
from stend.report.story.because import because
from stend.report.story.notes import Notes, notes
from stend.report.story.page_one import Review, claims, extremes, keys, marked, measured, sentence, verdict
from stend.report.story.tables import TABLES, key_table
from stend.words import Language
from stend.words.sentences import finding_said, reason_said

Runs = Sequence[tuple[Path | None, Run, dict[str, Any]]]


MOST_DEVIATIONS, MOST_NOTES, MOST_CLOSING = 4, 4, 5


class Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A sentence of evidence, by its key in the section of the question, and the conditions under which it is shown."""

    needs: tuple[str, ...]
    key: str
    above: tuple[str, float] | None = None
    below: tuple[str, float] | None = None
    above_ratio: tuple[str, str, float] | None = None
    below_ratio: tuple[str, str, float] | None = None

    def holds(self, figures: Mapping[str, float]) -> bool:
        """Return whether its figures are known and its conditions met."""
        ratio = self.above_ratio or self.below_ratio
        if any(name not in figures for name in (*self.needs, *(ratio[:2] if ratio else ()))):
            return False
        checks = [figures.get(self.above[0], 0.0) >= self.above[1]] if self.above else []
        checks += [figures.get(self.below[0], 0.0) < self.below[1]] if self.below else []
        if ratio:
            checks.append((figures[ratio[0]] >= ratio[2] * figures[ratio[1]]) == bool(self.above_ratio))
        return all(checks)


class Question(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A chapter, whose texts are in the section `question.NAME` of a language.

    `pictures` are (chart file, first picture, number); `findings` are those whose sentences answer it too.
    """

    name: str
    tests: tuple[str, ...]
    answers: tuple[Answer, ...] = ()
    charts: tuple[str, ...] = ()
    pictures: tuple[tuple[str, int, int], ...] = msgspec.field(default=(), name="own")
    findings: tuple[str, ...] = ()


@cache
def questions() -> tuple[Question, ...]:
    """Return the questions of questions.toml."""
    text: Any = (resources.files(__package__) / "questions.toml").read_bytes()
    return msgspec.toml.decode(text, type=dict[str, tuple[Question, ...]])["question"]


def story(
    runs: Runs, rivals: Sequence[Side], lang: str, made_at: float | None = None, words: Language | None = None
) -> Page:
    """Return the review of the first of these runs; its charts show the other runs and the rivals next to it."""
    folder, run, host = runs[0]
    words, facts = words or Language(lang), sheet(folder)
    conclusions = tuple(findings.find(run, facts))
    judged = judgement.concluded(run, facts, conclusions)
    review = Review(run, judged.figures, judged, conclusions, judgement.kind(run), words)
    sides, author = [*_sides(runs), *rivals], notes(folder)
    chapters = tuple(_chapters(review, sides, facts, author))
    return Page(
        title=run.plan.device.model or run.plan.device.target,
        lang=lang,
        made=words.date(time.time() if made_at is None else made_at),
        words=words,
        lead=Section(
            "verdict", _headline(review, chapters), tuple(_lead(review, host, sides, photo(folder, facts), author))
        ),
        sections=(*chapters, *_closing(review), method_section(run, host, facts, words)),
        small=True,
        foot=words("story.protocol"),
    )


def _headline(review: Review, chapters: Sequence[Section]) -> str:
    """Return the verdict; if the run carries none, the answer to its own question."""
    if review.verdict.standing or any(use.key != "unknown" for use in review.verdict.uses):
        return verdict(review)
    answers = (" ".join(chapter.of_role("answer")) for chapter in chapters)
    return next(filter(None, answers), review.words("story.verdict_none"))


def _lead(
    review: Review, host: dict[str, Any], sides: Sequence[Side], photo: Photo | None, author: Notes
) -> Iterator[Block]:
    """Yield page one: the drive, warnings, uses, key figures, and lists of what to know."""
    run, words = review.run, review.words
    yield from (Text(text, "what") for text in _what(run, host, words))
    yield Stamps(stamps(run, words))
    yield from [photo._replace(alt=run.plan.device.model)] if photo else []
    yield from (Text(text, "author") for text in author.get("", ((), ()))[0])
    uses = tuple(marked(review))
    if any(use.mark != "unknown" for use in uses):
        yield Uses(words("story.uses"), uses)
    if figures := tuple(keys(review)):
        note = words("story.band_note") if any(key.band for key in figures) else ""
        yield Keys(words("story.figures"), figures, note)
    best, worst = extremes(review)
    others = (*_beside(sides[1:], words), *(finding_said(f, words) for f in review.findings if f.name == "peers"))
    lists = (
        ("best", [Item(best, "pro")] if best else []),
        ("worst", [Item(worst, "con")] if worst else []),
        ("claims", [Item(text, mark, name) for name, mark, text in claims(review)]),
        ("deviates", [Item(text) for text in _sure(run, words)]),
        ("beside", [Item(text) for text in others]),
    )
    yield Pair(tuple(Items(words(f"story.{key}"), tuple(items)) for key, items in lists if items))


def _sides(runs: Runs) -> list[Side]:
    """Return a side per run, with a number if drives have the same name."""
    names = [run.plan.device.model or run.plan.device.target for _, run, _ in runs]
    same = len(set(names)) < len(names)
    return [
        Side(f"{n} ({i})" if same else n, run) for i, (n, (_, run, _)) in enumerate(zip(names, runs, strict=True), 1)
    ]


def _what(run: Run, host: dict[str, Any], words: Language) -> Iterator[str]:
    drive = run.plan.device
    exact = words.show(drive.capacity_bytes, "whole")
    size = words("story.exactly", bytes=exact, shown=words.show(drive.capacity_bytes, "gb"))
    firmware = words("what.firmware", name=drive.firmware) if drive.firmware else ""
    yield ", ".join(filter(None, (drive.interface, size, firmware)))
    if drive.native_bytes:
        spare = words("header.provisioned_value", size=drive.capacity_bytes, native=drive.native_bytes)
        yield f"{words('header.provisioned')}: {spare}"
    software = f"stend {run.started[0].version}" + ("" if drive.virtual else f", {host.get('fio', 'fio')}")
    known = (str(host.get(key, "")) for key in ("cpu", "kernel", "driver"))
    yield ", ".join(filter(None, (*known, software)))
    yield words.date(run.started[0].at)


def _sure(run: Run, words: Language) -> Iterator[str]:
    """Yield the deviations of the operator, the tests that deviate from PTS or are not steady, and what is certain."""
    yield from (sentence(words.translated(text)) for text in run.plan.deviations[:MOST_DEVIATIONS])
    titles = {test.name: words.title(test.name, test.title) for test in run.plan.tests}
    departed = [titles[name] for name, of in (departures.departures(run) or {}).items() if of]
    if departed:
        spec, section = run.plan.profile.specification, words("page.method")
        yield words("story.departures", n=len(departed), spec=spec, tests=", ".join(departed), section=section)
    elif not run.plan.deviations:
        yield words("story.no_deviation")
    unmet = dict.fromkeys(titles[j.where.test] for j in run.unmet)
    if unmet:
        yield words("story.unmet", tests=", ".join(unmet))
    sought = [(test.name, phase.name) for test in run.plan.tests for phase, _ in look.judged_phases(test)]
    if sought and all((judged := look.last_judged(run, *place)) and judged.steady for place in sought):
        yield words("story.steady")
    yield words("story.method_own")
    yield words("story.one_sample")


def _beside(sides: Sequence[Side], words: Language) -> Iterator[str]:
    for side in sides:
        if side.run:
            yield words("story.measured", name=side.name)
        else:
            yield words("story.published", name=side.name, source=words.translated(side.facts["about"]["source"]))


def _chapters(review: Review, sides: Sequence[Side], facts: Sheet, author: Notes) -> Iterator[Section]:
    """Yield a chapter per question of the run, then one per test of no question, then a table of all drives."""
    run, words = review.run, review.words
    for question in questions():
        if tests := look.tests(run, *question.tests):
            answer = tuple(_answer(question, review))
            drawn = _pictures(question, run, tests, sides, facts, words)
            tables = (table for made in TABLES.get(question.name, ()) if (table := made(sides, words)))
            yield _chapter(
                question.name,
                words(f"question.{question.name}.title"),
                (run, tests, words),
                (*(answer or _found(review, tests)), because(review.findings, question.tests, words)),
                [words(f"question.{question.name}.what")],
                author.get(question.name, ((), ())),
                (*drawn, *tables, *([] if answer else _figures(run, tests, words))),
            )
    asked = {name for question in questions() for name in question.tests}
    for test in look.tests(run):
        if test.name not in asked:
            yield _chapter(
                test.name,
                words.title(test.name, test.title),
                (run, [test], words),
                (*_found(review, [test]), because(review.findings, [test.name], words)),
                (),
                author.get(test.name, ((), ())),
                (*charts.of(run, test, words.name, facts), *_figures(run, [test], words)),
            )
    if table := key_table(sides, words):
        yield Section("beside", words("story.beside"), (table,))


def _found(review: Review, tests: Sequence[PlannedTest]) -> Iterator[str]:
    """Yield the findings of these tests as sentences, except causes."""
    names = {test.name for test in tests}
    yield from (finding_said(f, review.words) for f in review.findings if f.test in names and f.name != "cause")


def _figures(run: Run, tests: Sequence[PlannedTest], words: Language) -> Iterator[Table]:
    """Yield the figures of every workload of these tests."""
    yield from (table for test in tests for table in workloads(run, test, words))


def _chapter(
    anchor: str,
    title: str,
    of: tuple[Run, Sequence[PlannedTest], Language],
    answer: Sequence[str],
    about: Sequence[str],
    author: tuple[Sequence[str], Sequence[Photo]],
    shown: Sequence[Block],
) -> Section:
    """Return a chapter: the warnings of its tests, its answer, its method, the author's words, charts and tables."""
    run, tests, words = of
    stamped = tuple(dict.fromkeys(stamp for test in tests for stamp in charts.stamped(run, test, words)))
    names = ", ".join(f"{words.title(test.name, test.title)} ({clause(test, words)})" for test in tests)
    texts, photos = author
    return Section(
        anchor,
        title,
        (
            *([Stamps(stamped)] if stamped else []),
            *([Text(" ".join(filter(None, answer)), "answer")] if any(answer) else []),
            Text(" ".join((f"{names}.", *about)).strip(), "test"),
            *(Text(text, "author") for text in texts),
            *(photo._replace(alt=title) for photo in photos),
            *shown,
        ),
    )


def _answer(question: Question, review: Review) -> Iterator[str]:
    for answer in question.answers:
        if answer.holds(review.figures):
            yield review.words(f"question.{question.name}.{answer.key}", **review.figures)
    yield from (finding_said(f, review.words) for f in review.findings if f.name in question.findings)


def _pictures(
    question: Question, run: Run, tests: Sequence[PlannedTest], sides: Sequence[Side], facts: Sheet, words: Language
) -> Iterator[Picture]:
    stamped = charts.stamped(run, tests[0], words)
    for name in question.charts:
        yield from picture(name, sides, words, stamped)
    for name, first, count in question.pictures:
        test = next((test for test in tests if name in charts.named(test)), None)
        if test:
            yield from islice(charts.pictures(name, run, test, words.name, facts), first, first + count)


def _closing(review: Review) -> Iterator[Section]:
    """Yield the conclusion: for, against, price and endurance; nothing if the run has no arguments."""
    words, judged = review.words, review.verdict
    fit = [r for use in judged.of(*judgement.FIT, "doubt") for r in use.reasons if r.answer == "pass"]
    unfit = [r for use in judged.of("no", "doubt") for r in use.reasons if r.answer in ("fail", "doubt")]
    lists = (
        ("for", "pro", _reasons(fit, unfit, words)),
        ("against", "con", _reasons(unfit, (), words)),
        ("facts", "", tuple(finding_said(f, words) for f in review.findings if f.name == "value")),
    )
    shown = tuple(
        Items(words(f"story.{key}"), tuple(Item(text, mark) for text in texts)) for key, mark, texts in lists if texts
    )
    if shown:
        yield Section("closing", words("story.closing"), (Pair(shown),))


def _reasons(
    reasons: Sequence[judgement.Reason], without: Sequence[judgement.Reason], words: Language
) -> tuple[str, ...]:
    """Return the weightiest reasons, each figure once, without those that speak against the drive elsewhere."""
    against = {reason.figure for reason in without}
    by_figure: dict[str, judgement.Reason] = {}
    for reason in sorted(reasons, key=lambda r: r.margin if r.answer == "pass" else r.weight, reverse=True):
        if reason.figure not in against and (measured(reason) or reason.figure == "capacity"):
            by_figure.setdefault(reason.figure, reason)
    return tuple(sentence(reason_said(reason, words)) for reason in by_figure.values())[:MOST_CLOSING]
