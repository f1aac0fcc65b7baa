"""Markdown with the charts as separate SVG files, for wikis and repositories."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from stend.base import atomic, regular
from stend.charts import Picture
from stend.charts.beside import Side
from stend.report.parts import Chapter, Document, Part, Section
from stend.report.parts.document import document
from stend.report.parts.drawing import svgs
from stend.report.parts.marked_down import escape, lines_of
from stend.report.story import pages
from stend.report.story.telling import Runs, story

Show = Callable[[Sequence[Picture], str], Iterator[str]]
"""(pictures, the prefix of their files' names) -> their lines."""


def write(runs: Runs, lang: str, style: str, into: Path, rivals: Sequence[Side] = ()) -> list[Path]:
    """Write `report.md` and a folder `report.files` of charts."""
    suffix = "" if lang == "en" else f".{lang}"
    path, folder = into / f"report{suffix}.md", into / f"report{suffix}.files"
    if style == "review":
        return pages.markdown(story(runs, rivals, lang), path, folder)
    return write_document(document(runs, lang, style), path, folder)


def write_document(doc: Document, path: Path, folder: Path) -> list[Path]:
    """Write a Document, with its pictures in a folder; return the files."""
    regular.folder(folder)
    atomic.page(path, "\n".join(_document(doc, folder)) + "\n")
    return [path, *sorted(p for p in folder.iterdir() if p.suffix in (".svg", ".png", ".jpeg"))]


def _document(doc: Document, folder: Path) -> Iterator[str]:
    t, show = doc.words, partial(_pictures, _drawn(doc), folder)
    yield f"# {escape(doc.title)}\n"
    for section in doc.sections:
        yield from _section(section, show)
    for number, part in enumerate(doc.parts, 1):
        yield from _card(part)
        if part.photo:
            named = part.photo.saved(folder / f"{number}-photo")
            yield f"![{escape(part.title)}]({folder.name}/{named})\n"
        for table in part.about:
            yield from lines_of(table)
        for title, texts in ((t("page.deviations"), part.deviations), (t("page.notes"), part.notes)):
            yield f"### {title}\n"
            yield from (f"- {escape(text)}" for text in texts or (t("page.nothing"),))
            yield ""
        for chapter in part.chapters:
            yield from _chapter(chapter, show, number)
        yield f"## {t('page.conclusion')}\n\n**{escape(part.verdict)}**\n"
        yield from (f"- {escape(statement.text)} ({statement.confidence})" for statement in part.overall)
        for side, sign in (("pro", "+"), ("con", "−")):
            yield from (f"- {sign} {escape(text)}" for text in part.conclusion[side])
        for table in (*part.audit, *part.appendix):
            yield from ("", *lines_of(table))
    yield f"\n{t('page.made', date=doc.made, version='')}"


def _section(section: Section, show: Show) -> Iterator[str]:
    yield f"## {escape(section.title)}\n"
    yield from (f"{escape(text)}\n" for text in section.texts)
    for table in section.tables:
        yield from (*lines_of(table), "")
    yield from show(section.pictures, section.anchor)


def _drawn(doc: Document) -> dict[int, str]:
    """Return every picture of a document as SVG by its id(), rendered together."""
    pictures = [picture for section in doc.sections for picture in section.pictures]
    pictures += [picture for part in doc.parts for chapter in part.chapters for picture in chapter.pictures]
    return {id(picture): drawing for picture, drawing in zip(pictures, svgs(pictures), strict=True)}


def _pictures(drawings: dict[int, str], folder: Path, pictures: Sequence[Picture], place: str) -> Iterator[str]:
    for count, picture in enumerate(pictures, 1):
        name = f"{place}-{count}.svg"
        atomic.page(folder / name, drawings[id(picture)])
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
    yield from (f"- {escape(statement.text)} ({statement.confidence})" for statement in chapter.statements)
    yield ""
    yield from show(chapter.pictures, f"{number}-{chapter.anchor}")
    for table in (*chapter.results, *chapter.verification):
        yield from lines_of(table)
