"""Every column of the CSV, of Parquet and of the catalogue's tables: type, unit, meaning."""

from collections.abc import Iterator, Mapping

from docs.made import marks
from docs.made.words import WORDS

from stend.catalogue.columns import COLUMNS, WAITS
from stend.model.quantities import OTHERS, QUANTITIES
from stend.model.tally import PERCENTS
from stend.report.parts import records
from stend.words import Language

PERCENTILES = {column: PERCENTS[name] for column, name in (records.WAITS | WAITS).items() if name in PERCENTS}
TABLES: dict[str, Mapping[str, str]] = {"records": records.COLUMNS, **COLUMNS}


def page() -> str:
    """Return the page of columns."""
    return marks.page("columns", "CSV and Parquet columns", *(part for name in TABLES for part in _table(name)))


def _table(name: str) -> Iterator[str]:
    rows = [(marks.code(column), kind, unit(column), meaning(name, column)) for column, kind in TABLES[name].items()]
    yield f"## {name}\n\n{WORDS['tables'][name]}\n\n{marks.table(('column', 'type', 'unit', 'meaning'), rows)}"


def unit(column: str) -> str:
    """Return the unit of a column; percentiles of response times are in seconds."""
    return "s" if column in PERCENTILES else QUANTITIES[column].unit if column in OTHERS else marks.unit(column)


def meaning(table: str, column: str) -> str:
    """Return the meaning of a column: for this table, for all tables, or by its name without a direction.

    Raise KeyError if words.toml does not have it.
    """
    special = WORDS["columns"].get(table, {})
    for key in (column, column.removeprefix("read_"), column.removeprefix("write_")):
        if key in special or key in WORDS["columns"]["all"]:
            return str(special.get(key) or WORDS["columns"]["all"][key])
        if key in PERCENTILES:
            return str(WORDS["columns"]["all"]["percentile"]).format(percent=f"{PERCENTILES[key]:g}")
    if column in OTHERS:
        return Language("en")(f"quantity.{column}")
    raise KeyError(f"words.toml does not describe {table}.{column}")
