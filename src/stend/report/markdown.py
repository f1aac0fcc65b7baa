"""Markdown with the charts as SVG files beside it, for wikis and repositories."""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from stend.charts import Picture
from stend.plain import plain
from stend.record import Run
from stend.report.parts import Chapter, Document, Part, Section, Table
from stend.report.parts.document import document
from stend.report.parts.drawing import svgs

Show = Callable[[Sequence[Picture], str], Iterator[str]]
"""(pictures, the beginning of their files' names) -> their lines."""

SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~!&])")


def write(runs: Sequence[tuple[Path, Run, dict[str, Any]]], lang: str, style: str, into: Path) -> list[Path]:
    """`report.md` and a folder `report.files` of charts."""
    suffix = "" if lang == "en" else f".{lang}"
    path, folder = into / f"report{suffix}.md", into / f"report{suffix}.files"
    return write_document(document(runs, lang, style), path, folder)


def write_document(doc: Document, path: Path, folder: Path) -> list[Path]:
    """A Document, its pictures in a folder beside it."""
    folder.mkdir(exist_ok=True)
    path.write_text("\n".join(_document(doc, folder)) + "\n", encoding="utf-8")
    return [path, *sorted(p for p in folder.iterdir() if p.suffix in (".svg", ".png", ".jpeg"))]


def escape(text: str) -> str:
    """A drive's own words as plain text: no markup, no line ends."""
    return SPECIAL.sub(r"\\\1", plain(" ".join(text.split(" ")).replace("\n", " ")))


def _document(doc: Document, folder: Path) -> Iterator[str]:
    t, show = doc.words, partial(_pictures, _drawn(doc), folder)
    yield f"# {escape(doc.title)}\n"
    for section in doc.sections:
        yield from _section(section, show)
    for number, part in enumerate(doc.parts, 1):
        yield from _card(part)
        if part.photo:
            named = folder / f"{number}-photo.{part.photo.kind}"
            named.write_bytes(part.photo.data)
            yield f"![{escape(part.title)}]({folder.name}/{named.name})\n"
        for table in part.about:
            yield from _table(table)
        for title, texts in ((t("page.deviations"), part.deviations), (t("page.notes"), part.notes)):
            yield f"### {title}\n"
            yield from (f"- {escape(text)}" for text in texts or (t("page.nothing"),))
            yield ""
        for chapter in part.chapters:
            yield from _chapter(chapter, show, number)
        yield f"## {t('page.conclusion')}\n\n**{escape(part.verdict)}**\n"
        yield from (f"- {escape(said.text)} ({said.confidence})" for said in part.overall)
        for side, sign in (("pro", "+"), ("con", "−")):
            yield from (f"- {sign} {escape(text)}" for text in part.conclusion[side])
        for table in (*part.audit, *part.appendix):
            yield from ("", *_table(table))
    yield f"\n{t('page.made', date=doc.made, version='')}"


def _section(section: Section, show: Show) -> Iterator[str]:
    yield f"## {escape(section.title)}\n"
    yield from (f"{escape(text)}\n" for text in section.texts)
    for table in section.tables:
        yield from (*_table(table), "")
    yield from show(section.pictures, section.anchor)


def _drawn(doc: Document) -> dict[int, str]:
    """Every picture of it as SVG by its id(), drawn together."""
    own = [picture for section in doc.sections for picture in section.pictures]
    pictures = [*own, *(picture for part in doc.parts for chapter in part.chapters for picture in chapter.pictures)]
    return {id(picture): drawing for picture, drawing in zip(pictures, svgs(pictures), strict=True)}


def _pictures(drawings: dict[int, str], folder: Path, pictures: Sequence[Picture], place: str) -> Iterator[str]:
    for count, picture in enumerate(pictures, 1):
        name = f"{place}-{count}.svg"
        (folder / name).write_text(drawings[id(picture)], encoding="utf-8")
        yield f"![{escape(picture.title)}]({folder.name}/{name})\n"


def _card(part: Part) -> Iterator[str]:
    yield f"## {escape(part.title)}\n\n**{escape(part.verdict)}**\n"
    yield from (f"- **{escape(stamp)}**" for stamp in part.stamps)
    yield ""
    yield from (f"- {escape(n.label)}: **{n.value}** ({escape(n.test)})" for n in part.numbers)
    yield ""


def _chapter(chapter: Chapter, show: Show, number: int) -> Iterator[str]:
    yield f"## {escape(chapter.title)}\n\n*{escape(chapter.clause)}. {escape(chapter.ended)}*\n"
    yield from (f"**{escape(stamp)}**\n" for stamp in chapter.stamps)
    yield from (f"- {escape(said.text)} ({said.confidence})" for said in chapter.said)
    yield ""
    yield from show(chapter.pictures, f"{number}-{chapter.anchor}")
    for table in (*chapter.results, *chapter.verification):
        yield from _table(table)


def _table(table: Table) -> Iterator[str]:
    yield f"**{escape(table.title)}**\n"
    yield "| " + " | ".join(map(escape, table.head)) + " |"
    yield "|" + "|".join(" ---: " if i in table.numeric else " --- " for i in range(len(table.head))) + "|"
    yield from ("| " + " | ".join(map(escape, row)) + " |" for row in table.rows)
    yield f"\n{escape(table.note)}\n" if table.note else ""
