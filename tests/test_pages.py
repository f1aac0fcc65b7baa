"""The checker of finished pages (benchmarks/pages): it finds each planted defect, and none in clean pages."""

import json
import re
from pathlib import Path

import pypdfium2
import pytest
import typst
from benchmarks.pages import browser, charts, pdf, texts
from benchmarks.pages.checked import drawing

from stend.charts.parts import Drawing, axis
from stend.charts.parts.theme import finished
from stend.charts.parts.vega import Chart
from stend.report.parts import Page as Report
from stend.report.parts import Section, Table
from stend.report.parts.markup import template_text
from stend.report.pdf import typeset as typeset_page
from stend.words import Language

TYPST = '#set page(width: 210mm, height: 297mm, margin: 17mm)\n#set text(font: "Liberation Sans", size: 9.5pt)\n'
FULL = "#lorem(1400)"
HEADING = '#text(14pt, weight: "bold")[A heading]'
PDF_DEFECTS = {
    "cut by the page": ("cut", "#place(dx: -30mm)[Beyond the edge]"),
    "cut by a clip": (
        "cut",
        "#box(width: 20mm, height: 5mm, clip: true, box(width: 99mm)[Longer than its box allows])",
    ),
    "overlap": ("overlap", "#place(dx: 1mm)[First text] #place(dx: 3mm, dy: 1mm)[Second text]"),
    "contrast": ("contrast", '#text(rgb("#999999"))[Grey on white]'),
    "contrast behind": ("contrast", '#box(fill: rgb("#35b779"), inset: 4pt, text(white)[White on green])'),
    "small": ("small", "#text(5pt)[Small letters]"),
    "unit": ("bad break", "It writes 3100 МБ/\\ с."),
    "number": ("bad break", "It holds 18\\ 100 IOPS."),
    "without its unit": ("bad break", "It holds 18,100\\ IOPS."),
    "option": ("bad break", "A smaller number is ?\\ scale=4 here."),
    "short name": ("bad break", "The second run is fw-1.0-\\ 1 of four."),
    "empty page": ("empty page", "A page. #pagebreak() The last page"),
    "widow": ("widow", f"#lorem(800) #v(1fr) {HEADING} #pagebreak() {FULL}"),
}
PDF_CLEAN = f"""{HEADING}

{FULL}

#table(columns: 3, [1], [500], [1 000], [IOPS], [100 %], [a/s])
#table(columns: 2, stroke: none, inset: 2pt, [*Depth*], [T8/Q16 instead of T1/Q32], [*IOPS, by size*], [T8/Q16])

The part number is SB1CSK31MT570-\\ 0480 of it.

#box(fill: rgb("#0b3d62"), inset: 4pt, text(white)[White on blue]) The rate is 18 100 IOPS.
#image("clean.svg", width: 90mm)
"""
CLEAN_SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="100" viewBox="0 0 300 100">'
    '<rect width="300" height="100" fill="white"/>'
    '<defs><clipPath id="c"><rect width="300" height="100"/></clipPath></defs>'
    '<g clip-path="url(#c)"><text x="10" y="30" font-size="14">One text</text>'
    '<text x="10" y="50" font-size="14">Another text</text></g>{}</svg>'
)
SVG_DEFECTS = {
    "cut by the picture": ("cut", '<text x="-20" y="80" font-size="14">Beyond the edge</text>'),
    "cut, turned": ("cut", '<text transform="translate(290,40) rotate(-90)" font-size="14">A turned title</text>'),
    "cut by a clip": ("cut", '<clipPath id="d"><rect width="40" height="100"/></clipPath><g clip-path="url(#d)">'
                             '<text x="10" y="80" font-size="14">Longer than its clip</text></g>'),
    "overlap": ("overlap", '<text x="30" y="34" font-size="14">Across</text>'),
    "contrast": ("contrast", '<text x="10" y="80" font-size="14" fill="#999">Grey</text>'),
    "opacity": ("contrast", '<text x="10" y="80" font-size="14" opacity="0.4">Pale</text>'),
    "contrast behind": ("contrast", '<rect y="60" width="300" height="40" fill="#35b779"/>'
                                    '<text x="10" y="80" font-size="14" fill="white">White on green</text>'),
    "small": ("small", '<text x="10" y="80" font-size="7">Small</text>'),
    "truncated": ("truncated", '<text x="10" y="80" font-size="14">HGST Ultr…</text>'),
}  # fmt: skip
HTML = (
    '<!DOCTYPE html><html lang="en"><head><title>Page</title><meta name="viewport" content="width=device-width"></head>'
    '<body style="margin:0"><main><h1>Page</h1>{}</main></body></html>'
)
HTML_DEFECTS = {
    "wide": ("wide", '<div style="width: 2000px">A wide line</div>'),
    "clipped": (
        "clipped",
        '<div style="width: 60px; overflow: hidden; white-space: nowrap">Longer than its element</div>',
    ),
    "cut": ("cut", '<div style="width: 60px; overflow: hidden; white-space: nowrap">Longer than its element</div>'),
    "overlap": ("overlap", '<p style="margin: 0">First text</p><p style="margin: -14px 0 0 4px">Second text</p>'),
    "contrast": ("axe", '<p style="color: #999">Grey on white</p>'),
    "empty head": ("axe", "<table><tr><th></th><th>IOPS</th></tr><tr><td>a</td><td>1</td></tr></table>"),
    "console": ("console", "<script>nothing.there()</script>"),
    "network": ("network", '<img alt="a" src="https://example.invalid/a.png">'),
    "not drawn": ("not drawn", '<figure class="plot drawn broken" id="plot"><div class="chart">Error</div></figure>'),
    "blank": ("blank", '<div style="height: 900px"></div><p>After it</p>'),
    "inside a word": ("bad break", '<p style="width: 60px; overflow-wrap: anywhere">Extraordinarily</p>'),
    "unit": ("bad break", '<p style="width: min-content">It holds up 100 IOPS</p>'),
}
HTML_CLEAN = """<p>It holds 18 100 IOPS. <a href="#a">A link</a></p>
<div style="width: 200px; overflow-x: auto" tabindex="0">
<table><tr><th>Drive</th><th>Figures of it</th><th>Another</th></tr></table></div>
<details><summary>More</summary><p>Text that is not shown</p></details><div style="height: 300px"></div>
<p style="width: 120px">Several lines of a text that breaks between words</p>
<p style="width: 180px; overflow-wrap: anywhere">ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789ABCD</p>"""


def typeset(folder: Path, content: str) -> Path:
    (folder / "clean.svg").write_text(CLEAN_SVG.format(""))
    (folder / "page.typ").write_text(TYPST + content)
    typst.compile(folder / "page.typ", output=folder / "page.pdf")
    return folder / "page.pdf"


@pytest.mark.parametrize("name", PDF_DEFECTS)
def test_a_planted_defect_of_a_pdf(tmp_path: Path, name: str) -> None:
    kind, content = PDF_DEFECTS[name]
    assert {one.kind for one in pdf.defects(typeset(tmp_path, content))} == {kind}


def test_a_clean_pdf(tmp_path: Path) -> None:
    assert list(pdf.defects(typeset(tmp_path, PDF_CLEAN))) == []


def test_a_report_keeps_a_number_with_its_unit(tmp_path: Path) -> None:
    rule = next(line for line in template_text("page.typ").splitlines() if line.startswith("#show regex"))
    text = "It writes 4 KiB at 3,200 MB/s. Он даёт (18\u00a0100 IOPS), 90–110 % от 3100 МБ/с по 4 КиБ (KC2000 500 GB)."
    blocks = "".join(f"#block(width: {width}mm)[{text}]\n" for width in range(35, 65, 3))
    assert "bad break" in {one.kind for one in pdf.defects(typeset(tmp_path, blocks))}
    assert list(pdf.defects(typeset(tmp_path, f"{rule}\n{blocks}"))) == []


def helper(name: str) -> str:
    """Return a definition of the template of reports."""
    return next(line for line in template_text("page.typ").splitlines() if re.match(rf"#let {name}\b", line))


def test_a_part_number_breaks_in_a_narrow_column(tmp_path: Path) -> None:
    names = '{0}("HGST Ultrastar SN150"), {0}("OCZ SB1CSK31MT570-0480")'
    table = f"#table(columns: (18mm, 18mm), align: right, stroke: none, {names})"
    assert {one.kind for one in pdf.defects(typeset(tmp_path, table.format("text")))} == {"overlap"}
    helpers = "\n".join(map(helper, ("digit", "pieces", "long-10", "chunked", "breakable")))
    assert list(pdf.defects(typeset(tmp_path, f"{helpers}\n{table.format('breakable')}"))) == []


def test_a_long_word_fits_in_its_column_beside_long_texts(tmp_path: Path) -> None:
    why = "нет: в профиле файлового сервера операция занимает в среднем 7,3 мс при 4400 IOPS"
    table = Table(
        "Назначение",
        ("Назначение", "A", "B", "C"),
        (("Сервер с преимущественным чтением", "по производительности", why, why),),
    )
    lead = Section("lead", "", (table,))
    path = tmp_path / "page.pdf"
    path.write_bytes(typeset_page(Report("Drive", "ru", "", Language("ru"), lead, ())))
    assert [one for one in pdf.defects(path) if one.kind != "empty page"] == []


@pytest.mark.parametrize(("before_mm", "together"), [(30, True), (100, False), (165, False), (215, True)])
def test_a_chapter_begins_on_the_page_of_its_chart_unless_that_page_would_be_empty(
    tmp_path: Path, before_mm: int, *, together: bool
) -> None:
    def section(title: str, height_mm: int) -> Section:
        chart = Chart().mark("line").encode(x=axis("x", "X"), y=axis("y", "Y")).properties(height=height_mm * 5)
        rows = [{"x": 1, "y": 1}, {"x": 2, "y": 3}]
        picture = finished("plot", Drawing(title, chart, {"rows": rows}), Language("en"), [])
        return Section.of(title.lower(), title, ["A text before the chart."], pictures=[picture])

    sections = section("First", before_mm), section("Second", 130)
    made = Report("Drive", "en", "", Language("en"), Section("lead", "", ()), sections)
    path = tmp_path / "page.pdf"
    path.write_bytes(typeset_page(made))
    document = pypdfium2.PdfDocument(path)
    pages = [document[n].get_textpage().get_text_range().replace("\u00a0", " ") for n in range(len(document))]
    begins, drawn = (max(n for n, text in enumerate(pages) if words in text) for words in ("A text", "Figure 2"))
    assert (begins == drawn) == together


def test_neither_a_row_nor_a_small_table_is_split_between_pages(tmp_path: Path) -> None:
    long = f"begun {'word ' * 60}ended"
    small = Table("Small", ("Item", "Value"), tuple((f"row {n}", "value") for n in range(8)))
    tall = Table("Tall", ("Item", "Value"), tuple((f"line {n}", long) for n in range(9)))
    for lines in range(30, 60, 4):
        filler = Table("Filler", ("Item", "Value"), tuple((f"fill {n}", "value") for n in range(lines)))
        sections = Section.of("first", "First", tables=[filler, small, tall])
        path = tmp_path / "page.pdf"
        path.write_bytes(typeset_page(Report("Drive", "en", "", Language("en"), Section("lead", "", ()), (sections,))))
        document = pypdfium2.PdfDocument(path)
        pages = [document[n].get_textpage().get_text_range() for n in range(len(document))]
        assert sum("row 0" in text for text in pages) == 1
        assert [("row 0" in text) == ("row 7" in text) for text in pages] == [True] * len(pages)
        assert [text.count("begun") - text.count("ended") for text in pages] == [0] * len(pages)


def test_an_item_at_the_end_of_a_page_is_no_heading(tmp_path: Path) -> None:
    item = '#text(14pt, weight: "bold")[•] none'
    assert list(pdf.defects(typeset(tmp_path, f"#lorem(800) #v(1fr) {item} #pagebreak() {FULL}"))) == []


@pytest.fixture(name="chromium")
def chromium_of_all_tests(request: pytest.FixtureRequest) -> browser.Browser:
    """Return the browser of the other tests: a process can start Playwright once."""
    return browser.Browser(request.getfixturevalue("browser"))


@pytest.mark.browser
@pytest.mark.parametrize("name", SVG_DEFECTS)
def test_a_planted_defect_of_a_drawing(chromium: browser.Browser, name: str) -> None:
    kind, content = SVG_DEFECTS[name]
    assert {one.kind for one in chromium.svg(CLEAN_SVG.format(content))} == {kind}


@pytest.mark.browser
def test_a_clean_drawing(chromium: browser.Browser) -> None:
    assert list(chromium.svg(CLEAN_SVG.format(""))) == []


@pytest.mark.browser
@pytest.mark.parametrize("name", HTML_DEFECTS)
def test_a_planted_defect_of_a_page(chromium: browser.Browser, tmp_path: Path, name: str) -> None:
    kind, content = HTML_DEFECTS[name]
    (tmp_path / "page.html").write_text(HTML.format(content))
    assert kind in {one.kind for one in chromium.html(tmp_path / "page.html", browser.VIEWS[0])}


@pytest.mark.browser
@pytest.mark.parametrize("view", browser.VIEWS)
def test_a_clean_page(chromium: browser.Browser, tmp_path: Path, view: browser.View) -> None:
    (tmp_path / "page.html").write_text(HTML.format(HTML_CLEAN))
    assert list(chromium.html(tmp_path / "page.html", view)) == []


def chart(lines: int = 0, **axis: object) -> str:
    """A line chart from 0 to 100; without `lines` it has one, and no legend."""
    rows = [{"x": x, "y": x + n, "s": f"line {n}"} for x in (0, 100) for n in range(max(lines, 1))]
    encoding: dict[str, object] = {
        "x": {"field": "x", "type": "quantitative", "title": "IOPS", "axis": axis},
        "y": {"field": "y", "type": "quantitative", "axis": None},
    }
    if lines:
        encoding["color"] = {"field": "s", "type": "nominal"}
    spec = {"mark": "line", "width": 500, "data": {"values": rows}, "encoding": encoding}
    return json.dumps({"$schema": "https://vega.github.io/schema/vega-lite/v6.json", **spec})


@pytest.mark.browser
@pytest.mark.parametrize(
    ("spec", "kinds"),
    [
        (chart(), set()),
        (chart(lines=5), set()),
        (chart(lines=6), {"many lines"}),
        (chart(values=[0, 20, 60, 80, 100]), {"ticks"}),
        (chart(values=[0, 40, 80]), {"ticks"}),
        (chart(values=[0, 20, 40]), {"axis end"}),
        (chart(lines=1), {"legend of one"}),
    ],
)
def test_a_chart_by_its_specification(chromium: browser.Browser, tmp_path: Path, spec: str, kinds: set[str]) -> None:
    (tmp_path / "chart.json").write_text(spec)
    assert {one.kind for one in chromium.svg(drawing(tmp_path / "chart.json"))} == kinds


@pytest.mark.parametrize(
    ("label", "value"),
    [("50,000", 5e4), ("50 000", 5e4), ("50\u202f000", 5e4), ("0,001", 0.001), ("0.5", 0.5), ("100k", 1e5), ("−5", -5),
     ("1,5", 1.5), ("4K", None), ("read", None), ("99,9 %", 99.9)],
)  # fmt: skip
def test_numbers_of_axes(label: str, value: float | None) -> None:
    assert charts.number(label) == value


@pytest.mark.parametrize(
    ("labels", "pixels", "odd"),
    [
        ([1, 2, 5, 10], [0, 30, 70, 100], False),
        ([1, 2, 4, 8, 16, 32], [0, 20, 40, 60, 80, 100], False),
        ([10, 20, 30, 100], [0, 30, 48, 100], True),
    ],
)
def test_ticks_of_logarithmic_axes(labels: list[float], pixels: list[float], odd: bool) -> None:
    boxes = [
        {"text": f"{label:g}", "shown": True, "box": [at, 0, at, 10]} for label, at in zip(labels, pixels, strict=True)
    ]
    axis = {"title": "IOPS", "labels": boxes, "line": [0, 0, 100, 0]}
    seen = {"place": "", "marks": 1, "legends": [], "lines": [], "axes": [axis]}
    assert bool([one for one in charts.of(seen) if one.kind == "ticks"]) == odd


def test_contrast_of_black_and_white_is_21() -> None:
    assert texts.contrast((0, 0, 0, 1), (255, 255, 255)) == pytest.approx(21)
    assert texts.contrast((0, 0, 0, 0), (255, 255, 255)) == 1


@pytest.mark.parametrize(("before", "bad"), [("18", True), ("1,018", False), ("X1", False)])
def test_a_name_that_ends_with_a_digit_is_no_number(before: str, bad: bool) -> None:
    found = list(texts.broken([("page", before, "100 drives")]))
    assert bool(found) is bad
