"""The review of a run as a Page: the questions that its tests answer, in the order of questions.toml."""

import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

from stend import charts, findings
from stend.charts import Picture
from stend.charts.beside import Side, picture
from stend.findings import Sheet, judgement, look
from stend.findings.look import inspected
from stend.model.definition import PlannedTest
from stend.model.record import Run
from stend.report.parts import Block, Item, Items, Keys, Page, Pair, Photo, Section, Stamps, Table, Text, Uses
from stend.report.parts.compare import labels, titled
from stend.report.parts.header import software
from stend.report.parts.method import conditions, method_section
from stend.report.parts.sheet import photo, sheet
from stend.report.parts.summary import stamps
from stend.report.parts.tables import workloads
from stend.report.story import together
from stend.report.story.alike import alike
from stend.report.story.because import because
from stend.report.story.certainty import certainty
from stend.report.story.closing import closing, unprotected
from stend.report.story.demands import demands
from stend.report.story.drives import about_drive
from stend.report.story.methods import joined, of_all
from stend.report.story.notes import Notes, notes
from stend.report.story.page_one import Review, after, claims, extremes, keys, marked, sentence, shown
from stend.report.story.questions import Question, questions
from stend.report.story.rivals import Rival, in_words, originals, published_rival, reference
from stend.report.story.tables import Measured, chapter_tables, key_table, once, tables_of
from stend.report.story.uses_together import MOST_DRAWN
from stend.report.story.verdict import verdict
from stend.sentences import finding_said, findings_said
from stend.words import Language

Runs = Sequence[tuple[Path | None, Run, dict[str, Any]]]
Rivals = Sequence[Side] | None
Reviews = Mapping[str, Review]
"""Reviews by the name of their drive."""
MOST_ANSWERS = 2
"""Sentences of each drive that a chapter of several drives begins with."""


def story(runs: Runs, rivals: Rivals, lang: str, words: Language | None = None, names: Sequence[str] = ()) -> Page:
    """Return the review of a run next to the rivals, or of several runs, which page one compares.

    Without `rivals` they are the published drives of the class. `names` replace the models of the first runs.
    """
    words, (folder, _, _) = words or Language(lang), runs[0]
    measured = [run for _, run, _ in runs]
    drives = labels(measured, names, words)
    published = in_words(reference(measured) if rivals is None else rivals, words)
    sides = [*map(Side, drives, measured), *published]
    others, author = tuple(map(published_rival, published)), notes(folder)
    every = [reviewed(run, sheet(place), words, others) for place, run, _ in runs]
    reviews, several = alike(dict(zip(drives, every, strict=True))), len(runs) > 1
    named = reviews if several else {"": every[0]}
    kept = together.weakest(reviews) if len(runs) > MOST_DRAWN else drives
    chapters = tuple(_chapters(named, [side for side in sides if not side.run or side.name in kept], author))
    compared = [*sides[: len(runs)], *originals(measured, published, words), *published]
    if table := key_table(compared, words, {name: own.figures for name, own in reviews.items()}):
        chapters += (Section("beside", words("story.side_by_side"), (table,)),)
    simulated = all(run.plan.device.virtual for run in measured)
    return Page(
        title=titled(measured, drives, words) + (words("story.models", n=len(runs)) if simulated else ""),
        lang=lang,
        made=words.date(time.time()),
        words=words,
        lead=Section(
            "verdict",
            together.headline(reviews, words) if several else headline(every[0], brief=True),
            tuple(_lead(reviews, runs, list(_shown(compared, chapters, every)), author)),
        ),
        sections=(*chapters, *closing(named), _methods(named, runs, words)),
        small=True,
        foot=words("story.protocol"),
    )


def reviewed(run: Run, facts: Sheet, words: Language, rivals: tuple[Rival, ...] = ()) -> Review:
    """Return the findings, figures and verdict of a run, from which its pages are written."""
    conclusions = tuple(findings.find(run, facts))
    judged = judgement.concluded(run, facts, conclusions)
    beside = tuple(rival.beside(run) for rival in rivals)
    return Review(run, judged.figures, judged, conclusions, judgement.kind(run), words, beside, facts)


def _methods(reviews: Reviews, runs: Runs, words: Language) -> Section:
    """Return the method of the runs. A run alone has no name."""
    hosts = zip(reviews.items(), runs, strict=True)
    own = {name: method_section(run, host, review.facts, words) for (name, review), (_, run, host) in hosts}
    section = joined(own, words) if len(own) > 1 else next(iter(own.values()))
    return section._replace(blocks=(*section.blocks, *demands(reviews, words)))


def headline(review: Review, *, brief: bool = False) -> str:
    """Return the verdict, brief if the uses stand below it; if the run carries none, the first answer to its own
    questions. The verdict of an inspection comes first.
    """
    inspection = next((f for f in review.findings if f.name == inspected.VERDICT), None)
    if inspection:
        return finding_said(inspection, review.words)
    none = review.words("story.verdict_none")
    if (said := verdict(review, brief=brief)) != none:
        return said
    asked = ((question, look.tests(review.run, *question.tests)) for question in questions())
    answers = (
        next(_answer(question, review), "") or next(_found(review, tests), "") for question, tests in asked if tests
    )
    known = filter(None, chain(answers, _found(review, look.tests(review.run))))
    return sentence(next(known, none))


def _lead(reviews: Reviews, runs: Runs, sides: Sequence[Side], author: Notes) -> Iterator[Block]:
    """Yield page one: the drives, warnings, uses and key figures or what each drive is better at, what to know."""
    review, words = next((review, review.words) for review in reviews.values())
    (folder, run, host), several = runs[0], len(runs) > 1
    about = together.drives(reviews, words) if several else _what(run, host, words)
    yield from (Text(text, "what") for text in about)
    yield Stamps(tuple(of_all({name: stamps(own.run, words, listed=True) for name, own in reviews.items()})))
    shown = None if several else photo(folder, review.facts)
    yield from [shown._replace(alt=run.plan.device.model)] if shown else []
    yield from (Text(text, "author") for text in author.get("", ((), ()))[0])
    said = "" if several else headline(review, brief=True)
    judged = together.tables(reviews, words) if several else tuple(_judged(review, said))
    yield from judged
    stated = " ".join((said, *(use.why for block in judged if isinstance(block, Uses) for use in block.uses)))
    peers = (f for f in review.findings if f.name == "peers" and not several)
    best, worst = ("", "") if several else (_unstated(text, stated) for text in extremes(review))
    told = {name: _unstated(unprotected(own), stated) for name, own in reviews.items()}
    risks = of_all({name: [text] if text else [] for name, text in told.items()})
    lists = (
        ("best", [Item(best, "pro")] if best else []),
        ("worst", [Item(text, "con") for text in (*filter(None, [worst]), *risks)]),
        ("claims", [] if several else [Item(text, mark, name) for name, mark, text in claims(review)]),
        ("deviates", [Item(t) for t in of_all({name: list(certainty(own)) for name, own in reviews.items()})]),
        ("beside", [Item(text) for text in (*_beside(sides, words), *(finding_said(f, words) for f in peers))]),
    )
    yield Pair(tuple(Items(words(f"story.{key}"), tuple(items)) for key, items in lists if items))


def _unstated(text: str, stated: str) -> str:
    """Return a sentence, or "" if the text above has it as a clause."""
    return "" if text[1:].rstrip(".") in stated else text


def _judged(review: Review, said: str) -> Iterator[Block]:
    """Yield the uses, below a headline, and the key figures of one run."""
    words, uses = review.words, tuple(marked(review, said))
    if any(use.mark != "unknown" for use in uses):
        yield Uses(words("story.uses"), uses)
    if figures := tuple(keys(review)):
        note = words("story.band_note") if any(key.band for key in figures) else ""
        yield Keys(words("story.figures"), figures, note)


def _what(run: Run, host: dict[str, Any], words: Language) -> Iterator[str]:
    drive = run.plan.device
    exact = words.show(drive.capacity_bytes, "whole")
    size = words("story.exactly", bytes=exact, shown=words.show(drive.capacity_bytes, "gb"))
    yield about_drive(drive, size, words)
    if drive.native_bytes:
        spare = words("header.provisioned_value", size=drive.capacity_bytes, native=drive.native_bytes)
        yield f"{words('header.provisioned')}: {spare}"
    known = (str(host.get(key, "")) for key in ("cpu", "kernel", "driver"))
    yield ", ".join(filter(None, (*known, software(run, host))))
    yield words.date(run.started[0].at)


def _shown(sides: Sequence[Side], chapters: Sequence[Section], reviews: Sequence[Review]) -> Iterator[Side]:
    """Yield the runs, and the published drives that a chart, a table or a scale of the page shows."""
    blocks = [block for chapter in chapters for block in chapter.blocks]
    sets = (rows for block in blocks if isinstance(block, Picture) for rows in block.spec["datasets"].values())
    drawn = {str(row.get("drive")) for rows in sets for row in rows}
    drawn |= {cell for block in blocks if isinstance(block, Table) for cell in block.head}
    for own in reviews if len(reviews) == 1 else ():  # a page of several drives has no scales
        drawn |= {r.name for r in own.rivals if any(r.figures.get(name) for name in shown(own))}
    yield from (side for side in sides if side.run or side.name in drawn)


def _beside(sides: Sequence[Side], words: Language) -> Iterator[str]:
    for side in (side for side in sides if not side.run):
        yield words("story.published", name=side.name, source=words.source(side.facts["about"]["source"]))


def _chapters(reviews: Reviews, sides: Sequence[Side], author: Notes) -> Iterator[Section]:
    """Yield a chapter per question of the runs, then one per test of no question, then a table of all drives."""
    words = next(iter(reviews.values())).words
    for question in questions():
        if of := _measured(reviews, question.tests):
            answers = _apart({name: tuple(_answer(question, review)) for name, (review, _) in of.items()})
            yield _chapter(
                question.name,
                together.question_title(question.name, list(reviews.values()), words),
                (of, answers, question.tests),
                [question.described({_kind(test) for _, tests in of.values() for test in tests}, words)],
                author.get(question.name, ((), ())),
                (*_pictures(question, of, sides), *once(chapter_tables(question, of, answers, sides, words), of)),
            )
    asked = {name for question in questions() for name in question.tests}
    titles = {t.name: words.title(t.name, t.title) for review in reviews.values() for t in look.tests(review.run)}
    for test in (name for name in titles if name not in asked):
        of = _measured(reviews, [test])
        yield _chapter(
            test,
            titles[test],
            (of, {}, [test]),
            (),
            author.get(test, ((), ())),
            (*_charts(of), *once(tables_of(of, workloads), of)),
        )


def _kind(test: PlannedTest) -> str:
    """Return the name of a test, of an inspection with `-whole` if it reads every block instead of a sample."""
    whole = any(hold.workload.survey and not hold.workload.survey.reads for hold in test.holds)
    return f"{test.name}-whole" if whole else test.name


def _measured(reviews: Reviews, tests: Sequence[str]) -> Measured:
    """Return the reviews whose runs have any of these tests, with these tests."""
    every = {name: (review, look.tests(review.run, *tests)) for name, review in reviews.items()}
    return {name: (review, of) for name, (review, of) in every.items() if of}


def _charts(of: Measured) -> Iterator[Picture]:
    for name, (review, tests) in of.items():
        for test in tests:
            for drawn in charts.of(review.run, test, review.words.name, review.facts):
                yield _of_drive(drawn, name)


def _of_drive(drawn: Picture, name: str) -> Picture:
    """Return a chart with the name of its drive in the title."""
    if not name:
        return drawn
    title = f"{name}: {drawn.title}"
    return drawn._replace(title=title, spec=drawn.spec | {"title": drawn.spec["title"] | {"text": title}})


def _found(review: Review, tests: Sequence[PlannedTest]) -> Iterator[str]:
    """Yield the findings of these tests as sentences, except causes, and unknowns only of tests without others."""
    names = {test.name for test in tests}
    found = [f for f in review.findings if f.test in names and f.name not in ("cause", inspected.VERDICT)]
    known = {f.test for f in found if f.confidence != "can't tell"}
    yield from findings_said([f for f in found if f.confidence != "can't tell" or f.test not in known], review.words)


def _chapter(
    anchor: str,
    title: str,
    answered: tuple[Measured, Mapping[str, Sequence[str]], Sequence[str]],
    about: Sequence[str],
    author: tuple[Sequence[str], Sequence[Photo]],
    shown: Sequence[Block],
) -> Section:
    """Return a chapter: the warnings of its tests, its answer, its method, the author's words, charts and tables."""
    of, answers, asked = answered
    pairs = [(review, test) for review, tests in of.values() for test in tests]
    stamped = tuple(_stamped(of))
    names = dict.fromkeys(f"{r.words.title(t.name, t.title)} ({conditions(r.run, t, r.words)})" for r, t in pairs)
    texts, photos = author
    return Section(
        anchor,
        title,
        (
            *([Stamps(stamped)] if stamped else []),
            *_answers(of, answers, asked),
            Text(" ".join((f"{', '.join(names)}.", *about)).strip(), "test"),
            *(Text(text, "author") for text in texts),
            *(photo._replace(alt=title) for photo in photos),
            *shown,
        ),
    )


def _stamped(of: Measured) -> list[str]:
    """Return the stamps of the tests of a chapter as one line, or nothing; those of some drives after their names."""
    stamps_of = {
        name: list(dict.fromkeys(text for test in tests for text in charts.stamps(review.run, test, review.words)))
        for name, (review, tests) in of.items()
    }
    return charts.joined(of_all(stamps_of))


def _answers(of: Measured, answers: Mapping[str, Sequence[str]], asked: Sequence[str]) -> Iterator[Text]:
    """Yield the answer and the cause of one run; of several runs two sentences of each, after the name of the drive.

    Without an answer the findings of the tests take its place, one paragraph each.
    """
    causes: dict[str, list[str]] = {}
    of_drives: dict[str, list[str]] = {}
    for name, (review, tests) in of.items():
        found = [] if answers.get(name) else [sentence(text) for text in _found(review, tests)]
        if name:
            first = (answers.get(name) or found)[:MOST_ANSWERS]
            of_drives[name] = [" ".join(first)] if first else []
        else:
            yield from [Text(" ".join(answers[name]), "answer")] if answers.get(name) else []
            yield from (Text(text, "finding") for text in found)
        causes[name] = [text] if (text := because(review.findings, asked, review.words)) else []
    first_review, _ = next(iter(of.values()))
    every = first_review.words(together.of_every({name: review for name, (review, _) in of.items()}))
    for texts, role in ((of_drives, "answer"), (causes, "cause")):
        shared = len(of) > 1 and len({tuple(own) for own in texts.values()}) == 1
        yield from (Text(after(every, text) if shared else text, role) for text in of_all(texts))


def _apart(answers: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Return the answers of several drives without sentences that are equal for all, but the first of each drive.

    Others refer to the first one.
    """
    common = set.intersection(*map(set, answers.values())) if len(answers) > 1 else set()
    return {name: tuple(t for n, t in enumerate(own) if not n or t not in common) for name, own in answers.items()}


def _answer(question: Question, review: Review, test: str = "") -> Iterator[str]:
    """Yield the sentences that answer a question, or those of them with a figure of this test."""
    tests = review.verdict.known.tests
    for answer in question.answers:
        if answer.holds(review.figures) and (not test or test in map(tests.get, answer.needs)):
            yield review.words(f"question.{question.name}.{answer.key}", **review.figures)
    found = [f for f in review.findings if f.name in question.findings and test in ("", f.test)]
    yield from findings_said(found, review.words)


def first_answer(review: Review, test: PlannedTest) -> str:
    """Return the first sentence of the report that answers what a test measures, or "" without one."""
    answers = (_answer(question, review, test.name) for question in questions() if test.name in question.tests)
    others = review._replace(findings=tuple(f for f in review.findings if f.name != "steady_state"))
    return sentence(next(chain(*answers, _found(others, [test])), ""))


def _pictures(question: Question, of: Measured, sides: Sequence[Side]) -> Iterator[Picture]:
    """Yield charts of all drives, then those of one drive; with several runs the latter only if there are no others."""
    first, _ = next(iter(of.values()))
    ran = {test.name for _, tests in of.values() for test in tests}
    names = [name for name in question.charts if question.needs.get(name) in (None, *ran)]
    shared = [drawn for name in names for drawn in picture(name, sides, first.words, _stamped(of))]
    yield from shared
    for drive, (review, tests) in of.items():
        for name, start, count in () if drive and shared else question.pictures:
            having = [test for test in tests if name in charts.named(test)]
            chosen = having if name in question.each else having[:1]
            for test in chosen:
                drawn = charts.pictures(name, review.run, test, review.words.name, review.facts)
                titles = (drive, review.words.title(test.name, test.title) if len(chosen) > 1 else "")
                which = ", ".join(filter(None, titles))
                yield from (_of_drive(one, which) for one in islice(drawn, start, start + count))
