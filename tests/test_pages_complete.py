"""The guard of the page model: no test of a run is left out of its page, no block is left out of a format."""

import re
from functools import cache
from pathlib import Path
from typing import Any

import pypdfium2 as pdfium
import pytest
from pypdfium2 import raw

from stend import suite
from stend.base.text import plain
from stend.report import html, markdown, pdf
from stend.report.parts import Page, Section
from stend.report.parts.document import protocol
from stend.report.story.telling import story
from stend.words import Language
from tests.pictures import run_of
from tests.test_report import Page as Parsed

LANGUAGES = ("en", "ru")
STYLES = ("review", "pts")


@cache
def page(test: str, lang: str, style: str) -> Page:
    runs: Any = [(None, run_of(test), {})]
    return story(runs, (), lang) if style == "review" else protocol(runs, lang)


def chapters(test: str, lang: str, style: str) -> list[Section]:
    """The sections that name a test by its title."""
    title = Language(lang).title(test, suite.load(test).title)
    sections = page(test, lang, style).sections
    return [one for one in sections if one.title == title or any(title in text for text in one.of_role("test"))]


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("test", suite.names())
def test_the_page_of_a_run_shows_the_title_a_figure_and_a_chart_of_its_test(test: str, lang: str, style: str) -> None:
    (chapter,) = chapters(test, lang, style)
    assert chapter.pictures
    answers = [
        *chapter.of_role("answer"),
        *chapter.of_role("finding"),
        *(cell for table in chapter.tables for row in table.rows for cell in row[1:]),
    ]
    assert any(re.search(r"[1-9]", answer) for answer in answers), "no figure in words or in a table"


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("test", suite.names())
def test_every_text_title_and_chart_of_a_page_is_in_each_format(test: str, lang: str, tmp_path: Path) -> None:
    whole = page(test, lang, "review")
    wanted = [text for section in whole.every for text in (section.title, *section.texts)]
    wanted += [cell for section in whole.every for table in section.tables for row in table.rows for cell in row]
    source = html.rendered(whole)
    shown = _spaced(Parsed(source).text)
    assert [text for text in wanted if _spaced(plain(text)) not in shown] == []
    assert source.count('<figure class="plot"') == len(whole.pictures)
    path, *files = markdown.write_page(whole, tmp_path / "a")
    written = re.sub(r"\\(.)", r"\1", path.read_text(encoding="utf-8"))
    assert [text for text in wanted if plain(text) not in written] == []
    assert len(files) == len(whole.pictures)


@pytest.mark.slow
@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("test", suite.names())
def test_the_pdf_of_a_run_shows_the_title_an_answer_and_every_chart(test: str, lang: str) -> None:
    whole = page(test, lang, "review")
    document = pdfium.PdfDocument(pdf.typeset(whole))
    shown = _letters("".join(sheet.get_textpage().get_text_range() for sheet in document))
    forms = sum(len(list(sheet.get_objects(filter=[raw.FPDF_PAGEOBJ_FORM], max_depth=1))) for sheet in document)
    (chapter,) = chapters(test, lang, "review")
    answers = [*chapter.of_role("answer"), *chapter.of_role("finding")]
    cells = [cell for table in chapter.tables for row in table.rows for cell in row]
    texts = [chapter.title, *chapter.of_role("test"), *answers, *cells, *(drawn.says for drawn in whole.pictures)]
    assert [text for text in texts if _letters(text) not in shown] == []
    assert all(_letters(drawn.title) in shown for drawn in whole.pictures)
    assert forms >= len(whole.pictures)


def _letters(text: str) -> str:
    """Return a text without spaces and line breaks, which a PDF does not keep."""
    return re.sub(r"[\s\u2060\ufffe\x02-]+", "", text)


def _spaced(text: str) -> str:
    """Return a text as it was before its numbers and units were kept on one line."""
    return text.replace("\u00a0", " ").replace("\u2060", "")
