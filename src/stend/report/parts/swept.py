"""A Study of a sweep as a Page: effects of parameters, interactions, best designs, every figure's spread."""

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median
from typing import Any, TypeVar

from stend.base.version import __version__
from stend.charts.parts.figures import figure_name
from stend.charts.swept import pictures
from stend.charts.swept.named import parameter, subject_name
from stend.many.compare.differences import Figure
from stend.many.sweep.design import Range
from stend.many.sweep.sensitivity import Effects, Share
from stend.many.sweep.study import Study
from stend.many.sweep.wish import Wish
from stend.model.quantities import shape
from stend.report.parts import Page, Section, Stamps, Table, written
from stend.words import Language, sentence

FORMAT = 1
MOST_BEST = 10
MOST_SAID = 6
"""Figures in the summary. The table has all."""
MOST_PARTS = 3
MATTERS = 0.01
"""Smaller shares are not listed. A share is in the summary only if the lower end of its interval is also above 0."""
WEAK = 0.8
"""If less than this share is explained, the text recommends more drives."""
Name = TypeVar("Name", str, tuple[str, str])


def swept(study: Study, lang: str, *, drawn: bool = True) -> Page:
    """Return the page of a sweep in a language, without pictures unless `drawn`."""
    words = Language(lang)
    page = written.page("sweep", study.results.design.title, words, _sections(study, words, drawn=drawn))
    return page._replace(small=True)


def _sections(study: Study, words: Language, *, drawn: bool) -> Iterator[Section]:
    stamps = [words("swept.virtual")] + [words("swept.quick")] * study.results.design.written.quick
    glance = Section.of("summary", words("swept.summary"), (*_counts(study, words), *_effect_sentences(study, words)))
    yield glance._replace(blocks=(Stamps(tuple(stamps)), *glance.blocks))
    if study.wish:
        yield _best(study, study.wish, words)
    if drawn:
        yield Section.of("charts", words("swept.pictures"), pictures=tuple(pictures(study, words, stamps)))
    yield _sensitivity(study, words)
    yield Section.of("figures", words("swept.figures"), tables=(_figures(study, words),))
    yield Section.of("parameters", words("swept.parameters"), tables=(_parameters(study, words),))
    if study.results.failed:
        yield Section.of("failed", words("swept.failed_title"), tables=(_failed(study, words),))


def _counts(study: Study, words: Language) -> Iterator[str]:
    results, design = study.results, study.results.design.written
    done, of = len(results.drives) + len(results.failed), len(results.design.points())
    yield words(
        "swept.counts",
        n=done,
        target=design.target,
        tests=", ".join(words.title(name, name) for name in design.tests),
        design=words("swept.hypercube" if design.drives else "swept.grid"),
        k=len(results.design.parameters),
    )
    unsteady = sum(line["outcome"] == "not steady" for line in results.drives)
    for key, count in (("unfinished", of - done), ("failed", len(results.failed)), ("unsteady", unsteady)):
        if count:
            yield words(f"swept.{key}", n=count)


def _effect_sentences(study: Study, words: Language) -> Iterator[str]:
    """Yield sentences about the largest effects on each figure."""
    for figure, effects in list(study.effects.items())[:MOST_SAID]:
        name = figure_name(figure, words)
        if effects.why:
            yield words(f"swept.{effects.why}", figure=name, n=effects.drives, deviation=effects.deviation)
            continue
        parts_text = _parts_text(effects, words)
        if not parts_text:
            yield words("swept.not_shown", figure=name, n=effects.drives, deviation=effects.deviation)
            continue
        if effects.explained < WEAK:
            parts_text = words("swept.weak", told=parts_text, explained=effects.explained)
        yield words("swept.drives_most", figure=name, told=parts_text)
    if study.more:
        yield words("swept.more", n=study.more)


def _parts_text(effects: Effects, words: Language) -> str:
    """Return the largest effects on a figure, or an empty string if no parameter is shown to affect it."""
    names = _shown(effects.first)[:MOST_PARTS]
    parts = ", ".join(words("swept.part", name=name, share=effects.first[name].value) for name in names)
    for a, b in _shown(effects.pairs)[:1]:
        share = effects.pairs[a, b].value
        if not parts:
            return words("swept.pair_alone", a=a, b=b, share=share)
        if share > 5 * MATTERS:
            return words("swept.with_pair", told=parts, a=a, b=b, share=share)
    return parts


def _shown(shares: dict[Name, Share]) -> list[Name]:
    """Return the names of the shares that are not explained by chance, the largest share first."""
    names = sorted(shares, key=lambda name: -shares[name].value)
    return [name for name in names if shares[name].value > MATTERS and shares[name].low > 0]


def _best(study: Study, wish: Wish, words: Language) -> Section:
    results, design = study.results, study.results.design.written
    texts = [words("swept.wished_most" if wish.most else "swept.wished_least", best=subject_name(wish.subject, words))]
    if wish.bounds:
        texts[0] += " " + words("swept.holds", bounds="; ".join(bound.text for bound in wish.bounds))
    of = len(results.drives)
    if not study.allowed:
        return Section.of("best", words("swept.best_designs"), (*texts, words("swept.none_allowed", of=of)))
    if wish.bounds:
        texts.append(words("swept.allowed", n=len(study.allowed), of=of))
    subjects = [wish.subject, *(bound.subject for bound in wish.bounds)]
    figures = list(dict.fromkeys(figure for subject in subjects for figure in subject.figures))
    names = list(results.design.parameters)
    shown_best = study.allowed[:MOST_BEST]
    rows = tuple(
        (str(results.drives[i]["drive"]), *(parameter(results.values[i][name], words) for name in names),
         *(words.show(results.column(figure)[i], shape(figure.quantity)) for figure in figures))
        for i in shown_best
    )  # fmt: skip
    short = {figure: words.quantity(figure.quantity) for figure in figures}
    distinct = len(set(short.values())) == len(figures)
    head = (words("swept.drive"), *names, *(short[f] if distinct else figure_name(f, words) for f in figures))
    first = results.drives[study.allowed[0]].get("target", design.target)
    options = ["--quick"] * design.quick + ([f"--profile {shlex.quote(design.profile)}"] if design.profile else [])
    note = words("swept.best_note", tests=" ".join([*design.tests, *options]), target=first)
    title = words("swept.best_table", n=len(shown_best))
    table = Table(title, head, rows, tuple(range(1, len(head))), note, marks=(0,))
    return Section.of("best", words("swept.best_designs"), tuple(texts), (table,))


def _sensitivity(study: Study, words: Language) -> Section:
    known = {figure: effects for figure, effects in study.effects.items() if not effects.why}
    kinds = (words("swept.first"), words("swept.total"))
    head = (words("swept.parameter"), *kinds)
    tables = []
    for figure, effects in known.items():
        rows = ((n, *(_share(of[n], words) for of in (effects.first, effects.total))) for n in effects.order)
        note = words("swept.explained", share=effects.explained)
        if not _parts_text(effects, words):
            note += " " + words("swept.not_shown_note")
        tables.append(Table(figure_name(figure, words), head, tuple(rows), (1, 2), note))
    pairs = tuple(
        (figure_name(figure, words), " × ".join(pair), _share(share, words))
        for figure, effects in known.items()
        for pair, share in sorted(effects.pairs.items(), key=lambda item: -item[1].value)
        if share.value > MATTERS
    )
    if pairs:
        columns = (words("swept.figure"), words("swept.pair"), words("swept.tip_text"))
        tables.append(Table(words("swept.pairs_table"), columns, pairs, (2,)))
    texts = (words("swept.method"), *_on_pairs(study, words, listed=bool(pairs)))
    return Section.of("sensitivity", words("swept.sensitivity"), texts, tuple(tables))


def _on_pairs(study: Study, words: Language, *, listed: bool) -> Iterator[str]:
    """Yield what the drives show about interactions, unless the only text needed is the table of `listed` pairs."""
    varying = [effects for effects in study.effects.values() if effects.why != "flat"]
    if len(study.results.design.parameters) < 2 or not varying:
        return
    missing = sum(not effects.pairs for effects in varying)
    if missing == len(varying):
        yield words("swept.pairs_unexamined")
    elif missing:
        yield words("swept.pairs_partly", n=missing, of=len(varying))
    elif not listed:
        highest = max(share.high for effects in varying for share in effects.pairs.values())
        yield words("swept.no_pairs" if highest <= MATTERS else "swept.pairs_open")


def _share(share: Share, words: Language) -> str:
    return words("swept.share_text", share=share.value, low=share.low, high=share.high)


def _figures(study: Study, words: Language) -> Table:
    head = tuple(words(f"swept.{key}") for key in ("figure", "count", "lowest", "middle", "highest"))
    rows = []
    for figure in study.effects:
        values = [value for value in study.results.column(figure) if value is not None]
        ends = (words.show(value, shape(figure.quantity)) for value in (min(values), median(values), max(values)))
        rows.append((figure_name(figure, words), str(len(values)), *ends))
    return Table(words("swept.figures_table"), head, tuple(rows), (1, 2, 3, 4))


def _parameters(study: Study, words: Language) -> Table:
    rows = []
    for name, values in study.results.design.parameters.items():
        if isinstance(values, Range):
            span = words("swept.from_to", low=parameter(values.low, words), high=parameter(values.high, words))
            rows.append((name, words("swept.by_ratio", told=span) if values.log else span))
        else:
            rows.append((name, ", ".join(parameter(value, words) for value in values)))
    return Table(words("swept.parameters_table"), (words("swept.parameter"), words("swept.values")), tuple(rows))


def _failed(study: Study, words: Language) -> Table:
    counts = Counter[str](words.translated(sentence(line["reason"])) for line in study.results.failed)
    rows = tuple((reason, str(count)) for reason, count in counts.most_common())
    return Table(words("swept.failed_table"), (words("swept.reason"), words("swept.count")), rows, (1,))


def plain(study: Study) -> dict[str, Any]:
    """Return the sweep as plain data in base units. Shares are of 1."""
    results, wish = study.results, study.wish
    design = results.design.written
    return {
        "format": FORMAT,
        "stend": __version__,
        "title": results.design.title,
        "target": design.target,
        "tests": design.tests,
        "drives": len(results.drives),
        "failed": [{"drive": line["drive"], "reason": line["reason"]} for line in results.failed],
        "parameters": list(results.design.parameters),
        "figures": [_effects(figure, effects) for figure, effects in study.effects.items()],
        "best": {"wish": wish.text, "where": [bound.text for bound in wish.bounds], "most": wish.most,
                 "drives": _drives(study)} if wish else None,
    }  # fmt: skip


def _effects(figure: Figure, effects: Effects) -> dict[str, Any]:
    shares = {"first": effects.first, "total": effects.total}
    kinds = {kind: {name: share._asdict() for name, share in of.items()} for kind, of in shares.items()}
    pairs = [{"of": pair, **share._asdict()} for pair, share in effects.pairs.items()]
    place = {"key": figure.key._asdict(), "quantity": figure.quantity, "drives": effects.drives}
    fit = {"deviation": effects.deviation, "explained": effects.explained, "why": effects.why}
    return place | fit | kinds | {"pairs": pairs}


def _drives(study: Study) -> list[dict[str, Any]]:
    allowed = [(study.results.drives[i], study.results.values[i]) for i in study.allowed]
    return [{"drive": line["drive"], "target": line["target"], "values": values} for line, values in allowed]


def write(study: Study, forms: Sequence[str], lang: str, into: Path) -> list[Path]:
    """Write `sweep.html` and so on. Raise BadInput for an unknown format before any file is written."""
    return written.write("sweep", forms, lang, into, lambda: swept(study, lang), lambda: plain(study))
