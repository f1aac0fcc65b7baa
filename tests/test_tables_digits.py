"""Tables of the numbers of a chart: heads, and as many digits in all rows of a column."""

import re

import pytest
from msgspec.structs import replace

from stend import charts
from stend.charts import Picture
from stend.charts.overlay.ratio_map import change
from stend.charts.parts.figures import named
from stend.cli import _steady, _summary
from stend.many.sides import Key
from stend.model.stats import steady_state
from stend.report.parts import fallback, tables
from stend.words import LANGUAGES, Language
from tests.synthetic import made

EN = Language("en")


def test_a_window_just_outside_its_limits_is_not_shown_as_on_them() -> None:
    bare = steady_state([(1, 110.0), (2, 89.96), (3, 100.0), (4, 110.0), (5, 90.0)])
    assert bare
    assert not bare.steady
    verdict = replace(bare, label="RND 4K 0/100 T4 Q32", quantity="iops")
    values = {"phase": "rounds", "round": 5, "excursion": verdict.excursion / verdict.average, "slope": 0.10004}
    told = EN("finding.steady_state.unmet", **values)
    assert "moved by 20.04% of the average, the slope by 10.004%" in told
    assert "range 20.04% (at most 20%)" in _summary._verdict(verdict)
    assert "20.04 % of the mean, at most 20 %" in _steady.reason([verdict])
    assert _steady._pct(1.00003 * verdict.average, verdict) == "100 %"
    column = tables._column(verdict, EN)
    assert (column["excursion_allowed"], column["excursion"]) == ("20", "20 (20.04%)")


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ([0.1104, 0.1234, 1.2, None, 728_267.0], ["0.110", "0.123", "1.20", "–", "728,267"]),
        ([0.5, 8.0, 32.0, 1024.0], ["0.5", "8", "32", "1,024"]),  # sizes as they were given
        ([1, 2, 3], ["1", "2", "3"]),
    ],
)
def test_measured_numbers_of_a_chart_keep_their_last_zeros(values: list[float | None], shown: list[str]) -> None:
    spec = {"encoding": {"x": {"field": "v", "title": "V"}}, "datasets": {"rows": [{"v": value} for value in values]}}
    table = fallback.table_of(Picture("name", "Title", spec, "says"), EN)
    assert table
    assert [row[0] for row in table.rows] == shown


@pytest.mark.parametrize(
    ("lang", "shown"),
    [
        ("en", ["0.05", "0.57", "1.20", "3.00", "10.0", "45.0", "100", "728"]),
        ("ru", ["0,05", "0,57", "1,20", "3,00", "10,0", "45,0", "100", "728"]),
    ],
)
def test_the_cells_of_a_map_keep_their_last_zeros(lang: str, shown: list[str]) -> None:
    cells = [Language(lang).show(value, "cell") for value in (0.05, 0.571, 1.2, 3.0, 9.996, 45.0, 99.96, 728.0)]
    assert cells == shown


def test_the_table_of_a_chart_has_each_axis_once_and_its_published_ranges() -> None:
    axes = {"x": {"field": "v", "title": "V"}, "y": {"field": "n", "title": "N"}}
    bar = {"encoding": {"x": {"field": "low", "title": "V"}, "x2": {"field": "high"}}}
    spans = [{"n": "B", "from": 130_000, "to": 140_000}, {"n": "C", "from": 47_000, "to": 47_000}]
    sets = {"rows": [{"n": "A", "v": 3, "low": 1, "high": 4}], "published": spans}
    table = fallback.table_of(Picture("name", "T", {"layer": [{"encoding": axes}, bar], "datasets": sets}, "says"), EN)
    assert table
    assert (table.head, table.rows) == (("N", "V"), (("A", "3"), ("B", "130,000 … 140,000"), ("C", "47,000")))


def test_a_map_of_iops_in_thousands_has_three_digits_in_every_cell() -> None:
    run = made("iops", shorten=60, rounds=5)
    texts = {
        row["text"]
        for one in charts.of(run, run.plan.tests[0])
        for row in one.spec["datasets"]["rows"]
        if "text" in row
    }
    assert texts
    assert [text for text in texts if not re.fullmatch(r"\d\.\d\d|\d\d\.\d|\d{3}", text)] == []


@pytest.mark.parametrize(
    ("ratio", "shown"), [(0.81, "−19.0%"), (1.01, "+1.0%"), (1.014, "+1.4%"), (0.79, "−21%"), (1.0002, "0.0%")]
)
def test_changes_below_a_fifth_have_one_decimal_place(ratio: float, shown: str) -> None:
    assert change(ratio, EN) == shown


@pytest.mark.parametrize("shape", ["change", "tenths"])
@pytest.mark.parametrize(("of", "shown"), [(200, "to 1/200"), (800, "to 1/800"), (12345, "to 1/12,345")])
def test_a_drive_that_still_answers_is_not_slower_by_all_of_it(of: int, shown: str, shape: str) -> None:
    assert change(1 / of, EN, shape) == shown
    assert change(1 / 198, EN, shape) in {"−99%", "−99.5%"}
    assert change(0.0, EN, shape) in {"−100%", "−100.0%"}


def test_changes_in_a_map_have_one_decimal_place() -> None:
    assert [change(ratio, EN, "tenths") for ratio in (0.8, 1.196, 1.4, 1.0002)] == [
        "−20.0%",
        "+19.6%",
        "+40.0%",
        "0.0%",
    ]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_numbers_of_a_chart_without_a_title_of_its_axis_have_a_head(lang: str) -> None:
    named = {"x": {"field": "iops", "title": "IOPS"}, "y": {"field": "row", "title": ""}}
    spec = {"encoding": named, "datasets": {"rows": [{"row": "reads", "iops": 1.0}]}}
    table = fallback.table_of(Picture("name", "Title", spec, "says"), Language(lang))
    assert table
    assert all(table.head)
    assert len(table.head) == 2


@pytest.mark.parametrize("lang", LANGUAGES)
def test_rows_of_loads_are_named_in_words(lang: str) -> None:
    run, words = made("iops", shorten=60, rounds=5), Language(lang)
    (test,) = run.plan.tests
    made_of = [*tables.verification(run, test, words), *tables.raw(run, words), *tables.workloads(run, test, words)]
    names = [name for table in made_of for name in (*table.head, *(row[0] for row in table.rows))]
    assert any(words.show("RND 4K 0/100 T4 Q32", "load") in name for name in names)
    assert [name for name in names if re.search("RND|SEQ", name)] == []


@pytest.mark.parametrize(
    ("phase", "block", "quantity", "name"),
    [
        ("rounds-4k-t8q16", "4K", "iops", "IOPS: random read 4 KiB, T8 Q16"),
        ("rounds-4k-t8q1", "4K", "iops", "IOPS, rounds, T8 Q1: random read 4 KiB, T8 Q16"),  # Q1 is not Q16
        ("rounds-q16", "8K", "iops", "IOPS: random read 8 KiB, T8 Q16"),
        ("rounds-q16", "8K", "mean", "IOPS: random read 8 KiB, T8 Q16, mean response"),
        ("histogram", "8K", "iops", "IOPS, histogram: random read 8 KiB, T8 Q16"),
    ],
)
def test_a_figure_is_named_without_what_phase_and_load_have_in_common(
    phase: str, block: str, quantity: str, name: str
) -> None:
    key = Key("iops", phase, "window", 100, 100, block, 8, 16, 1, "both")
    assert named(key, quantity, EN).replace("\u00a0", " ") == name
