"""PDF by Typst: contents, page numbers, tables that break well; text is passed as data, never as markup."""

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from stend.base.version import __version__
from stend.charts import Picture
from stend.charts.beside import Side
from stend.report.parts import Chapter, Document, Part, Section, Table
from stend.report.parts.document import document
from stend.report.parts.drawing import pages, svgs
from stend.report.story import pages as story_pages
from stend.report.story.telling import Runs, story

WORDS = (
    "report", "contents", "glance", "deviations", "notes", "nothing", "findings", "conclusion", "pros", "cons",
    "appendix", "repeat", "ended", "compared", "sheet", "noscript",
)  # fmt: skip


MM_PER_PX, TEXT_MM = 0.2, 174.0
"""One scale for all charts, so that their text has one size; 174 mm is the width of a page without margins."""


Plots = dict[int, dict[str, Any]]
"""Data of each picture for the template, by its id()."""


def write(runs: Runs, lang: str, style: str, into: Path, rivals: Sequence[Side] = ()) -> list[Path]:
    """Write `report.pdf`; other languages and styles get separate files."""
    name = "report" + ("" if lang == "en" else f".{lang}") + ("" if style == "review" else f".{style}") + ".pdf"
    if style == "review":
        content = story_pages.typeset(story(runs, rivals, lang))
    else:
        content = typeset(document(runs, lang, style))
    (into / name).write_bytes(content)
    return [into / name]


def typeset(doc: Document) -> bytes:
    """Return a Document as PDF."""
    return pages("report.typ", partial(_content, doc))


def _content(doc: Document, folder: Path) -> dict[str, Any]:
    t = doc.words
    chapters = [chapter for part in doc.parts for chapter in part.chapters]
    pictures = [p for section in doc.sections for p in section.pictures] + [*doc.pictures]
    pictures += [p for chapter in chapters for p in chapter.pictures]
    plots = {
        id(p): _plot(p, drawing, folder / f"{n}.svg")
        for n, (p, drawing) in enumerate(zip(pictures, svgs(pictures), strict=True))
    }
    return {
        "title": doc.title,
        "lang": doc.lang,
        "style": doc.style,
        "made": t("page.made", date=doc.made, version=__version__),
        "words": {key: t(f"page.{key}") for key in WORDS} | {"report": t(f"page.{doc.kind}")},
        "plot": t("page.plot" if doc.style == "pts" else "page.figure", n="").strip(),
        "sections": [_section(section, plots) for section in doc.sections],
        "compared": [plots[id(picture)] for picture in doc.pictures],
        "tables": [_table(table) for table in doc.tables],
        "parts": [
            _part(part, plots, t) | {"photo": part.photo.saved(folder / f"photo-{n}") if part.photo else ""}
            for n, part in enumerate(doc.parts)
        ],
    }


def _section(section: Section, plots: Plots) -> dict[str, Any]:
    return {
        "title": section.title,
        "texts": section.texts,
        "tables": [_table(table) for table in section.tables],
        "plots": [plots[id(picture)] for picture in section.pictures],
    }


def _part(part: Part, plots: Plots, words: Any) -> dict[str, Any]:
    return {
        "title": part.title,
        "verdict": part.verdict,
        "steady": part.steady,
        "stamps": part.stamps,
        "numbers": [n._asdict() for n in part.numbers],
        "about": [_table(table) for table in part.about],
        "deviations": part.deviations,
        "notes": part.notes,
        "chapters": [_chapter(chapter, plots) for chapter in part.chapters],
        "overall": [statement._asdict() for statement in part.overall],
        "conclusion": part.conclusion,
        "audit": [_table(table) for table in part.audit],
        "appendix": [_table(table) for table in part.appendix],
        "manifest": part.manifest,
        "repeat_text": words("page.repeat_text", version=__version__),
    }


def _chapter(chapter: Chapter, plots: Plots) -> dict[str, Any]:
    return {
        "title": chapter.title,
        "clause": chapter.clause,
        "ended": chapter.ended,
        "stamps": chapter.stamps,
        "header": [{"title": b.title, "rows": b.rows} for b in chapter.header],
        "plots": [plots[id(picture)] for picture in chapter.pictures],
        "statements": [statement._asdict() for statement in chapter.statements],
        "results": [_table(table) for table in chapter.results],
        "verification": [_table(table) for table in chapter.verification],
    }


def _plot(picture: Picture, drawing: str, file: Path) -> dict[str, Any]:
    file.write_text(drawing, encoding="utf-8")
    width = float(re.search(r'width="([\d.]+)"', drawing)[1])  # type: ignore[index]
    return {
        "file": file.name,
        "title": picture.title,
        "says": picture.says,
        "alt": picture.spec["description"],
        "mm": min(width * MM_PER_PX, TEXT_MM),
    }


def _table(table: Table) -> dict[str, Any]:
    return table._asdict()
