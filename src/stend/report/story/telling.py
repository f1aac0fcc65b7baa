"""A run as a Story: the questions that its tests answer, in the order of questions.toml."""

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
from stend.report.parts import departures
from stend.report.parts.sheet import photo, sheet
from stend.report.parts.summary import stamps
from stend.report.story import Chapter, Closing, Story
from stend.report.story.notes import notes
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
) -> Story:
    """Return the review of the first of these runs; its charts show the other runs and the rivals next to it."""
    folder, run, host = runs[0]
    words, facts = words or Language(lang), sheet(folder)
    conclusions = tuple(findings.find(run, facts))
    judged = judgement.concluded(run, facts, conclusions)
    review = Review(run, judged.figures, judged, conclusions, judgement.kind(run), words)
    sides = [*_sides(runs), *rivals]
    author = notes(folder)
    best, worst = extremes(review)
    return Story(
        title=run.plan.device.model or run.plan.device.target,
        lang=lang,
        made=words.date(time.time() if made_at is None else made_at),
        what=tuple(_what(run, host, words)),
        verdict=verdict(review),
        uses=tuple(marked(review)),
        figures=tuple(keys(review)),
        best=best,
        worst=worst,
        claims=tuple(claims(review)),
        sure=tuple(_sure(run, words)),
        beside=(*_beside(sides[1:], words), *(finding_said(f, words) for f in conclusions if f.name == "peers")),
        stamps=stamps(run, words),
        photo=photo(folder, facts),
        chapters=tuple(_chapters(review, sides, facts, author)),
        closing=_closing(review, facts),
        words=words,
        notes=author.get("", ((), ()))[0],
    )


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
    yield from (sentence(words.translated(text)) for text in run.plan.deviations[:MOST_DEVIATIONS])
    departed = [f"{tests}: {text}." for tests, text in departures.departure_rows(run, words)]
    yield from departed
    if not run.plan.deviations and not departed:
        yield words("story.no_deviation")
    titles = {test.name: words.title(test.name, test.title) for test in run.plan.tests}
    unmet = dict.fromkeys(titles[j.where.test] for j in run.unmet)
    if unmet:
        yield words("story.unmet", tests=", ".join(unmet))
    elif any(look.judged_phases(test) for test in run.plan.tests):
        yield words("story.steady")
    yield words("story.method_own")
    yield words("story.one_sample")
    texts = dict.fromkeys(sentence(_titled(words.translated(note.text), run, words)) for note in run.notes)
    yield from islice(texts, MOST_NOTES)


def _titled(text: str, run: Run, words: Language) -> str:
    """Return a note with tests by their titles: `idle-recovery` is a code."""
    for test in run.plan.tests:
        if "-" in test.name:
            text = text.replace(test.name, words.title(test.name, test.title))
    return text


def _beside(sides: Sequence[Side], words: Language) -> Iterator[str]:
    for side in sides:
        if side.run:
            yield words("story.measured", name=side.name)
        else:
            yield words("story.published", name=side.name, source=words.translated(side.facts["about"]["source"]))


def _chapters(review: Review, sides: Sequence[Side], facts: Sheet, author: Mapping[str, Any]) -> Iterator[Chapter]:
    run, words = review.run, review.words
    for question in questions():
        tests = look.tests(run, *question.tests)
        if not tests:
            continue
        drawn = tuple(_pictures(question, run, tests, sides, facts, words))
        texts, photos = author.get(question.name, ((), ()))
        tables = tuple(table for made in TABLES.get(question.name, ()) if (table := made(sides, words)))
        yield Chapter(
            question.name,
            words(f"question.{question.name}.title"),
            tuple(_answer(question, review)),
            words(f"question.{question.name}.what"),
            words(f"question.{question.name}.why"),
            drawn,
            tables,
            tuple(dict.fromkeys(stamp for test in tests for stamp in charts.stamped(run, test, words))),
            texts,
            photos,
        )
    table = key_table(sides, words)
    if table:
        title = words("story.beside")
        yield Chapter("beside", title, (), "", "", (), (table,), (), (), ())


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


def _closing(review: Review, facts: Sheet) -> Closing:
    words, judged = review.words, review.verdict
    fit = [r for use in judged.of(*judgement.FIT, "doubt") for r in use.reasons if r.answer == "pass"]
    unfit = [r for use in judged.of("no", "doubt") for r in use.reasons if r.answer in ("fail", "doubt")]
    money = tuple(finding_said(f, words) for f in review.findings if f.name == "value")
    lists = (
        ("for", "pro", _reasons(fit, unfit, words)),
        ("against", "con", _reasons(unfit, (), words)),
        ("whom", "", _titles(judged.of("yes"), words)),
        ("whom_performance", "", _titles(judged.of("performance"), words)),
        ("whom_not", "", _titles(judged.of("no"), words)),
        ("facts", "", money),
    )
    return Closing(
        words("story.closing"),
        tuple((words(f"story.{key}"), side, texts) for key, side, texts in lists if texts),
    )


def _titles(uses: Sequence[judgement.Judged], words: Language) -> tuple[str, ...]:
    return tuple(sentence(words(f"use_title.{use.use}")) for use in uses)


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
