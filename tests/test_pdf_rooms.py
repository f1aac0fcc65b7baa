"""A chapter of a PDF begins on the page of its first charts unless that leaves much of a page empty, which none is."""

from pathlib import Path

import pypdfium2
import pytest
from benchmarks.pages import pdf

from stend.charts import Picture
from stend.charts.parts import Drawing, axis
from stend.charts.parts.marks import lines, series
from stend.charts.parts.theme import finished
from stend.report.parts import Page, Section, Text
from stend.report.pdf import typeset
from stend.words import Language

LINE = "A line of text that fills the page above the charts, so that the next chapter begins lower. "

FOOTER_PT, MOST_FOOT_MM, HEAD_MM = 40, 60, 45
"""Height of the footer; most that is empty below a page, without its margin; least height of the head of a chapter."""


def foot(document: pypdfium2.PdfDocument, number: int) -> float:
    """Return where the text of a page ends above its footer, in mm from the top."""
    page, letters = document[number], document[number].get_textpage()
    low = [letters.get_charbox(place)[1] for place in range(letters.count_chars())]
    return float(page.get_height() - min(y for y in low if y > FOOTER_PT)) / 72 * 25.4


def plot(title: str) -> Picture:
    rows = [{"t": t, "v": v, "way": way} for t, v in ((0, 1.0), (9, 7.0)) for way in ("reads", "writes")]
    chart = lines(axis("t", "T"), axis("v", "V"), series("way", None, ["reads", "writes"]))
    return finished("plot", Drawing(title, chart, {"rows": rows}), Language("en"), [])


@pytest.mark.parametrize("charts", [1, 2])
@pytest.mark.parametrize("texts_above", range(0, 22, 2))
def test_a_chapter_begins_on_the_page_of_its_charts_and_no_foot_is_empty(
    tmp_path: Path, texts_above: int, charts: int
) -> None:
    lead = Section("lead", "", tuple([Text(LINE * 3)] * texts_above))  # whole lines in fonts of any width
    above = Section("first", "First", (plot("A"), plot("B")))
    answer = (Text(f"An answer. {LINE * 3}", "answer"), Text(f"A cause. {LINE * 3}"), Text(f"A test. {LINE}", "test"))
    below = Section("second", "Second", (*answer, *(plot(f"C{n}") for n in range(charts))))
    page = Page("Drive", "en", "", Language("en"), lead, (above, below), small=True)
    path = tmp_path / "page.pdf"
    path.write_bytes(typeset(page))
    document = pypdfium2.PdfDocument(path)
    pages = [document[n].get_textpage().get_text_range().replace("\u00a0", " ") for n in range(len(document))]
    begins, drawn = (next(n for n, text in enumerate(pages) if words in text) for words in ("An answer", "Figure 3"))
    assert drawn - begins <= (282 - foot(document, begins) + HEAD_MM > MOST_FOOT_MM)
    assert all(282 - foot(document, number) <= MOST_FOOT_MM for number in range(len(document) - 1))
    assert [one for one in pdf.defects(path) if one.kind in ("empty page", "widow")] == []
