"""DuckDB for the catalogue: write rows to Parquet, merge parts, and run statements that only read."""

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
from stend.words import english

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
"""From then on DuckDB opens only files that were named before, and this cannot be undone."""
WRITES = "_QUERY_NODE"
"""Suffix of the parser's names for INSERT, UPDATE and DELETE inside another statement."""
ZONED = "TIMESTAMP WITH TIME ZONE"
GONE = "gone"
"""Table of entries that are in parts but belong to no run any more."""


class Answer(NamedTuple):
    """Columns and rows of a query. `more` is true if the limit cut off rows."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]
    more: bool


def there() -> bool:
    """Return True if DuckDB is installed."""
    return not extras.missing("duckdb")


def _duckdb() -> Any:
    """Import the library itself, because its Python package needs 0.1 s for definitions that are not used here."""
    extras.need("querying the catalogue", "duckdb")
    return import_module("_duckdb" if find_spec("_duckdb") else "duckdb")


_encode = msgspec.json.Encoder(enc_hook=english).encode


def begun() -> closing[Any]:
    """Start a DuckDB, to be closed by `with`. Starting one takes as long as writing ten files of a part."""
    return closing(_duckdb().connect())


def write(database: Any, table: str, rows: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Write the rows of a table as a Parquet file, through JSON lines, which keep lists and nulls."""
    lines = path.with_suffix(".json")
    regular.create(lines, b"\n".join(map(_encode, rows)))
    types = ", ".join(f"\"{name}\": '{kind}'" for name, kind in (ENTRY | COLUMNS[table]).items())
    source = f"read_json({_text(lines)}, format='newline_delimited', columns={{{types}}})"
    try:
        database.execute(f"COPY (FROM {source}) TO {_text(path)} (FORMAT parquet, COMPRESSION zstd)")
    finally:
        lines.unlink(missing_ok=True)


def merge(database: Any, parts: Sequence[Path], gone: Iterable[int], path: Path) -> None:
    """Merge parts of a table into a file, without the rows of these entries."""
    _forget(database, gone)
    database.execute(f"COPY ({_living(parts)}) TO {_text(path)} (FORMAT parquet, COMPRESSION zstd)")


def query(sql: str, parts: Mapping[str, Sequence[Path]], gone: Iterable[int], most: int | None = None) -> Answer:
    """Run a statement that only reads, and return at most `most` rows.

    Raise BadInput for any other statement and for errors of DuckDB, StepFailed after PATIENCE_S.
    """
    duckdb = _duckdb()
    if not sql.isprintable() and plain_lines(sql) != sql:
        raise BadInput(f"the query cannot be answered: {plain(sql)[:SHOWN]!r} is not plain text")
    with begun() as database:
        for setting in SHUT:
            database.execute(setting)
        _forget(database, gone)
        for table, columns in COLUMNS.items():
            database.execute(f"CREATE VIEW {table} AS {_view(columns, parts.get(table, ()))}")
        every = ", ".join(_text(path) for files in parts.values() for path in files)
        for setting in (f"SET allowed_paths=[{every}]", *LOCKED):
            database.execute(setting)
        return _answer(database, duckdb, sql, most)


def _answer(database: Any, duckdb: Any, sql: str, most: int | None) -> Answer:
    late = threading.Event()

    def end() -> None:
        late.set()
        database.interrupt()

    timer = threading.Timer(PATIENCE_S, end)
    timer.start()
    try:
        _demand_read_only(database, sql)
        database.execute(sql)
        columns, kinds = zip(*((column[0], str(column[1])) for column in database.description), strict=True)
        if ZONED in kinds:
            database.execute(_in_words(sql, kinds))
        rows = database.fetchall() if most is None else database.fetchmany(most + 1)
    except duckdb.Error as error:
        if late.is_set():
            raise StepFailed(f"the query was not done in {PATIENCE_S:g} s; select fewer rows") from error
        raise BadInput(
            f"the query cannot be answered: {_sentence(error)}; `DESCRIBE figures` lists the columns of a table"
        ) from error
    finally:
        timer.cancel()
    return Answer(columns, rows[:most], most is not None and len(rows) > most)


def _in_words(sql: str, kinds: Sequence[str]) -> str:
    """Return the statement with zoned times as text. For zoned times Python would need another library."""
    names = [f"c{number}" for number in range(len(kinds))]
    selected = ", ".join(f"{name}::VARCHAR" if kind == ZONED else name for name, kind in zip(names, kinds, strict=True))
    return f"SELECT {selected} FROM (\n{sql.strip().rstrip(';')}\n) AS t({', '.join(names)})"  # noqa: S608 it only reads


def _demand_read_only(database: Any, sql: str) -> None:
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
    """Yield the type of every node of a statement, as DuckDB's parser reports it."""
    if isinstance(tree, dict) and isinstance(kind := tree.get("type"), str):
        yield kind
    for part in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ():
        yield from _kinds(part)


def _forget(database: Any, gone: Iterable[int]) -> None:
    """Create the table of entries whose rows are no longer valid."""
    database.execute(f"CREATE OR REPLACE TEMP TABLE {GONE} AS SELECT unnest(?::BIGINT[]) AS entry", [list(gone)])


def _living(parts: Sequence[Path]) -> str:
    files = ", ".join(map(_text, parts))
    return f"SELECT * FROM read_parquet([{files}]) WHERE entry NOT IN (FROM {GONE})"  # noqa: S608 fixed names


def _view(columns: Mapping[str, str], parts: Sequence[Path]) -> str:
    names = ", ".join(f'"{name}"' for name in columns)
    if parts:
        return f"SELECT {names} FROM ({_living(parts)})"  # noqa: S608 fixed names
    return "SELECT " + ", ".join(f'NULL::{kind} AS "{name}"' for name, kind in columns.items()) + " LIMIT 0"


def _text(word: Path | str) -> str:
    return "'" + str(word).replace("'", "''") + "'"


def _sentence(error: Exception) -> str:
    """Return DuckDB's error message without the quoted statement."""
    message = " ".join(
        line.strip() for line in str(error).split("\n\nLINE ")[0].split("Traceback")[0].splitlines() if line.strip()
    )
    return plain(message[:300]).rstrip(".")
