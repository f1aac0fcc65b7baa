"""A Batch as a Page: the lot's verdict, the odd drives with their evidence, every figure's distribution."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

from stend.base.version import __version__
from stend.charts.batched import pictures
from stend.charts.overlay.ratio_map import change
from stend.charts.parts.figures import figure_name
from stend.many.batch.groups import LEAST_GROUP, Groups
from stend.many.batch.odd import LEAST_DRIVES, LEAST_SPREAD, LEAST_TAIL_SPREAD, LEVEL, Odd, chance, farthest, needed
from stend.many.batch.verdict import Acceptance, Batch
from stend.many.compare.differences import THRESHOLDS, Figure
from stend.many.sides import Outcome
from stend.model.quantities import shape
from stend.report.parts import Block, Page, Section, Table, Text, written
from stend.sentences.settings import setting_value
from stend.words import Language

FORMAT = 1
LEAST = {"least_rate": LEAST_SPREAD, "least_tail": LEAST_TAIL_SPREAD}
LIMITS = {**LEAST, **THRESHOLDS, "group": LEAST_GROUP}
MOST_EVIDENCE = 8
"""Figures of one odd drive that the page lists. The JSON has all."""


def batched(batch: Batch, lang: str, *, drawn: bool = True) -> Page:
    """Return the page of a batch in a language, without pictures unless `drawn`."""
    words = Language(lang)
    model = batch.lot.drives[0].runs[0].settings.get("model") or ""
    title = words("batched.title", model=model, n=len(batch.lot.drives))
    return written.page("batch", title, words, _sections(batch, words, drawn=drawn))._replace(small=True)


def _sections(batch: Batch, words: Language, *, drawn: bool) -> Iterator[Section]:
    runs = [run for drive in batch.lot.drives for run in drive.runs]
    summary: tuple[Block, ...] = (*written.stamps(runs, words), *map(Text, _summary(batch, words)))
    yield Section("summary", _conclusion(batch, words), summary)
    if batch.acceptance:
        yield _acceptance(batch, batch.acceptance, words)
    if batch.odd:
        yield _odd(batch, words)
    yield Section.of("drives", words("batched.drives"), tables=(_drives(batch, words),))
    if charts := tuple(pictures(batch, words, written.stamped(runs, words))) if drawn else ():
        yield Section.of("charts", words("batched.pictures"), pictures=charts)
    if batch.lot.figures:
        yield Section.of("figures", words("batched.figures"), tables=(_figures(batch, words),))
    if len(batch.lot.drives) >= LEAST_DRIVES:
        method = words("batched.method", n=len({odd.figure for odd in batch.distances}), **LIMITS)
        yield Section.of("method", words("batched.odd_found"), (method,))
    if runs:
        yield Section.of("settings", words("batched.settings"), tables=(_settings(runs, words),))


def _conclusion(batch: Batch, words: Language) -> str:
    """Return the verdict on the lot, or which drives failed and which are outliers."""
    if batch.acceptance:
        return _verdict(batch.acceptance, words)
    failed = [drive.name for drive in batch.lot.drives if drive.failed]
    first = [words("batched.failed", n=len(failed), names=failed)] if failed else []
    return " ".join((*first, _outliers(batch, words)))


def _outliers(batch: Batch, words: Language) -> str:
    if len(batch.lot.drives) < LEAST_DRIVES:
        return words("batched.few", n=len(batch.lot.drives), least=LEAST_DRIVES)
    names = [batch.lot.drives[i].name for i in batch.odd]
    if batch.groups:
        first = words("batched.odd_named", n=len(names), names=names) if names else words("batched.none_odd")
        return f"{first} {words('batched.groups')}"
    if one := batch.suspect:
        return words("batched.none_odd_apart", drive=batch.lot.drives[one.drive].name)
    return words("batched.odd_named", n=len(names), names=names) if names else words("batched.none_odd")


def _summary(batch: Batch, words: Language) -> Iterator[str]:
    lot = batch.lot
    runs = sum(len(drive.runs) for drive in lot.drives)
    alone = {figure for drive in lot.drives for figure in drive.values}  # if no two drives have a figure in common
    yield words("batched.counts", n=len(lot.drives), runs=runs, figures=len(lot.figures) or len(alone))
    for note in lot.notes:
        values = dict(note.values)
        if note.key == "failed":
            values["stamp"] = words.translated(values["stamp"])
        elif note.key == "unlike":
            found = ", ".join(setting_value(values["name"], value, words) for value in values["values"])
            values = {"name": words(f"setting.{values['name']}"), "values": found}
        yield words(f"batched.note_{note.key}", **values)
    if batch.acceptance and (beyond := batch.acceptance.beyond):
        yield words("batched.beyond_bad", n=len(beyond), names=[lot.drives[i].name for i in beyond])
    if batch.groups:
        yield from _groups(batch, batch.groups, words)
    if not batch.odd:
        yield from [_outliers(batch, words)] if batch.acceptance else []
    if not batch.odd and not batch.groups:
        yield from (text for odd in batch.distances[:1] for text in _farthest(batch, odd, words))
    yield from (_odd_one(batch, odd, words) for odd in batch.odd.values())


def _groups(batch: Batch, groups: Groups, words: Language) -> Iterator[str]:
    values = {"names": [batch.lot.drives[i].name for i in groups.few], "n": len(groups.few), "others": groups.others}
    yield words(
        "batched.groups_named", **values, **_ratio(groups.figure, groups.ratio, groups.p, words), gap=groups.gap
    )
    for name, *sides in groups.settings:
        few, others = (", ".join(setting_value(name, value, words) for value in side) for side in sides)
        yield words("batched.groups_differ", name=words(f"setting.{name}"), few=few, others=others)
    yield words("batched.groups_next")


def _ratio(figure: Figure, ratio: float, p: float, words: Language) -> dict[str, Any]:
    way = words("batched.below" if ratio < 1 else "batched.above")
    return {"figure": figure_name(figure, words), "change": abs(ratio - 1), "way": way, "p": _p(p, words)}


def _odd_one(batch: Batch, odd: Sequence[Odd], words: Language) -> str:
    said = _departure(batch, odd[0], "odd_one", words)
    return words("batched.odd_more" if odd[1:] else "batched.odd_alone", told=said, n=len(odd) - 1)


def _farthest(batch: Batch, first: Odd, words: Language) -> Iterator[str]:
    """Yield the farthest drive that is no outlier, with its p without the correction if that alone makes the difference
    and in how many figures no other drive is as far; its largest difference; and what to do if it is suspected.
    """
    far = farthest(batch.distances, attrgetter("figure"))
    times = sum(odd.drive == first.drive for odd in far.values())
    alone = _alone(batch, first, len(far), words)
    told = _departure(batch, first, "farthest", words)
    yield words("batched.farthest_in", told=told, alone=alone, n=times, of=len(far))
    if (largest := batch.largest) and largest.figure != first.figure:
        yield _departure(batch, largest, "farthest_most", words)
    if batch.suspect:
        yield words("batched.measure_again", drive=batch.lot.drives[first.drive].name)


def _alone(batch: Batch, first: Odd, figures: int, words: Language) -> str:
    """Return the p of one figure without the correction for all, and the distance that would be enough with it."""
    drives, kind = batch.spreads[first.figure].drives, first.figure.kind
    alone = chance(drives, abs(first.distance), kind)
    if not alone < LEVEL <= first.p:
        return ""
    values = {"alone": _p(alone, words), "drives": drives, "needed": needed(drives, kind, figures)}
    return words("batched.p_alone", n=figures, **values)


def _departure(batch: Batch, first: Odd, key: str, words: Language) -> str:
    return words(
        f"batched.{key}",
        drive=batch.lot.drives[first.drive].name,
        distance=abs(first.distance),
        **_ratio(first.figure, first.ratio, first.p, words),
    )


def _p(p: float, words: Language) -> str:
    return "< " + words.show(0.001, "n") if p < 0.001 else words.show(round(p, 4 if p < 0.01 else 3), "n")


def _verdict(acceptance: Acceptance, words: Language) -> str:
    bad = sum(i < acceptance.judged for i in acceptance.bad)
    values = {"bad": bad, "judged": acceptance.judged, "accept": acceptance.plan.accept, "missing": acceptance.missing}
    blind = acceptance.verdict == "undecided" and not acceptance.missing
    return words(f"batched.verdict_{'blind' if blind else acceptance.verdict}", **values)


def _acceptance(batch: Batch, acceptance: Acceptance, words: Language) -> Section:
    plan = acceptance.plan
    values = {"title": plan.title, "sample": plan.sample, "accept": plan.accept}
    by = words("batched.by_aql", aql=plan.aql_pct, lot=plan.lot, letter=plan.letter, **values) if plan.aql_pct else ""
    chances = dict(zip(("one", "five", "ten", "twenty"), map(plan.accepted, (0.01, 0.05, 0.1, 0.2)), strict=True))
    texts = [_verdict(acceptance, words), by or words("batched.by_sample", **values), words("batched.risks", **chances)]
    texts += [words("batched.odd_counts")] if plan.odd_is_bad else []
    texts += [words("batched.beyond", n=acceptance.more)] if acceptance.more else []
    rows = tuple(_bad(batch, acceptance, words))
    head = tuple(words(f"batched.{key}") for key in ("drive", "limit", "figure", "value"))
    tables = (Table(words("batched.bad_table"), head, rows, (3,)),) if rows else ()
    texts += [] if rows else [words("batched.none_bad")]
    return Section.of("acceptance", words("batched.acceptance"), tuple(texts), tables)


def _bad(batch: Batch, acceptance: Acceptance, words: Language) -> Iterator[tuple[str, ...]]:
    """Yield the figures beyond each limit by drive; of many figures of one limit the first and the number of others."""
    for i, broken in acceptance.bad.items():
        name = batch.lot.drives[i].name
        for limit, beyond in groupby(broken, lambda excess: excess.limit.text):
            every = list(beyond)
            shown = every[: MOST_EVIDENCE if len(every) > MOST_EVIDENCE + 1 else None]
            for figure, value in ((excess.figure, excess.value) for excess in shown):
                given = words("batched.not_given") if value is None else words.show(value, shape(figure.quantity))
                yield name, limit, figure_name(figure, words), given
            if len(every) > len(shown):
                yield name, limit, words("page.alike", n=len(every) - len(shown)), "–"
        if batch.lot.drives[i].failed:
            yield name, words("batched.is_failed"), "–", "–"
        elif not broken:
            yield name, words("batched.only_odd"), figure_name(batch.odd[i][0].figure, words), "–"


def _odd(batch: Batch, words: Language) -> Section:
    head = tuple(words(f"batched.{key}") for key in ("drive", "figure", "value", "median", "deviates", "distance", "p"))
    rows = tuple(
        (batch.lot.drives[i].name, figure_name(odd.figure, words),
         words.show(batch.lot.drives[i].values[odd.figure], shape(odd.figure.quantity)),
         words.show(batch.spreads[odd.figure].median, shape(odd.figure.quantity)),
         change(odd.ratio, words), words.show(abs(odd.distance), "n"), _p(odd.p, words))
        for i, departures in batch.odd.items()
        for odd in departures[:MOST_EVIDENCE]
    )  # fmt: skip
    table = Table(words("batched.odd_table"), head, rows, tuple(range(2, len(head))))
    return Section.of("odd", words("batched.odd"), tables=(table,))


def _drives(batch: Batch, words: Language) -> Table:
    head = tuple(words(f"batched.{key}") for key in ("drive", "runs", "says", "figure", "deviates", "distance"))
    far = farthest(batch.distances, attrgetter("drive"))
    rows, marks, bad = [], list[int](), batch.acceptance.bad if batch.acceptance else {}
    for i, drive in enumerate(batch.lot.drives):
        states = (("is_failed", drive.failed), ("is_odd", i in batch.odd), ("is_bad", i in bad))
        verdicts = [words(f"batched.{key}") for key, holds in states if holds]
        marks += [i] * bool(verdicts)
        most = far.get(i)
        where = (
            (figure_name(most.figure, words), change(most.ratio, words), words.show(abs(most.distance), "n"))
            if most
            else ("–", "–", "–")
        )
        rows.append((drive.name, str(len(drive.runs)), ", ".join(verdicts) or words("batched.is_good"), *where))
    if far:
        table = Table(words("batched.drives_table"), head, tuple(rows), (1, 4, 5), marks=tuple(marks))
        return table if marks else table.without([words("batched.says")])
    known = 3 if marks else 2  # too few drives for a distance
    return Table(words("batched.drives"), head[:known], tuple(row[:known] for row in rows), (1,), marks=tuple(marks))


def _figures(batch: Batch, words: Language) -> Table:
    head = tuple(words(f"batched.{key}") for key in ("figure", "count", "median", "spread", "lowest", "highest"))
    rows = []
    for figure, spread in batch.spreads.items():
        values = [drive.values[figure] for drive in batch.lot.drives if figure in drive.values]
        ends = (words.show(value, shape(figure.quantity)) for value in (min(values), max(values)))
        middle = words.show(spread.median, shape(figure.quantity))
        rows.append(
            (figure_name(figure, words), str(spread.drives), middle, words.show(spread.deviation, "change"), *ends)
        )
    note = words("batched.spread_says", **LEAST)
    if any(spread.drives < len(batch.lot.drives) for spread in batch.spreads.values()):
        note += " " + words("batched.fewer_says", n=len(batch.lot.drives))
    table = Table(words("batched.figures_table"), head, tuple(rows), (1, 2, 3, 4, 5), note)
    return table.without_equal([words("batched.count")])


def _settings(runs: Sequence[Outcome], words: Language) -> Table:
    """Return the settings and facts that all runs have alike, and when the first and the last one began."""
    first, *others = (run.settings for run in runs)
    alike = [name for name, value in first.items() if all(settings.get(name) == value for settings in others)]
    stated = ((name, setting_value(name, first[name], words)) for name in alike if first[name] not in ("", None, False))
    rows = [(words(f"setting.{name}"), value) for name, value in stated]
    began = sorted(run.began_s for run in runs)
    rows.append((words("column.began"), " – ".join(dict.fromkeys(words.date(at) for at in (began[0], began[-1])))))
    return Table(words("batched.settings_table"), (words("column.setting"), words("batched.value")), tuple(rows))


def plain(batch: Batch) -> dict[str, Any]:
    """Return the batch as plain data in base units."""
    acceptance = batch.acceptance
    names = [drive.name for drive in batch.lot.drives]
    return {
        "format": FORMAT,
        "stend": __version__,
        "drives": [{"name": drive.name, "runs": [run.name for run in drive.runs]} for drive in batch.lot.drives],
        "notes": [{"key": note.key, **note.values} for note in batch.lot.notes],
        "figures": [
            {**_place(figure), **spread._asdict(),
             "values": {drive.name: drive.values[figure] for drive in batch.lot.drives if figure in drive.values}}
            for figure, spread in batch.spreads.items()
        ],
        "groups": batch.groups and {
            "drives": [names[i] for i in batch.groups.few], **_place(batch.groups.figure),
            "ratio": batch.groups.ratio, "gap": batch.groups.gap, "p_holm": batch.groups.p,
            "differs": [name for name, _, _ in batch.groups.settings],
        },
        "odd": {names[i]: [_evidence(odd) for odd in departures] for i, departures in batch.odd.items()},
        "acceptance": acceptance and {
            "verdict": acceptance.verdict, "sample": acceptance.plan.sample, "accept": acceptance.plan.accept,
            "lot": acceptance.plan.lot, "judged": acceptance.judged, "missing": acceptance.missing,
            "more": acceptance.more,
            "bad": {names[i]: [{"limit": item.limit.text, "value": item.value, "bound": item.bound} for item in broken]
                    for i, broken in acceptance.bad.items()},
        },
    }  # fmt: skip


def _evidence(odd: Odd) -> dict[str, Any]:
    return {**_place(odd.figure), "ratio": odd.ratio, "distance": odd.distance, "p_holm": odd.p}


def _place(figure: Figure) -> dict[str, Any]:
    return {"key": figure.key._asdict(), "quantity": figure.quantity}


def write(batch: Batch, forms: Sequence[str], lang: str, into: Path) -> list[Path]:
    """Write `lot.html` and so on. Raise BadInput for an unknown format before any file is written."""
    return written.write("lot", forms, lang, into, lambda: batched(batch, lang), lambda: plain(batch))
