"""A lot of inspected drives as a Page: how many are fit, and why the others are not, the worst first."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from stend.findings.look import inspected
from stend.many.incoming import Row, plain
from stend.report.parts import Item, Items, Page, Section, Table, Text, written
from stend.sentences import because_said
from stend.words import Language

NAME = "inspection"
COLUMNS = ("target", "verdict", "model", "serial", "capacity", "hours", "wear", "median", "reasons")
NUMERIC = ("capacity", "hours", "wear", "median")
MOST_REASONS = 3


def page(rows: Sequence[Row], lang: str) -> Page:
    """Return the page of these drives in a language."""
    words = Language(lang)
    return written.page(NAME, words("incoming.title", n=len(rows)), words, _sections(rows, words))


def _sections(rows: Sequence[Row], words: Language) -> Iterator[Section]:
    verdicts = {name: [row for row in rows if row.verdict == name] for name in inspected.ORDER[::-1]}
    counted = {name: words(f"incoming.count_{name}", n=len(judged)) for name, judged in verdicts.items() if judged}
    stamps = written.virtual((row.virtual for row in rows), words)
    texts = (*counted.values(), words("incoming.method"))
    yield Section("summary", words("incoming.summary"), (*stamps, *map(Text, texts)))
    for name, title in counted.items():
        if reasoned := tuple(_item(row, words) for row in verdicts[name] if row.reasons):
            yield Section(name, title, (Items("", reasoned),))
    yield Section("drives", words("incoming.drives"), (table(rows, words, COLUMNS[:-1]),))


def _item(row: Row, words: Language) -> Item:
    said = "; ".join(because_said(why, words) for why in row.reasons)
    return Item(said, "con", lead=" · ".join(filter(None, (row.serial, row.target))))


def table(rows: Sequence[Row], words: Language, columns: Sequence[str] = COLUMNS) -> Table:
    """Return one row per drive. Its cells are those of the first COLUMNS."""
    head = tuple(words(f"incoming.{name}") for name in columns)
    cells = tuple(_cells(row, words)[: len(columns)] for row in rows)
    return Table(words("incoming.drives"), head, cells, tuple(map(COLUMNS.index, NUMERIC)))


def _cells(row: Row, words: Language) -> tuple[str, ...]:
    said = [because_said(why, words) for why in row.reasons[:MOST_REASONS]]
    return (
        row.target,
        words(f"incoming.{row.verdict}"),
        row.model,
        row.serial,
        words.show(row.capacity_bytes, "gb"),
        words.show(row.hours, "whole"),
        words.show(None if row.wear_pct is None else row.wear_pct / 100, "pct"),
        words.show(row.median_s, "lat"),
        "; ".join([*said, *(["..."] if len(row.reasons) > MOST_REASONS else [])]),
    )


def write(rows: Sequence[Row], forms: Sequence[str], lang: str, into: Path) -> list[Path]:
    """Write `inspection.html` and so on. Raise BadInput for an unknown format before any file is written."""
    return written.write(NAME, forms, lang, into, lambda: page(rows, lang), lambda: plain(rows))
