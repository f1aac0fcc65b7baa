"""Pages on a phone, in a real browser (`make pages`): wide tables, maps and subtitles of charts."""

from pathlib import Path
from typing import Any

import pytest

from stend.report import html
from stend.report.parts import Page, Section, Table
from stend.report.parts.markup import template_text
from stend.words import Language

pytestmark = pytest.mark.browser
PHONE = {"width": 390, "height": 800}
PAGE = """<style>%s</style><div class="scroll" id="narrow"><table><tr><td>a</td></tr></table></div>
<details><summary>numbers</summary><div class="scroll" id="wide"><table><tr>%s</tr></table></div></details>
<script>window.figuresNear = () => {};</script><script>%s</script>"""
EDGES = """(id) => [...document.getElementById(id).classList].filter((name) => name !== 'scroll').join(' ')"""
WAIT = """(edges) => [...document.getElementById('wide').classList].sort().join(' ') === edges"""
SHADOW = "() => getComputedStyle(document.getElementById('wide')).boxShadow"
SEVEN = [f"{n} threads" for n in range(7)]
NARROW_PX, WIDE_PX = 390, 900


def page_of(browser: Any, folder: Path, text: str) -> Any:
    """Return an open page of this text on a phone."""
    file = folder / "page.html"
    file.write_text(f"<!doctype html><body>{text}</body>")
    page = browser.new_context(viewport=PHONE, offline=True).new_page()
    page.goto(file.as_uri())
    return page


def test_a_table_has_a_shadow_where_it_continues_beyond_the_edge(browser: Any, tmp_path: Path) -> None:
    cells = "<td>1234567890</td>" * 20
    page = page_of(browser, tmp_path, PAGE % (template_text("page.css"), cells, template_text("page.js")))
    page.evaluate("document.querySelector('details').open = true")
    for scrolled, edges, shadows in ((0, "after", 1), (100, "after before", 2), (10_000, "before", 1)):
        page.evaluate(f"document.getElementById('wide').scrollLeft = {scrolled}")
        page.wait_for_function(WAIT, arg=f"{edges} scroll" if edges != "before" else "before scroll")
        assert page.evaluate(SHADOW).count("16px") == shadows
    assert page.evaluate(EDGES, "narrow") == ""


def fitted(browser: Any, folder: Path, spec: dict[str, Any], width: int) -> dict[str, Any]:
    """Return a chart as figures.js fits it to a width."""
    page = page_of(browser, folder, f"<script>{template_text('figures.js')}</script>")
    fit: dict[str, Any] = page.evaluate(f"(spec) => figureFitted(spec, {width}, true)", spec)
    return fit


def heat_map(columns: list[str], rows: list[str], text: str) -> dict[str, Any]:
    x = {"field": "x", "type": "nominal", "sort": columns}
    y = {"field": "y", "type": "nominal", "sort": rows}
    view = {"mark": {"type": "rect"}, "encoding": {"x": x, "y": y}}
    label = {"mark": {"type": "text", "fontSize": 11}, "encoding": {"x": x, "y": y}}
    cells = [{"x": column, "y": row, "text": text} for column in columns for row in rows]
    return {"layer": [view, label], "height": 100, "datasets": {"rows": cells}, "config": {}, "title": {"text": "M"}}


@pytest.mark.parametrize(
    ("columns", "text", "width", "turned"),
    [
        (SEVEN, "123,456", NARROW_PX, True),
        (SEVEN, "123,456", WIDE_PX, False),  # there is room
        (SEVEN, "1", NARROW_PX, False),  # short numbers fit
        (SEVEN[:2], "123,456", NARROW_PX, False),  # few columns fit
    ],
)
def test_a_map_that_is_too_wide_for_a_phone_is_turned(
    browser: Any, tmp_path: Path, columns: list[str], text: str, width: int, turned: bool
) -> None:
    rows = ["4 KiB", "8 KiB", "64 KiB"]
    spec = fitted(browser, tmp_path, heat_map(columns, rows, text), width)
    shown = [[view["encoding"][name]["sort"] for name in "xy"] for view in spec["layer"]]
    assert shown == [[rows, columns] if turned else [columns, rows]] * 2
    assert (spec["height"] > 200) == turned, "seven rows need more height than three"


def test_numbers_of_a_map_that_stays_too_wide_are_smaller(browser: Any, tmp_path: Path) -> None:
    spec = fitted(browser, tmp_path, heat_map(SEVEN, SEVEN, "123,456"), NARROW_PX)
    assert spec["layer"][1]["mark"]["fontSize"] == 9
    assert fitted(browser, tmp_path, heat_map(SEVEN, SEVEN, "1"), NARROW_PX)["layer"][1]["mark"]["fontSize"] == 11


@pytest.mark.parametrize("key", ["text", "subtitle"])
def test_titles_and_subtitles_are_broken_into_lines_that_fit(browser: Any, tmp_path: Path, key: str) -> None:
    words = " · ".join(["steady state not reached"] * 8)
    title = {"text": "T", "subtitle": ["S"]} | {key: words if key == "text" else [words[:60], words[61:]]}
    lines = fitted(browser, tmp_path, {"title": title, "config": {}, "mark": "bar"}, NARROW_PX)["title"][key]
    again = fitted(browser, tmp_path, {"title": title, "config": {}, "mark": "bar"}, WIDE_PX)["title"][key]
    assert " ".join(lines) == " ".join(again) == words
    assert len(lines) > len(again) > 1
    assert max(map(len, lines)) <= NARROW_PX / 5


@pytest.mark.parametrize("before", ["", "Reads of "])
def test_a_name_that_is_longer_than_a_line_of_a_title_is_divided(browser: Any, tmp_path: Path, before: str) -> None:
    name = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789ABCD" * 2  # too long in the narrow letters of any host
    spec = {"title": {"text": f"{before}{name} by position"}, "config": {}, "mark": "bar"}
    page = page_of(browser, tmp_path, f"<script>{template_text('figures.js')}</script>")
    lines, widths = page.evaluate(
        f"""(spec) => {{ const lines = figureFitted(spec, {NARROW_PX}, true).title.text;
        return [lines, lines.map((line) => pen.measureText(line).width)]; }}""",
        spec,
    )
    assert "".join(lines).replace(" ", "") == f"{before}{name} by position".replace(" ", "")
    assert name not in lines
    assert max(widths) <= NARROW_PX - 24
    assert [line for line in lines if name.startswith(line)], "a long name begins in a new line"


@pytest.mark.parametrize(("name", "is_long"), [("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789ABCD", True), ("Drive 1", False)])
def test_a_name_that_is_longer_than_a_line_of_a_legend_has_several(
    browser: Any, tmp_path: Path, name: str, is_long: bool
) -> None:
    colour = {"field": "k", "scale": {"domain": [name, "B"]}, "legend": {"columns": 1}}
    given = {"mark": "bar", "encoding": {"color": colour}, "config": {}, "title": {"text": "T"}}
    spec = fitted(browser, tmp_path, given, NARROW_PX)
    assert ("labelExpr" in spec["encoding"]["color"]["legend"]) == is_long


LONG = "A verdict of many words, which take all the width that the first column leaves to them. " * 3
BOXES = """() => [...document.querySelectorAll('tbody tr')].map((row) => [...row.children].map((cell) => {
  const range = document.createRange(); range.selectNodeContents(cell);
  const box = cell.getBoundingClientRect();
  return [range.getClientRects().length, box.left, box.right, box.top];
}))"""


def boxes(browser: Any, folder: Path, width: int, head: tuple[str, ...], *rows: tuple[str, ...]) -> Any:
    """Return the lines, left, right and top of each cell of a table of a page that is so wide."""
    table = Table("Drives", head, rows, tuple(range(1, len(head) - 1)))
    page = Page("Drives", "en", "", Language("en"), Section("lead", "", (table,)), ())
    (folder / "drives.html").write_text(html.rendered(page), encoding="utf-8")
    shown = browser.new_context(viewport={"width": width, "height": 800}, offline=True).new_page()
    shown.goto((folder / "drives.html").as_uri())
    return shown.evaluate(BOXES)


def test_a_short_name_is_one_line_beside_a_long_text(browser: Any, tmp_path: Path) -> None:
    ((name, _),) = boxes(browser, tmp_path, 1400, ("Drive", "Verdict"), ("RAID 10 of 8", LONG))
    assert name[0] == 1


def test_the_last_column_of_texts_is_within_a_phone(browser: Any, tmp_path: Path) -> None:
    drives = ("A drive whose name has forty letters, 480", "Another drive with forty letters in all..")
    head, row = ("Figure", *drives, "Best"), ("Random reads", "98,000 IOPS", "68,000 IOPS", f"{drives[0]}, 1.4 times")
    (cells,) = boxes(browser, tmp_path, NARROW_PX, head, row)
    assert all(0 <= left < right <= NARROW_PX for _, left, right, _ in cells)
    assert [top for *_, top in cells] == sorted({top for *_, top in cells}), "one below the other"
