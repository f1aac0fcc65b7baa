"""Tables of the API by themselves: their text and HTML to the letter, their columns, and what each of them lacks."""

from typing import Any

import pytest

from stend.api import samples, shown
from stend.api.runs import Answered
from stend.api.shown import Rows
from stend.api.table import Table
from stend.base import extras
from stend.base.errors import BadInput, Missing
from stend.report.parts import Table as Drawn

DRAWN = Drawn("", ("a", "wide one"), (("1", "2"), ("<333>", "\x1b[1m")))
TYPES = {"n": "BIGINT", "word": "VARCHAR", "share": "DOUBLE", "good": "BOOLEAN"}
ROWS: list[dict[str, Any]] = [
    {"n": 1, "word": "x", "share": None, "good": True},
    {"n": 2, "word": None, "share": 0.5, "good": False},
]


def test_columns_of_a_text_are_as_wide_as_their_widest_cell_and_lines_end_without_spaces() -> None:
    assert shown.text(DRAWN) == "a      wide one\n1      2\n<333>  \\x1b[1m"
    assert shown.text(Drawn("", ("long head", "b"), (("1", ""),))) == "long head  b\n1"


@pytest.mark.parametrize(("title", "caption"), [("", ""), ("T & t", "<caption>T &amp; t</caption>")])
def test_a_table_in_a_notebook_has_a_caption_if_it_has_a_title_and_no_markup_of_others(
    title: str, caption: str
) -> None:
    assert shown.html(Drawn(title, DRAWN.head, DRAWN.rows)) == (
        f"<table>{caption}<thead><tr><th>a</th><th>wide one</th></tr></thead>"
        "<tbody><tr><td>1</td><td>2</td></tr><tr><td>&lt;333&gt;</td><td>\\x1b[1m</td></tr></tbody></table>"
    )


def test_rows_that_pass_a_test_keep_their_part_of_the_table() -> None:
    rows = Rows.of([10, 20], DRAWN)
    assert (tuple(rows), repr(rows)) == ((10, 20), shown.text(DRAWN))
    kept = rows.where(lambda row: row > 10)
    assert (tuple(kept), repr(kept)) == ((20,), "a      wide one\n<333>  \\x1b[1m")
    assert kept._repr_html_() == shown.html(Drawn("", DRAWN.head, DRAWN.rows[1:]))


@pytest.mark.parametrize("way", ["rows", "columns"])
def test_a_table_has_its_columns_in_order_and_a_length(way: str) -> None:
    columns = {name: [row[name] for row in ROWS] for name in reversed(TYPES)}
    table = Table(TYPES, ROWS) if way == "rows" else Table.of(TYPES, columns)
    assert (table.columns, tuple(table), len(table)) == (tuple(TYPES), tuple(TYPES), 2)
    assert (table["n"], table.values("share")) == ([1, 2], [None, 0.5])
    assert repr(table) == "<stend table of 2 rows, 4 columns: n, word, share, good>"
    with pytest.raises(BadInput, match=r"^the table has no column 'm'; choose from: n, word, share, good$"):
        table["m"]


def test_a_table_without_columns_or_rows_has_no_length() -> None:
    assert len(Table.of({}, {})) == len(Table({}, [])) == len(Table.of({"n": "BIGINT"}, {"n": []})) == 0
    assert len(Table({}, [{}, {}])) == 2


def test_an_answer_has_its_columns_and_shows_lists_and_nulls_as_people_read_them() -> None:
    answer = Answered(("run", "tests", "n"), [("a", ["x", "y"], None), ("b", ("z",), 0)], False)
    assert (answer.values("run"), answer.values("n")) == (["a", "b"], [None, 0])
    assert repr(answer) == "run  tests  n\na    x, y\nb    z      0"
    with pytest.raises(BadInput, match=r"^the answer has no column 'm'; choose from: run, tests, n$"):
        answer.values("m")


@pytest.mark.parametrize(
    ("act", "what", "library"),
    [
        ("df", "a table for pandas", "pandas"),
        ("pl", "a table for polars", "polars"),
        ("to_arrow", "a table of pyarrow", "pyarrow"),
        ("__arrow_c_stream__", "a table for Arrow", "duckdb"),
    ],
)
def test_each_form_of_a_table_names_the_library_that_it_needs(
    act: str, what: str, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None)
    answer: Any = Answered(("n",), [(1,)], False)
    for table in [Table(TYPES, ROWS), answer] if act in ("df", "pl") else [Table(TYPES, ROWS)]:
        with pytest.raises(Missing, match=f"^{what} needs {library}, which is not installed: `pip install "):
            getattr(table, act)()


def test_a_share_of_nothing_is_none() -> None:
    import numpy as np

    assert samples._share(np.array([4.0, 4.0, 0.0]), np.array([2.0, 0.0, 5.0])) == [2.0, None, 0.0]
