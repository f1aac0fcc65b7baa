"""DuckDB, as far as the catalogue needs it: rows into Parquet, parts into one, and statements that only read."""

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from stend.base import extras, regular
from stend.base.errors import BadInput, StepFailed
from stend.base.text import plain, plain_lines
from stend.catalogue.columns import COLUMNS, ENTRY

MEMORY = "1GB"
PATIENCE_S = 60.0
SHOWN = 60
SHUT = (
    "SET temp_directory=''",
    "SET python_enable_replacements=false",
    "SET autoinstall_known_extensions=false",
    "SET autoload_known_extensions=false",
    "SET allow_community_extensions=false",
    f"SET memory_limit='{MEMORY}'",
)
LOCKED = ("SET enable_external_access=false", "SET lock_configuration=true")
"""From then on no file is opened but those that were named before, and nothing of this can be taken back."""
WRITES = "_QUERY_NODE"
"""How DuckDB's parser calls INSERT, UPDATE and DELETE inside of another statement ends."""
ZONED = "TIMESTAMP WITH TIME ZONE"
GONE = "gone"
"""The table of entries that are in parts and of no run any more."""


class Answer(NamedTuple):
    """Columns and rows of a query; `more` where there are more rows than were asked for."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    more: bool


def there() -> bool:
    """Whether this installation has DuckDB."""
    return not extras.missing("duckdb")


def _duckdb() -> Any:
    """The library itself: the face that its package puts on it costs 0.1 s of definitions that nobody asks for here."""
    extras.need("asking the catalogue", "duckdb")
    return import_module("_duckdb" if find_spec("_duckdb") else "duckdb")


def begun() -> closing[Any]:
    """A DuckDB, to be left by `with`: to begin one takes as long as to write ten files of a part."""
    return closing(_duckdb().connect())


def write(database: Any, table: str, rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """One table's rows as a Parquet file; by way of lines of JSON, which carry lists and nulls as they are."""
    lines = path.with_suffix(".json")
    regular.create(lines, b"\n".join(map(msgspec.json.encode, rows)))
    types = ", ".join(f"{_quoted(name)}: '{kind}'" for name, kind in (ENTRY | COLUMNS[table]).items())
    source = f"read_json({_text(lines)}, format='newline_delimited', columns={{{types}}})"
    try:
        database.execute(f"COPY (FROM {source}) TO {_text(path)} (FORMAT parquet, COMPRESSION zstd)")
    finally:
        lines.unlink(missing_ok=True)


def merge(database: Any, parts: Sequence[Path], gone: Iterable[int], path: Path) -> None:
    """All rows of some parts of a table in one, without those of these entries."""
    _forget(database, gone)
    database.execute(f"COPY ({_living(parts)}) TO {_text(path)} (FORMAT parquet, COMPRESSION zstd)")


def query(sql: str, parts: Mapping[str, Sequence[Path]], gone: Iterable[int], most: int | None = None) -> Answer:
    """What one statement that only reads says of the tables; at most `most` rows.

    BadInput for any other statement, and for what DuckDB does not understand; StepFailed after PATIENCE_S.
    """
    duckdb = _duckdb()
    if not sql.isprintable() and plain_lines(sql) != sql:
        raise BadInput(f"the query cannot be answered: {plain(sql)[:SHOWN]!r} is no text")
    with begun() as database:
        for setting in SHUT:
            database.execute(setting)
        _forget(database, gone)
        for table, columns in COLUMNS.items():
            database.execute(f"CREATE VIEW {table} AS {_view(columns, parts.get(table, ()))}")
        every = ", ".join(_text(path) for own in parts.values() for path in own)
        for setting in (f"SET allowed_paths=[{every}]", *LOCKED):
            database.execute(setting)
        return _asked(database, duckdb, sql, most)


def _asked(database: Any, duckdb: Any, sql: str, most: int | None) -> Answer:
    late = threading.Event()

    def end() -> None:
        late.set()
        database.interrupt()

    timer = threading.Timer(PATIENCE_S, end)
    timer.start()
    try:
        _one_that_reads(database, duckdb, sql)
        database.execute(sql)
        columns, kinds = zip(*((column[0], str(column[1])) for column in database.description), strict=True)
        if ZONED in kinds:
            database.execute(_in_words(sql, kinds))
        found = database.fetchall() if most is None else database.fetchmany(most + 1)
    except duckdb.Error as error:
        if late.is_set():
            raise StepFailed(f"the query was not done in {PATIENCE_S:g} s; ask for less at once") from error
        raise BadInput(f"the query cannot be answered: {_sentence(error)}") from error
    finally:
        timer.cancel()
    return Answer(columns, found[:most], most is not None and len(found) > most)


def _in_words(sql: str, kinds: Sequence[str]) -> str:
    """The same with times that have a zone as text, which Python cannot hold without one more library."""
    names = [f"c{number}" for number in range(len(kinds))]
    told = ", ".join(f"{name}::VARCHAR" if kind == ZONED else name for name, kind in zip(names, kinds, strict=True))
    return f"SELECT {told} FROM (\n{sql.strip().rstrip(';')}\n) AS t({', '.join(names)})"  # noqa: S608 it only reads


def _one_that_reads(database: Any, duckdb: Any, sql: str) -> None:
    kinds = [str(statement.type).rpartition(".")[2] for statement in database.extract_statements(sql)]
    if kinds == ["MULTI"]:
        raise BadInput("a PIVOT here must name its values: PIVOT figures ON model IN ('A', 'B') USING avg(iops)")
    if len(kinds) != 1:
        raise BadInput(f"a query is one statement, and there are {len(kinds)}")
    if kinds != ["SELECT"]:
        raise BadInput(f"a query only reads: SELECT, FROM, WITH, DESCRIBE or SUMMARIZE, not {kinds[0]}")
    tree = database.execute("SELECT json_serialize_sql(?)", [sql]).fetchone()[0]
    for kind in _kinds(msgspec.json.decode(tree)):
        if kind.endswith(WRITES):
            raise BadInput(f"a query only reads; this one has {kind.removesuffix(WRITES)} in its WITH")


def _kinds(tree: Any) -> Iterator[str]:
    """Yield the type of every node of a statement, as DuckDB's parser understands it."""
    if isinstance(tree, dict) and isinstance(kind := tree.get("type"), str):
        yield kind
    for part in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ():
        yield from _kinds(part)


def _forget(database: Any, gone: Iterable[int]) -> None:
    """A table of the entries whose rows count no more."""
    database.execute(f"CREATE OR REPLACE TEMP TABLE {GONE} AS SELECT unnest(?::BIGINT[]) AS entry", [list(gone)])


def _living(parts: Sequence[Path]) -> str:
    files = ", ".join(map(_text, parts))
    return f"SELECT * FROM read_parquet([{files}]) WHERE entry NOT IN (FROM {GONE})"  # noqa: S608 our own names


def _view(columns: Mapping[str, str], parts: Sequence[Path]) -> str:
    names = ", ".join(map(_quoted, columns))
    if parts:
        return f"SELECT {names} FROM ({_living(parts)})"  # noqa: S608 our own names
    return "SELECT " + ", ".join(f"NULL::{kind} AS {_quoted(name)}" for name, kind in columns.items()) + " LIMIT 0"


def _text(word: Path | str) -> str:
    return "'" + str(word).replace("'", "''") + "'"


def _quoted(name: str) -> str:
    return f'"{name}"'


def _sentence(error: Exception) -> str:
    """DuckDB's complaint without the drawing that follows it."""
    said = " ".join(
        line.strip() for line in str(error).split("\n\nLINE ")[0].split("Traceback")[0].splitlines() if line.strip()
    )
    return plain(said[:300]).rstrip(".")
