"""The method of several runs as one section: what all have in common, and what differs, with a column per drive."""

from collections.abc import Iterator, Mapping, Sequence

from stend.report.parts import Block, Item, Items, Section, Table
from stend.report.story.page_one import after
from stend.words import Language

Sections = Mapping[str, Section]
"""Sections on the method of one run each, by the name of its drive."""


def joined(sections: Sections, words: Language) -> Section:
    """Return one section for all runs: their tables of facts as one, then other tables and lists, equal ones once."""
    first = next(iter(sections.values()))
    return first._replace(blocks=(*_facts(sections, words), *_others(sections, words), *_lists(sections)))


def of_all(texts: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the texts that hold for all drives, then the others after the names of their drives."""
    names: dict[str, list[str]] = {}
    for name, own in texts.items():
        for text in own:
            names.setdefault(text, []).append(name)
    every = [text for text, of in names.items() if len(of) == len(texts)]
    return [*every, *(after(", ".join(of), text) for text, of in names.items() if len(of) < len(texts))]


def _facts(sections: Sections, words: Language) -> Iterator[Table]:
    """Yield the facts of all tables of items and values: the common ones, then those that differ."""
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for name, section in sections.items():
        for table in (table for table in section.tables if _is_facts(table, words)):
            for fact, value in table.rows:
                cells.setdefault((table.title, fact), {})[name] = value
    rows = [(fact, tuple(of.get(name, "–") for name in sections)) for (_, fact), of in cells.items()]
    head, item = words("batched.settings_table"), words("table.item")
    common = tuple((fact, values[0]) for fact, values in rows if len({*values}) == 1)
    apart = tuple((fact, *values) for fact, values in rows if len({*values}) > 1)
    if common:
        yield Table(head, (item, words("table.value")), common)
    if apart:
        yield Table(words("method.differs"), (item, *sections), apart)


def _is_facts(table: Table, words: Language) -> bool:
    return table.head == (words("table.item"), words("table.value"))


def _others(sections: Sections, words: Language) -> Iterator[Table]:
    """Yield the other tables, those of one title and head as one; rows that not all have are after their drives."""
    every = {name: [t for t in of.tables if not _is_facts(t, words)] for name, of in sections.items()}
    for title, head in dict.fromkeys((table.title, table.head) for own in every.values() for table in own):
        own = {name: [t for t in tables if (t.title, t.head) == (title, head)] for name, tables in every.items()}
        rows = {name: [row for table in tables for row in table.rows] for name, tables in own.items()}
        first = next(table for tables in own.values() for table in tables)
        shared = [row for row in first.rows if all(row in of for of in rows.values())]
        apart = [(after(name, row[0]), *row[1:]) for name, of in rows.items() for row in of if row not in shared]
        yield first._replace(rows=(*shared, *apart), marks=())


def _lists(sections: Sections) -> Iterator[Block]:
    """Yield the lists of the same title as one."""
    lists = {name: [block for block in of.blocks if isinstance(block, Items)] for name, of in sections.items()}
    for title in dict.fromkeys(block.title for own in lists.values() for block in own):
        texts = {name: [i.text for b in own if b.title == title for i in b.items] for name, own in lists.items()}
        yield Items(title, tuple(map(Item, of_all(texts))))
