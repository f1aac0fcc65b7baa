"""The numbers of a chart as a table, for readers without pictures or scripts. Long courses are offered as data."""

from collections.abc import Iterator, Sequence
from typing import Any

from stend.charts import Picture
from stend.report.parts import Table
from stend.words import Language

MOST_ROWS = 40


def table_of(picture: Picture, words: Language) -> Table | None:
    """Return the fields that the chart names, in its order, or None without rows or with more than `MOST_ROWS`.

    Of fields on one axis the first is shown. Published ranges come last.
    """
    sets = picture.spec.get("datasets", {})
    rows = sets.get("rows", [])
    named = dict(_named(picture.spec))
    first: dict[str, str] = {}
    for field in rows[0] if rows else ():
        if field in named:
            first.setdefault(named[field], field)
    fields = list(first.values())
    if not 0 < len(rows) <= MOST_ROWS or not fields:
        return None
    shapes = {field: _shape([row.get(field) for row in rows]) for field in fields}
    cells = [tuple(_cell(row.get(field), shapes[field], words) for field in fields) for row in rows]
    for row in sets.get("published", ()):
        span = words.ranged((row["from"], row["to"]), "n")
        if len([field for field in fields if field not in row]) == 1:
            cells.append(tuple(_cell(row[field], "n", words) if field in row else span for field in fields))
    numeric = tuple(i for i, field in enumerate(fields) if isinstance(rows[0][field], int | float))
    head = tuple(
        named[field].strip() or words("compare.drive" if field == "drive" else "table.item") for field in fields
    )
    return Table(picture.title, head, tuple(cells), numeric)


def _named(spec: Any) -> Iterator[tuple[str, str]]:
    """Yield (field, its title) of every channel, including tooltips."""
    if isinstance(spec, dict):
        if isinstance(spec.get("field"), str) and isinstance(spec.get("title"), str):
            yield spec["field"], spec["title"]
        for key, value in spec.items():
            if key not in ("datasets", "config"):
                yield from _named(value)
    elif isinstance(spec, list):
        for value in spec:
            yield from _named(value)


def _shape(values: Sequence[Any]) -> str:
    """Return the shape of a column: sizes and depths as they were given, measured figures with trailing zeros."""
    numbers = [value for value in values if isinstance(value, int | float)]
    return "n" if all(value % 1 == 0 or value == float(f"{value:.3g}") for value in numbers) else "measured"


def _cell(value: Any, shape: str, words: Language) -> str:
    if value is None:
        return "–"
    return words.show(value, shape) if isinstance(value, int | float) else str(value)
