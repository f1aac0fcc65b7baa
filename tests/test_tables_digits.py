"""Figures of one column of a table have the same number of significant digits."""

import pytest

from stend.charts import Picture
from stend.charts.overlay.ratio_map import change
from stend.report.parts import fallback
from stend.words import Language

EN = Language("en")


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
    ("ratio", "shown"), [(0.81, "−19.0%"), (1.01, "+1.0%"), (1.014, "+1.4%"), (0.79, "−21%"), (1.0002, "0.0%")]
)
def test_changes_below_a_fifth_have_one_decimal_place(ratio: float, shown: str) -> None:
    assert change(ratio, EN) == shown
