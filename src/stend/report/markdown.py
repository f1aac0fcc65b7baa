"""Markdown with the charts as separate SVG files, for wikis and repositories."""

from collections.abc import Iterator
from functools import singledispatch
from pathlib import Path

from stend.base import atomic, regular
from stend.base.version import __version__
from stend.charts import Picture
from stend.charts.parts.theme import framed
from stend.report.parts import Block, Code, Facts, Items, Keys, Page, Pair, Photo, Stamps, Table, Text, Uses
from stend.report.parts.drawing import svgs
from stend.report.parts.marked_down import escape, lines_of

SIGNS = {"pro": "+ ", "con": "− "}
STRONG = ("answer", "finding", "good", "bad")


def write_page(page: Page, stem: Path) -> list[Path]:
    """Write a Page, whose path is `stem` with `.md`, and its pictures in the folder `stem` with `.files`."""
    path, folder = (stem.with_name(f"{stem.name}.{suffix}") for suffix in ("md", "files"))
    regular.folder(folder)
    atomic.page(path, "\n".join(_page(page, folder)) + "\n")
    return [path, *sorted(p for p in folder.iterdir() if p.suffix in (".svg", ".png", ".jpeg"))]


def _page(page: Page, folder: Path) -> Iterator[str]:
    pictures = page.pictures
    drawn = svgs([framed(picture) for picture in pictures])
    drawings = {id(picture): drawing for picture, drawing in zip(pictures, drawn, strict=True)}
    yield f"# {escape(page.title)}\n"
    for anchor, title, blocks, level in page.every:
        if title:
            yield f"{'#' * (level + 1)} {escape(title)}\n"
        files = (folder / f"{anchor}-{number}" for number in range(1, len(blocks) + 1))
        for block in blocks:
            if isinstance(block, Picture):
                file = next(files).with_suffix(".svg")
                atomic.page(file, drawings[id(block)])
                yield f"![{escape(block.title)}]({folder.name}/{file.name})\n\n*{escape(block.says)}*\n"
            elif isinstance(block, Photo):
                yield f"![{escape(block.alt)}]({folder.name}/{block.saved(next(files))})\n"
            else:
                yield from _lines(block)
    made = page.words("page.made", date=page.made, version=__version__)
    yield escape(f"{made}. {page.foot}".rstrip())


@singledispatch
def _lines(block: Block) -> Iterator[str]:
    """Yield the lines of a block, with an empty line after it; nothing for heads of report sheets, made for print."""
    yield from ()


@_lines.register
def _(block: Text) -> Iterator[str]:
    yield f"**{escape(block.text)}**\n" if block.role in STRONG else f"{escape(block.text)}\n"


@_lines.register
def _(block: Stamps) -> Iterator[str]:
    yield from (f"**{escape(text)}**\n" for text in block.texts)


@_lines.register
def _(block: Items) -> Iterator[str]:
    yield from [f"### {escape(block.title)}\n"] if block.title else []
    for item in block.items:
        lead, tag = (escape(item.lead) + ": " if item.lead else ""), f" ({escape(item.tag)})" if item.tag else ""
        yield f"- {SIGNS.get(item.mark, '')}{lead}{escape(item.text)}{tag}"
    yield ""


@_lines.register
def _(block: Pair) -> Iterator[str]:
    for items in block.lists:
        yield from _lines(items)


@_lines.register
def _(block: Uses) -> Iterator[str]:
    yield f"### {escape(block.title)}\n"
    yield from (f"- {escape(use.title)}: **{escape(use.shown)}**. {escape(use.why)}" for use in block.uses)
    yield ""


@_lines.register
def _(block: Keys) -> Iterator[str]:
    yield f"### {escape(block.title)}\n"
    for key in block.keys:
        beside = "; ".join(filter(None, (key.band.names if key.band else "", key.note)))
        yield f"- {escape(key.name)}: **{escape(key.value)}**" + (f" ({escape(beside)})" if beside else "")
    yield ""


@_lines.register
def _(block: Facts) -> Iterator[str]:
    for column in block.columns:
        yield from (f"- {escape(name)}: {escape(value)}" for name, value in column.rows)
    yield ""


@_lines.register
def _(block: Table) -> Iterator[str]:
    yield from (*lines_of(block), "")


@_lines.register
def _(block: Code) -> Iterator[str]:
    yield f"```\n{block.text}\n```\n"
