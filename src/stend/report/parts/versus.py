"""A Comparison as a Page: differences in settings, rules, verdicts, charts, every figure."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from stend.base.text import capital
from stend.charts.overlay import pictures
from stend.charts.overlay.ratio_map import change, interval, verdict_named
from stend.charts.parts.figures import load_named, named
from stend.many.compare import Comparison, Difference
from stend.many.compare.groups import UNPROVEN
from stend.many.compare.rules import Judgement
from stend.many.settings import Reason
from stend.model.quantities import shape
from stend.report.parts import Page, Section, Table, ranked, written
from stend.sentences.settings import setting_value
from stend.words import Language

MOST_ROWS, MOST_VALUES = 120, 4
FEWEST_ROWS = 4
"""Fewest figures of a phase that has its own table."""


def versus(whole: Comparison, judged: Judgement | None, lang: str, *, drawn: bool = True) -> Page:
    """Return the page of a comparison in a language, without pictures unless `drawn`."""
    words = Language(lang)
    title, models = words("versus.title", a=whole.a.name, b=whole.b.name), {r.settings.get("model") for r in whole.runs}
    if whole.a.runs[0].settings.get("firmware") == whole.a.name:
        title = f"{words('setting.firmware').lower()} {title}"
    if len(models) == 1 and (model := models.pop()) and model not in title:
        title = f"{model}: {title}"
    elif whole.a.runs[0].settings.get("firmware") == whole.a.name:
        title = capital(title)
    return written.page("comparison", title, words, _sections(whole, judged, words, drawn=drawn))._replace(small=True)


def _sections(whole: Comparison, judged: Judgement | None, words: Language, *, drawn: bool) -> Iterator[Section]:
    ranking = tuple(ranked.tables(whole, words))
    title = ranked.conclusion(whole, words) or words("versus.summary")
    glance = Section.of("summary", title, tuple(summary(whole, words)), ranking)
    yield glance._replace(blocks=(*written.stamps(whole.runs, words), *glance.blocks))
    yield Section.of("settings", words("versus.settings"), *_settings(whole, words))
    if judged:
        yield Section.of("rules", words("versus.gate"), tuple(verdict_on(judged, words)), (_gate(judged, words),))
    if drawn:
        yield from _charts(whole, words)
    yield Section.of("runs", words("versus.runs"), tables=(_runs(whole, words),))
    for number, test in enumerate(dict.fromkeys(d.key.test for d in whole.differences), 1):
        differences = [d for d in whole.differences if d.key.test == test]
        title = words.title(test, test)
        texts = tuple(_method(whole, words)) if number == 1 else ()
        tables = (_figures(part, name, whole, words) for name, part in parts(differences, title, words))
        yield Section.of(f"test-{test}", title, texts, tuple(tables))
    yield from _alone(whole, words)


def parts(differences: Sequence[Difference], title: str, words: Language) -> list[tuple[str, Sequence[Difference]]]:
    """Return the figures of each phase with their title; figures of a test with small phases stay together."""
    phases: dict[str, list[Difference]] = {}
    for difference in differences:
        phases.setdefault(difference.key.phase, []).append(difference)
    if len(phases) == 1 or min(map(len, phases.values())) < FEWEST_ROWS:
        return [(title, differences)]
    names = {phase: words.phase_beside(phase, title, load=False) for phase in phases}
    return [(", ".join(filter(None, (title, names[phase]))), part) for phase, part in phases.items()]


def _charts(whole: Comparison, words: Language) -> Iterator[Section]:
    drawn = tuple(pictures(whole, words, partial(written.stamped, whole.runs, words)))
    if drawn:
        yield Section.of("charts", words("versus.pictures"), pictures=drawn)


def summary(whole: Comparison, words: Language) -> Iterator[str]:
    """Yield sentences: a warning about unlike runs first, the largest changes, the figures per verdict, notes."""
    yield from ranked.warning(whole, words)
    yield from ranked.largest(whole, words)
    yield ranked.counts(whole, words)
    if sum(row.verdict != "not comparable" for row in whole.differences) > 1:
        yield words("versus.several")
    yield from ranked.consistent(whole, words)
    yield from ranked.incomparable(whole, words)
    yield from ranked.unproven(whole, words)
    yield from _notes(whole, words)


def _method(whole: Comparison, words: Language) -> Iterator[str]:
    """Yield how intervals are found, if the comparison has any."""
    if any(difference.low is not None for difference in whole.differences):
        yield words("versus.method", a=whole.a.name, b=whole.b.name, **whole.thresholds)


def _notes(whole: Comparison, words: Language) -> Iterator[str]:
    for note in whole.notes:
        values = {k: words.translated(v) if k in ("text", "lacks") else v for k, v in note.values.items()}
        yield words(f"note.{note.key}", **values)


def _settings(whole: Comparison, words: Language) -> tuple[tuple[str, ...], tuple[Table, ...]]:
    if not whole.settings:
        imported = any(run.source for run in whole.runs)
        return (words("versus.alike_stated" if imported else "versus.alike"),), ()
    rows = []
    for setting in whole.settings:
        means = words("versus.told" if not setting.blocks else "versus.warned" if whole.anyway else "versus.blocks")
        ends = (_some(setting.name, values, words) for values in (setting.a, setting.b))
        rows.append((words(f"setting.{setting.name}"), *ends, means))
    head = (words("column.setting"), whole.a.name, whole.b.name, words("column.means"))
    marks = tuple(i for i, setting in enumerate(whole.settings) if setting.blocks)
    return (), (Table(words("versus.settings_table"), head, tuple(rows), marks=marks),)


def _some(setting: str, values: Sequence[Any], words: Language) -> str:
    if setting == "temperature" and values:
        ends = [words.show(value, "n") for value in sorted({min(values), max(values)})]
        return "–".join(ends)
    shown = [setting_value(setting, value, words) for value in values[:MOST_VALUES]]
    return ", ".join(shown) + (f" … ({len(values)})" if len(values) > MOST_VALUES else "") or "–"


def _runs(whole: Comparison, words: Language) -> Table:
    """Return the runs of both sides. Stamps that every run has are below the table, once."""
    shared = [stamp for stamp in whole.runs[0].stamps if all(stamp in run.stamps for run in whole.runs)]
    head = tuple(words(f"column.{key}") for key in ("side", "run", "drive", "began", "stamps"))
    rows: tuple[tuple[str, ...], ...] = tuple(
        (
            side.name,
            run.name,
            run.drive,
            words.date(run.began_s),
            "; ".join(words.translated(s) for s in run.stamps if s not in shared) or "–",
        )
        for side in (whole.a, whole.b)
        for run in side.runs
    )
    if all(row[-1] == "–" for row in rows):
        head, rows = head[:-1], tuple(row[:-1] for row in rows)
    note = words("versus.runs_stamped", stamps=[words.translated(s) for s in shared]) if shared else ""
    return Table(words("versus.runs_table"), head, rows, note=note)


def _figures(differences: Sequence[Difference], title: str, whole: Comparison, words: Language) -> Table:
    """Return the figures of a test. Columns that no figure has are left out, reasons are numbered below the table."""
    shown = differences[:MOST_ROWS]
    columns: dict[str, Callable[[Difference], str]] = {
        "interval": lambda row: interval(row, words) if row.low is not None else "",
        "counted": lambda row: f"{row.runs[0]} + {row.runs[1]}" if max(row.runs) > 1 else "",
        "p": lambda row: _p(row.p, words) + ("*" if row.found else "") if row.p is not None else "",
        "ranked": lambda row: _p(row.ranked, words) if row.ranked is not None else "",
    }
    kept = {key: cells for key, cell in columns.items() if any(cells := [cell(row) for row in shown])}
    notes, reasons = _numbered([_reasons(row, words) for row in shown], words)
    several = len({row.key.phase for row in shown}) > 1
    rows = tuple(
        (
            *_row(row, words, several=several),
            *(cells[i] or "–" for cells in kept.values()),
            verdict_named(row.verdict, words) + notes[i],
        )
        for i, row in enumerate(shown)
    )
    titles = (words(f"column.{key}") for key in ("change", *kept, "verdict"))
    head = (words("column.figure"), words("column.state"), whole.a.name, whole.b.name, *titles)
    rest = (words("versus.rest", n=len(differences) - MOST_ROWS),) if len(differences) > MOST_ROWS else ()
    marks = tuple(i for i, row in enumerate(shown) if row.verdict in ("worse", "behind"))
    note = " ".join((*reasons, *rest))
    table = Table(words("versus.table", test=title), head, rows, tuple(range(2, len(head) - 1)), note, marks)
    return table.without_equal([words("column.state"), words("column.counted")])


def _row(row: Difference, words: Language, *, several: bool) -> tuple[str, ...]:
    load = load_named(row.key, row.quantity, words)
    phase = words.phase_beside(row.key.phase, load) if several else ""
    return (
        ": ".join(filter(None, (phase, load))),
        words("versus.measured_in_window" if row.key.state == "window" else f"kept_state.{row.key.state}"),
        *(words.show(value, shape(row.quantity)) for value in (row.a, row.b)),
        ranked.about(row, words),
    )


def _reasons(row: Difference, words: Language) -> str:
    """Return why a figure has no certain verdict. An unknown spread of repeats is stated once, in the summary."""
    if row.verdict in UNPROVEN:
        return ""
    more = (Reason("more", {"n": row.more}),) if row.more else ()
    return ranked.why(row.why, words) or ranked.why(more, words)


def _numbered(reasons: Sequence[str], words: Language) -> tuple[list[str], list[str]]:
    """Return the mark of each row and the notes that explain the marks. One reason of all rows needs no marks."""
    distinct = [reason for reason in dict.fromkeys(reasons) if reason]
    if len(distinct) == 1 and all(reasons):
        return [""] * len(reasons), [words("versus.all_rows", reason=distinct[0])]
    numbers = {reason: f" [{number}]" for number, reason in enumerate(distinct, 1)}
    return [numbers.get(reason, "") for reason in reasons], [f"{numbers[r].strip()} {r}." for r in distinct]


def _p(p: float | None, words: Language) -> str:
    if p is None:
        return "–"
    return "<" + words.show(0.001, "n") if p < 0.001 else words.show(round(p, 3), "n")


def verdict_on(judged: Judgement, words: Language) -> Iterator[str]:
    """Yield sentences about the result of the rules."""
    yield words(f"versus.gate_{judged.answer}")
    if judged.noninferior:
        yield words("versus.gate_noninferior")
    elif judged.undecided:
        settled = "passed" if judged.undecided == "pass" else "failed"
        yield words("versus.gate_settled", **{"as": words(f"answer.{settled}")})
    yield words("versus.gate_said", n=len(judged.gated))


def _gate(judged: Judgement, words: Language) -> Table:
    head = tuple(words(f"column.{key}") for key in ("rule", "figure", "change", "interval", "p", "answer"))
    rows = []
    for gated in judged.gated:
        row, reasons = gated.figure, ranked.why(gated.why, words)
        answer = words(f"answer.{gated.answer}") + (f" ({reasons})" if reasons else "")
        figure = (named(row.key, row.quantity, words), change(row.ratio, words), interval(row, words))
        rows.append((gated.rule.text, *figure, _p(gated.p, words), answer))
    marks = tuple(i for i, gated in enumerate(judged.gated) if gated.answer == "failed")
    return Table(words("versus.gate_table"), head, tuple(rows), (2, 3, 4), marks=marks)


def _alone(whole: Comparison, words: Language) -> Iterator[Section]:
    rows = [
        (side.name, words.title(key.test, key.test), words.phase(key.phase), words.show(key.load, "load"))
        for side, keys in zip((whole.a, whole.b), whole.alone, strict=True)
        for key in keys
        if key.direction == "both"
    ]
    if rows:
        head = tuple(words(f"column.{key}") for key in ("side", "test", "phase", "workload"))
        rest = words("versus.rest", n=len(rows) - MOST_ROWS) if len(rows) > MOST_ROWS else ""
        table = Table(words("versus.alone_table"), head, tuple(rows[:MOST_ROWS]), note=rest)
        yield Section.of("alone", words("versus.alone"), tables=(table,))
