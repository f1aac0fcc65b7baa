"""SQL over rows that a test writes itself: what counts, what is cut off, and the sentence of each refusal."""

from pathlib import Path
from typing import Any

import pytest

from stend.base.errors import BadInput
from stend.catalogue import database
from stend.catalogue.columns import COLUMNS

NOTES = [{"entry": n, "run": f"run{n}", "t_s": n / 2, "kind": "it's", "text": None} for n in range(1, 6)]
BINS = [{"entry": 1, "run": "a", "figure": 0, "direction": "both", "bin": [7, 9], "count": [1, 2**40]}]


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Path]]:
    """Two parts of notes, in a folder whose name has a quote in it, and one of bins."""
    folder = tmp_path_factory.mktemp("it's")
    first, second, third = (folder / f"{number}.parquet" for number in (1, 2, 3))
    with database.begun() as writer:
        for table, rows, path in (("notes", NOTES[:3], first), ("notes", NOTES[3:], second), ("bins", BINS, third)):
            database.write(writer, table, rows, path)
    assert sorted(path.name for path in folder.iterdir()) == ["1.parquet", "2.parquet", "3.parquet"]
    return {"notes": [first, second], "bins": [third]}


def asked(tables: dict[str, list[Path]], sql: str, gone: Any = (), most: int | None = None) -> database.Answer:
    return database.query(sql, tables, gone, most)


def test_rows_are_those_that_were_written_without_those_of_entries_that_are_gone(tables: dict[str, list[Path]]) -> None:
    every = [(f"run{n}", n / 2, "it's", None) for n in range(1, 6)]
    assert asked(tables, "FROM notes ORDER BY run") == (("run", "t_s", "kind", "text"), every, False)
    assert asked(tables, "FROM notes ORDER BY run;", {2, 5}).rows == [every[0], *every[2:4]]
    assert asked(tables, "SELECT bin, count FROM bins").rows == [([7, 9], [1, 2**40])]


@pytest.mark.parametrize(
    ("most", "count", "more"), [(None, 5, False), (6, 5, False), (5, 5, False), (4, 4, True), (0, 0, True)]
)
def test_rows_beyond_the_limit_are_cut_off_and_that_is_stated(
    most: int | None, count: int, more: bool, tables: dict[str, list[Path]]
) -> None:
    answer = asked(tables, "SELECT run FROM notes", most=most)
    assert (len(answer.rows), answer.more) == (count, more)


@pytest.mark.parametrize("table", COLUMNS)
def test_a_table_without_parts_has_its_columns_and_no_rows(table: str) -> None:
    assert database.query(f"FROM {table}", {}, ()) == (tuple(COLUMNS[table]), [], False)
    kinds = database.query(f"DESCRIBE {table}", {}, ()).rows
    assert [row[1] for row in kinds] == [*COLUMNS[table].values()]


def test_merged_parts_are_one_file_without_what_is_gone(tables: dict[str, list[Path]], tmp_path: Path) -> None:
    with database.begun() as writer:
        database.merge(writer, tables["notes"], [1, 4], tmp_path / "all.parquet")
    answer = database.query("SELECT run FROM notes ORDER BY run", {"notes": [tmp_path / "all.parquet"]}, ())
    assert answer.rows == [("run2",), ("run3",), ("run5",)]


@pytest.mark.parametrize(
    ("sql", "row"),
    [
        ("SELECT TIMESTAMPTZ '2026-01-02 03:04:05+00' AS t, 1 AS n", ("2026-01-02 03:04:05+00", 1)),
        (" SELECT 1 AS n, TIMESTAMPTZ '2026-01-02 03:04:05+00' AS t ; ", (1, "2026-01-02 03:04:05+00")),
        ("SELECT\n\t1", (1,)),
    ],
)
def test_a_time_with_a_zone_is_text(sql: str, row: tuple[Any, ...]) -> None:
    """The zone is that of the host, so that only the moment is compared."""
    (found,) = database.query(sql, {}, ()).rows
    assert [type(value) for value in found] == [type(value) for value in row]
    assert [value for value in found if isinstance(value, int)] == [value for value in row if isinstance(value, int)]
    for value in found:
        if isinstance(value, str):
            moment = database.query(f"SELECT TIMESTAMPTZ '{value}' = TIMESTAMPTZ '2026-01-02 03:04:05+00'", {}, ())
            assert moment.rows == [(True,)]


@pytest.mark.parametrize(
    ("sql", "sentence"),
    [
        ("", "a query is one statement, and there are 0"),
        ("SELECT 1; SELECT 2", "a query is one statement, and there are 2"),
        ("DROP TABLE notes", "a query only reads: SELECT, FROM, WITH, DESCRIBE or SUMMARIZE, not DROP"),
        ("SELECT 1\x1b[1m" + "x" * 60, "the query cannot be answered: "
         + repr(("SELECT 1\\x1b[1m" + "x" * 60)[:60]) + " is not plain text"),
        ("SELECT odd FROM notes", None),
    ],
)  # fmt: skip
def test_a_query_that_cannot_be_answered_is_refused_in_one_sentence(sql: str, sentence: str | None) -> None:
    with pytest.raises(BadInput) as refused:
        database.query(sql, {}, ())
    if sentence is None:
        assert str(refused.value).startswith('the query cannot be answered: Binder Error: Referenced column "odd"')
        assert str(refused.value).endswith("; `DESCRIBE figures` lists the columns of a table")
        assert "LINE" not in str(refused.value)
    else:
        assert str(refused.value) == sentence


@pytest.mark.parametrize(
    ("message", "sentence"),
    [
        ("Binder Error: no.\n  Maybe: yes.\n\nLINE 1: SELECT", "Binder Error: no. Maybe: yes"),
        ("a\n\n  \nb Traceback (most recent call last)", "a b"),
        ("x" * 300 + "y", "x" * 300),
        ("x" * 299 + ".", "x" * 299),
        ("\x1b", r"\x1b"),
    ],
)
def test_an_error_of_duckdb_is_one_line_without_the_statement(message: str, sentence: str) -> None:
    assert database._sentence(ValueError(message)) == sentence
