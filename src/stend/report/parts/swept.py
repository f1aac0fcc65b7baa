"""A Study of a sweep -> a Document: what drives what, interactions, the best designs, every figure's spread."""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any

from stend.base.version import __version__
from stend.charts.parts.figures import figure_name
from stend.charts.swept import pictures
from stend.charts.swept.named import parameter
from stend.many.compare.differences import Figure
from stend.many.sweep.design import Range
from stend.many.sweep.sensitivity import Effects, Share
from stend.many.sweep.study import Study
from stend.many.sweep.wish import Subject, Wish
from stend.report.parts import Document, Section, Table, written
from stend.words import Language

FORMAT = 1
MOST_BEST = 10
MOST_SAID = 6
"""Figures at a glance; the table has all."""
MOST_PARTS = 3
MATTERS = 0.01
"""Smaller shares of interactions are not listed."""
WEAK = 0.8
"""Where less than this is explained, more drives are asked for."""


def swept(study: Study, lang: str, *, drawn: bool = True) -> Document:
    """Everything that the sweep says, in a language; without its pictures where they are not `drawn`."""
    words = Language(lang)
    return written.document("sweep", study.results.design.title, words, _sections(study, words, drawn=drawn))


def _sections(study: Study, words: Language, *, drawn: bool) -> Iterator[Section]:
    yield Section("summary", words("swept.summary"), (*_counts(study, words), *_said(study, words)))
    if study.wish:
        yield _best(study, study.wish, words)
    if drawn:
        stamps = [words("swept.virtual")] + [words("swept.quick")] * study.results.design.written.quick
        yield Section("charts", words("swept.pictures"), pictures=tuple(pictures(study, words, stamps)))
    yield _sensitivity(study, words)
    yield Section("figures", words("swept.figures"), tables=(_figures(study, words),))
    yield Section("parameters", words("swept.parameters"), tables=(_parameters(study, words),))
    if study.results.failed:
        yield Section("failed", words("swept.failed_title"), tables=(_failed(study, words),))


def _counts(study: Study, words: Language) -> Iterator[str]:
    results, own = study.results, study.results.design.written
    done, of = len(results.drives) + len(results.failed), len(results.design.points())
    yield words(
        "swept.counts",
        n=done,
        target=own.target,
        tests=", ".join(words.title(name, name) for name in own.tests),
        design=words("swept.hypercube" if own.drives else "swept.grid"),
        k=len(results.design.parameters),
    )
    yield words("swept.virtual")
    unsteady = sum(line["outcome"] == "not steady" for line in results.drives)
    for key, count in (("unfinished", of - done), ("failed", len(results.failed)), ("unsteady", unsteady)):
        if count:
            yield words(f"swept.{key}", n=count)


def _said(study: Study, words: Language) -> Iterator[str]:
    """What drives each figure most, as sentences."""
    for figure, own in list(study.effects.items())[:MOST_SAID]:
        name = figure_name(figure, words)
        if own.why:
            yield words(f"swept.{own.why}", figure=name, n=own.drives, deviation=own.deviation)
            continue
        parts = [words("swept.part", name=p, share=own.first[p].value) for p in _largest(own)]
        told = ", ".join(parts) or words("table.none")
        pair = max(own.pairs, key=lambda pair: own.pairs[pair].value) if own.pairs else None
        if pair and own.pairs[pair].value > 5 * MATTERS:
            told = words("swept.with_pair", told=told, a=pair[0], b=pair[1], share=own.pairs[pair].value)
        if own.explained < WEAK:
            told = words("swept.weak", told=told, explained=own.explained)
        yield words("swept.drives_most", figure=name, told=told)
    if study.more:
        yield words("swept.more", n=study.more)


def _largest(own: Effects) -> list[str]:
    names = sorted(own.first, key=lambda name: -own.first[name].value)
    return [name for name in names if own.first[name].value > MATTERS][:MOST_PARTS]


def _best(study: Study, wish: Wish, words: Language) -> Section:
    results, own = study.results, study.results.design.written
    texts = [words("swept.wished_most" if wish.most else "swept.wished_least", best=_subject(wish.subject, words))]
    if wish.bounds:
        texts[0] += " " + words("swept.holds", bounds="; ".join(bound.text for bound in wish.bounds))
    of = len(results.drives)
    if not study.allowed:
        return Section("best", words("swept.best_designs"), (*texts, words("swept.none_allowed", of=of)))
    texts.append(words("swept.allowed", n=len(study.allowed), of=of))
    asked = [wish.subject, *(bound.subject for bound in wish.bounds)]
    figures = list(dict.fromkeys(one for subject in asked for one in subject.figures))
    names = list(results.design.parameters)
    shown_best = study.allowed[:MOST_BEST]
    rows = tuple(
        (str(results.drives[i]["drive"]), *(parameter(results.values[i][name], words) for name in names),
         *(words.quantity(results.column(one)[i], one.quantity) for one in figures))
        for i in shown_best
    )  # fmt: skip
    head = (words("swept.drive"), *names, *(figure_name(one, words) for one in figures))
    first = results.drives[study.allowed[0]].get("target", own.target)
    note = words("swept.best_note", tests=" ".join(own.tests), target=first)
    title = words("swept.best_table", n=len(shown_best))
    table = Table(title, head, rows, tuple(range(1, len(head))), note, marks=(0,))
    return Section("best", words("swept.best_designs"), tuple(texts), (table,))


def _subject(subject: Subject, words: Language) -> str:
    return subject.parameter or figure_name(subject.figures[0], words)


def _sensitivity(study: Study, words: Language) -> Section:
    told = {figure: own for figure, own in study.effects.items() if not own.why}
    kinds = (words("swept.first"), words("swept.total"))
    head = (words("swept.figure"), words("swept.parameter"), *kinds, words("swept.explained"))
    rows = tuple(
        (figure_name(figure, words), name, _share(own.first[name], words), _share(own.total[name], words),
         words.show(own.explained, "pct"))
        for figure, own in told.items()
        for name in own.order
    )  # fmt: skip
    tables = [Table(words("swept.effects_table"), head, rows, (2, 3, 4))]
    pairs = tuple(
        (figure_name(figure, words), " × ".join(pair), _share(share, words))
        for figure, own in told.items()
        for pair, share in sorted(own.pairs.items(), key=lambda item: -item[1].value)
        if share.value > MATTERS
    )
    if pairs:
        columns = (words("swept.figure"), words("swept.pair"), words("swept.tip_text"))
        tables.append(Table(words("swept.pairs_table"), columns, pairs, (2,)))
    texts = (words("swept.method"), *(() if pairs else (words("swept.no_pairs"),)))
    return Section("sensitivity", words("swept.sensitivity"), texts, tuple(tables))


def _share(share: Share, words: Language) -> str:
    return words("swept.share_text", share=share.value, low=share.low, high=share.high)


def _figures(study: Study, words: Language) -> Table:
    head = tuple(words(f"swept.{key}") for key in ("figure", "count", "lowest", "middle", "highest"))
    rows = []
    for figure in study.effects:
        own = [value for value in study.results.column(figure) if value is not None]
        ends = (words.quantity(value, figure.quantity) for value in (min(own), median(own), max(own)))
        rows.append((figure_name(figure, words), str(len(own)), *ends))
    return Table(words("swept.figures_table"), head, tuple(rows), (1, 2, 3, 4))


def _parameters(study: Study, words: Language) -> Table:
    rows = []
    for name, own in study.results.design.parameters.items():
        if isinstance(own, Range):
            told = words("swept.from_to", low=parameter(own.low, words), high=parameter(own.high, words))
            rows.append((name, words("swept.by_ratio", told=told) if own.log else told))
        else:
            rows.append((name, ", ".join(parameter(value, words) for value in own)))
    return Table(words("swept.parameters_table"), (words("swept.parameter"), words("swept.values")), tuple(rows))


def _failed(study: Study, words: Language) -> Table:
    told = Counter[str](words.translated(line["reason"]) for line in study.results.failed)
    rows = tuple((reason, str(count)) for reason, count in told.most_common())
    return Table(words("swept.failed_table"), (words("swept.reason"), words("swept.count")), rows, (1,))


def plain(study: Study) -> dict[str, Any]:
    """The same as plain data in base units; shares are of 1."""
    results, wish = study.results, study.wish
    own = results.design.written
    return {
        "format": FORMAT,
        "stend": __version__,
        "title": results.design.title,
        "target": own.target,
        "tests": own.tests,
        "drives": len(results.drives),
        "failed": [{"drive": line["drive"], "reason": line["reason"]} for line in results.failed],
        "parameters": list(results.design.parameters),
        "figures": [_effects(figure, one) for figure, one in study.effects.items()],
        "best": {"wish": wish.text, "where": [bound.text for bound in wish.bounds], "most": wish.most,
                 "drives": _drives(study)} if wish else None,
    }  # fmt: skip


def _effects(figure: Figure, own: Effects) -> dict[str, Any]:
    shares = {"first": own.first, "total": own.total}
    told = {kind: {name: share._asdict() for name, share in of.items()} for kind, of in shares.items()}
    pairs = [{"of": pair, **share._asdict()} for pair, share in own.pairs.items()]
    place = {"key": figure.key._asdict(), "quantity": figure.quantity, "drives": own.drives}
    return place | {"deviation": own.deviation, "explained": own.explained, "why": own.why, **told, "pairs": pairs}


def _drives(study: Study) -> list[dict[str, Any]]:
    own = [(study.results.drives[i], study.results.values[i]) for i in study.allowed]
    return [{"drive": line["drive"], "target": line["target"], "values": values} for line, values in own]


def write(study: Study, forms: Sequence[str], lang: str, into: Path) -> list[Path]:
    """`sweep.html` and so on; unknown formats are refused before any is written."""
    return written.write("sweep", forms, lang, into, lambda: swept(study, lang), lambda: plain(study))
