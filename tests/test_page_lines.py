"""Lines of a page end neither within an option nor within a short name; a note is below its table, not in its box."""

import re

import pytest

from stend.charts.parts import Drawing, axis
from stend.charts.parts.theme import finished
from stend.charts.parts.vega import Chart
from stend.report import html
from stend.report.parts import Item, Items, Page, Section, Table, Text
from stend.report.parts.markup import whole
from stend.words import Language


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a smaller ?scale= shows more", ["?scale="]),
        ("stend run iops --style pts", ["--style"]),
        ("fw-1.0-1 and fw-1.0-2", ["fw-1.0-1", "fw-1.0-2"]),
        ("sim:small?firmware=1.0", ["?firmware="]),
        ("OCZ SB1CSK31MT570-0480, 2016-11-26, 0-1", []),  # a long name may break, and a date is no name
        ("read-mostly", []),
    ],
)
def test_what_no_line_ends_within(text: str, kept: list[str]) -> None:
    shown = str(whole(text))
    assert re.findall(r'<span class="whole">(.*?)</span>', shown) == kept
    assert re.sub("<[^>]+>", "", shown) == text  # copied as it was written


def test_what_is_kept_whole_stays_text() -> None:
    assert str(whole("<b>a-1</b>")) == '&lt;b&gt;<span class="whole">a-1</span>&lt;/b&gt;'


def test_every_text_of_a_page_is_kept_whole_and_a_note_is_below_the_box_of_its_table() -> None:
    name = "fw-1.0-1"
    table = Table("Drives", ("Run", "Drive"), ((name, name),), note=f"A note on {name}.")
    blocks = Text(f"A text of {name}."), Items("", (Item(f"An item of {name}."),)), table
    page = html.rendered(Page("Drive", "en", "", Language("en"), Section("lead", "", blocks), ()))
    body = page.partition("<body>")[2].partition("<script>")[0]
    assert body.count(f'<span class="whole">{name}</span>') == body.count(name) == 5
    (box,) = re.findall(r'<div class="scroll".*?</div>', body, re.DOTALL)
    assert "A note" not in box
    assert "A note" in body


@pytest.mark.parametrize("drawn", [True, False])
def test_a_page_without_charts_does_not_explain_how_to_zoom(*, drawn: bool) -> None:
    words, x = Language("en"), axis("a", "x")
    picture = finished("x", Drawing("X", Chart().mark("point").encode(x=x), {"rows": [{"a": 1}]}), words, [])
    page = Page("Drive", "en", "", words, Section("lead", "", (picture,) if drawn else ()), ())
    assert (words("page.zoom") in html.rendered(page)) == drawn
