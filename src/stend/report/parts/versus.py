"""A Comparison -> a Document: what differs besides, rules, verdicts, charts, every figure."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from stend.charts.overlay import pictures
from stend.charts.overlay.intervals import name
from stend.charts.overlay.ratio_map import change
from stend.many.compare import Comparison, Difference
from stend.many.compare.rules import Judgement
from stend.many.settings import Reason
from stend.report.parts import Document, Section, Table, written
from stend.words import Language

VERDICTS = ("better", "worse", "same", "undecided", "not comparable")
MOST_ROWS = 120


def versus(whole: Comparison, judged: Judgement | None, lang: str, *, drawn: bool = True) -> Document:
    """Everything that the comparison says, in a language; without its pictures where they are not `drawn`."""
    words = Language(lang)
    title = words("versus.title", a=whole.a.name, b=whole.b.name)
    return written.document("comparison", title, words, _sections(whole, judged, words, drawn=drawn))


def _sections(whole: Comparison, judged: Judgement | None, words: Language, *, drawn: bool) -> Iterator[Section]:
    yield Section("summary", words("versus.summary"), (*_notes(whole, words), counts(whole, words)))
    yield Section("settings", words("versus.settings"), *_settings(whole, words))
    if judged:
        yield Section("rules", words("versus.gate"), tuple(verdict_on(judged, words)), (_gate(judged, words),))
    if drawn:
        yield from _charts(whole, words)
    yield Section("runs", words("versus.runs"), tables=(_runs(whole, words),))
    for number, test in enumerate(dict.fromkeys(one.key.test for one in whole.differences), 1):
        own = [one for one in whole.differences if one.key.test == test]
        title = words.title(test, test)
        texts = (words("versus.method", a=whole.a.name, b=whole.b.name, **whole.thresholds),) if number == 1 else ()
        yield Section(f"test-{test}", title, texts, (_figures(own, title, whole, words),))
    yield from _alone(whole, words)


def _charts(whole: Comparison, words: Language) -> Iterator[Section]:
    stamps = written.stamped((run for side in (whole.a, whole.b) for run in side.runs), words)
    drawn = tuple(pictures(whole, words, stamps))
    if drawn:
        yield Section("charts", words("versus.pictures"), pictures=drawn)


def counts(whole: Comparison, words: Language) -> str:
    """How many figures have which verdict, as a sentence."""
    told = Counter[str](one.verdict for one in whole.differences)
    better, worse, same, undecided, blocked = (told[verdict] for verdict in VERDICTS)
    return words(
        "versus.counts",
        n=len(whole.differences),
        b=whole.b.name,
        better=better,
        worse=worse,
        same=same,
        undecided=undecided,
        blocked=blocked,
    )


def _notes(whole: Comparison, words: Language) -> Iterator[str]:
    for note in whole.notes:
        told = {
            name: words.translated(value) if name in ("text", "lacks") else value for name, value in note.values.items()
        }
        yield words(f"note.{note.key}", **told)


def why(reasons: Sequence[Reason], words: Language) -> str:
    """Reasons as half a sentence."""
    said = []
    for one in reasons:
        values = dict(one.values)
        if one.key == "setting":
            values["name"] = words(f"setting.{values['name']}")
        said.append(words(f"why.{one.key}", **values))
    return "; ".join(dict.fromkeys(said))


def _settings(whole: Comparison, words: Language) -> tuple[tuple[str, ...], tuple[Table, ...]]:
    if not whole.settings:
        return (words("versus.alike"),), ()
    rows = []
    for one in whole.settings:
        means = words("versus.told" if not one.blocks else "versus.warned" if whole.anyway else "versus.blocks")
        rows.append((words(f"setting.{one.name}"), *(_some(one.name, v, words) for v in (one.a, one.b)), means))
    head = (words("column.setting"), whole.a.name, whole.b.name, words("column.means"))
    marks = tuple(i for i, one in enumerate(whole.settings) if one.blocks)
    return (), (Table(words("versus.settings_table"), head, tuple(rows), marks=marks),)


def _some(setting: str, values: Sequence[Any], words: Language, most: int = 4) -> str:
    if setting == "temperature" and values:
        ends = [words.show(value, "n") for value in sorted({min(values), max(values)})]
        return "–".join(ends)
    shown = [_value(setting, value, words) for value in values[:most]]
    return ", ".join(shown) + (f" … ({len(values)})" if len(values) > most else "") or "–"


def _value(setting: str, value: Any, words: Language) -> str:
    if isinstance(value, bool):
        return words("versus.yes" if value else "versus.no")
    if setting == "capacity":
        return words.show(value, "gb")
    return words.show(value, "n") if isinstance(value, int | float) else words.translated(str(value))


def _runs(whole: Comparison, words: Language) -> Table:
    head = tuple(words(f"column.{key}") for key in ("side", "run", "drive", "began", "stamps"))
    rows = tuple(
        (
            side.name,
            run.name,
            run.drive,
            words.date(run.began_s),
            "; ".join(words.translated(s) for s in run.stamps) or "–",
        )
        for side in (whole.a, whole.b)
        for run in side.runs
    )
    return Table(words("versus.runs_table"), head, rows)


def _figures(own: Sequence[Difference], title: str, whole: Comparison, words: Language) -> Table:
    ranked = any(one.ranked is not None for one in own)
    keys = ("change", "interval", "counted", "p", *(("ranked",) if ranked else ()), "verdict")
    said = (words(f"column.{key}") for key in keys)
    head = (words("column.figure"), words("column.state"), whole.a.name, whole.b.name, *said)
    rows = tuple(_row(one, words, ranked=ranked) for one in own[:MOST_ROWS])
    rest = words("versus.rest", n=len(own) - MOST_ROWS) if len(own) > MOST_ROWS else ""
    marks = tuple(i for i, one in enumerate(own[:MOST_ROWS]) if one.verdict == "worse")
    return Table(words("versus.table", test=title), head, rows, tuple(range(2, len(head) - 1)), rest, marks)


def _row(one: Difference, words: Language, *, ranked: bool) -> tuple[str, ...]:
    told = why(one.why, words) or (why((Reason("more", {"n": one.more}),), words) if one.more else "")
    verdict = words(f"verdict.{one.verdict.replace(' ', '_')}")
    return (
        name(one, words).partition(": ")[2] if ": " in name(one, words) else name(one, words),
        words(f"kept_state.{one.key.state}"),
        *(words.quantity(value, one.quantity) for value in (one.a, one.b)),
        change(one.ratio, words),
        interval(one, words),
        f"{one.runs[0]} + {one.runs[1]}",
        _p(one.p, words) + ("*" if one.found else ""),
        *((_p(one.ranked, words),) if ranked else ()),
        f"{verdict} ({told})" if told else verdict,
    )


def interval(one: Difference, words: Language) -> str:
    """`+1% … +4%`, a dash where there is none."""
    if one.low is None or one.high is None:
        return "–"
    return f"{change(one.low, words)} … {change(one.high, words)}"


def _p(p: float | None, words: Language) -> str:
    if p is None:
        return "–"
    return "<" + words.show(0.001, "n") if p < 0.001 else words.show(round(p, 3), "n")


def verdict_on(judged: Judgement, words: Language) -> Iterator[str]:
    """What came of the rules, as sentences."""
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
    for one in judged.gated:
        told = why(one.why, words)
        answer = words(f"answer.{one.answer}") + (f" ({told})" if told else "")
        figure = (name(one.figure, words), change(one.figure.ratio, words), interval(one.figure, words))
        rows.append((one.rule.text, *figure, _p(one.p, words), answer))
    marks = tuple(i for i, one in enumerate(judged.gated) if one.answer == "failed")
    return Table(words("versus.gate_table"), head, tuple(rows), (2, 3, 4), marks=marks)


def _alone(whole: Comparison, words: Language) -> Iterator[Section]:
    rows = [
        (side.name, words.title(key.test, key.test), words.phase(key.phase), key.load)
        for side, keys in zip((whole.a, whole.b), whole.alone, strict=True)
        for key in keys
        if key.direction == "both"
    ]
    if rows:
        head = tuple(words(f"column.{key}") for key in ("side", "test", "phase", "workload"))
        rest = words("versus.rest", n=len(rows) - MOST_ROWS) if len(rows) > MOST_ROWS else ""
        table = Table(words("versus.alone_table"), head, tuple(rows[:MOST_ROWS]), note=rest)
        yield Section("alone", words("versus.alone"), tables=(table,))
