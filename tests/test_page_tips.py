"""Tooltips of a page group the digits of numbers as its axes and texts do."""

from pathlib import Path
from typing import Any

import pytest

from stend.charts.parts import Drawing, axis
from stend.charts.parts.marks import lines, series
from stend.charts.parts.theme import finished
from stend.report import html
from stend.report.parts import Page, Section
from stend.words import Language

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(
    ("lang", "shown"), [("en", ["1,234", "9,876", "12,340"]), ("ru", ["1234", "9876", "12\u00a0340"])]
)
def test_a_tooltip_groups_digits_as_the_text_does(browser: Any, tmp_path: Path, lang: str, shown: list[str]) -> None:
    words = Language(lang)
    rows = [{"t": t, "v": v, "way": "a < b"} for t, v in enumerate((1234.0, 9876.0, 12_340.0))]
    chart = lines(axis("t", "T"), axis("v", "V"), series("way", "Way", ["a < b"]), size=400)
    picture = finished("plot", Drawing("Rates", chart, {"rows": rows}), words, [])
    page = html.rendered(Page("Drive", lang, "", words, Section("lead", "", ()), (Section("s", "S", (picture,)),)))
    (tmp_path / "page.html").write_text(page)
    tab = browser.new_page()
    tab.goto((tmp_path / "page.html").as_uri() + "#all")
    tab.wait_for_selector("figure.drawn")
    told = []
    for point in tab.query_selector_all("svg.marks .mark-symbol.role-mark path"):
        point.hover(force=True)
        tab.wait_for_selector("#vg-tooltip-element.visible")
        told.append([cell.inner_text() for cell in tab.query_selector_all("#vg-tooltip-element td.value")])
    assert [cells[-1] for cells in told] == shown
    assert {cells[0] for cells in told} == {"a < b"}
    assert [words.show(row["v"], "rate") for row in rows] == shown
