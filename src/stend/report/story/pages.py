"""A Story as one HTML page, as PDF and as Markdown."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from textwrap import wrap
from typing import Any

from stend.base.version import __version__
from stend.charts import Picture
from stend.report.parts.drawing import pages, svgs
from stend.report.parts.marked_down import escape, lines_of
from stend.report.parts.markup import drawing_script, environment, policy, template_text
from stend.report.story import Chapter, Story
from stend.report.story.fallback import table_of

WORDS = ("uses", "figures", "band_note", "best", "worst", "claims", "deviates", "beside", "what", "why", "protocol")
SAME = ("title", "lang", "what", "verdict", "best", "worst", "claims", "sure", "beside", "stamps", "notes")
HALF = {"width": 400, "height": 215}
"""Size of charts in a PDF, where two are in a row."""
TITLE_LETTERS = 60
"""Letters per line of the title of such a chart."""


def page(story: Story) -> str:
    """Return one self-contained page; it opens without a network."""
    script = drawing_script("story.js")
    template = environment().get_template("story.html.j2")
    style_sheet = template_text("story.css")
    values: dict[str, Any] = {"t": story.words, "version": __version__, "script": script, "csp": policy(script)}
    values["fallback"] = lambda picture: table_of(picture, story.words)
    return template.render(s=story, style_sheet=style_sheet, doc=story, **values)


def typeset(story: Story) -> bytes:
    """Return the story as PDF."""
    return pages("story.typ", partial(_content, story))


def _content(story: Story, folder: Path) -> dict[str, Any]:
    t = story.words
    pictures = [_half(picture) for chapter in story.chapters for picture in chapter.pictures]
    drawings = iter(svgs(pictures))
    chapters = []
    for number, chapter in enumerate(story.chapters):
        plots = []
        for place, picture in enumerate(chapter.pictures):
            file = folder / f"{number}-{place}.svg"
            file.write_text(next(drawings), encoding="utf-8")
            plots.append({"file": file.name, "says": picture.says, "alt": picture.spec["description"]})
        photos = [photo.saved(folder / f"photo-{number}-{n}") for n, photo in enumerate(chapter.photos)]
        tables = [table._asdict() for table in chapter.tables]
        kept = {key: getattr(chapter, key) for key in ("title", "answer", "what", "why", "stamps", "notes")}
        chapters.append(kept | {"plots": plots, "photos": photos, "tables": tables})
    return {key: getattr(story, key) for key in SAME} | {
        "made": t("page.made", date=story.made, version=__version__),
        "words": {key: t(f"story.{key}") for key in WORDS} | {"report": t("page.report")},
        "uses": [item._asdict() for item in story.uses],
        "figures": [item._asdict() | {"band": item.band and item.band._asdict()} for item in story.figures],
        "photo": story.photo.saved(folder / "photo") if story.photo else "",
        "chapters": chapters,
        "closing": story.closing._asdict(),
    }


def _half(picture: Picture) -> Picture:
    """Return a chart for half a page; its letters have the size of the text around it."""
    spec = picture.spec
    if "facet" in spec or "spec" in spec:
        return picture
    legend = {**spec["config"]["legend"], "orient": "bottom", "columns": 2, "labelLimit": 190}
    view = {**spec["config"]["view"], **{f"continuous{key.title()}": value for key, value in HALF.items()}}
    view |= {f"discrete{key.title()}": value for key, value in HALF.items()}
    title = {**spec["title"], "text": wrap(spec["title"]["text"], TITLE_LETTERS), "fontSize": 13}
    size = {"width": HALF["width"]} | ({"height": min(spec["height"], 300)} if "height" in spec else {})
    return picture._replace(
        spec=spec | size | {"title": title, "config": {**spec["config"], "legend": legend, "view": view}}
    )


def markdown(story: Story, path: Path, folder: Path) -> list[Path]:
    """Write the story as Markdown, charts as SVG files in a folder; return the files."""
    folder.mkdir(exist_ok=True)
    pictures = [picture for chapter in story.chapters for picture in chapter.pictures]
    drawings = {id(picture): drawing for picture, drawing in zip(pictures, svgs(pictures), strict=True)}
    path.write_text("\n".join(_lines(story, folder, drawings)) + "\n", encoding="utf-8")
    return [path, *sorted(p for p in folder.iterdir() if p.suffix in (".svg", ".png", ".jpeg"))]


def _lines(story: Story, folder: Path, drawings: dict[int, str]) -> Iterator[str]:
    t = story.words
    yield f"# {escape(story.title)}\n"
    yield from (escape(text) + "\n" for text in (*story.what, *story.stamps))
    yield f"**{escape(story.verdict)}**\n"
    if story.photo:
        yield f"![{escape(story.title)}]({folder.name}/{story.photo.saved(folder / '1-photo')})\n"
    yield f"## {t('story.uses')}\n"
    yield from (f"- {escape(u.title)}: {escape(u.shown)}. {escape(u.why)}" for u in story.uses)
    yield f"\n## {t('story.figures')}\n"
    yield from (f"- {escape(key.name)}: {escape(key.value)}" for key in story.figures)
    yield ""
    lists = ((t("story.deviates"), story.sure), (t("story.beside"), story.beside))
    claimed = ((t("story.claims"), tuple(f"{name}: {answer}" for name, _, answer in story.claims)),)
    for title, texts in (*claimed, *lists):
        if texts:
            yield f"## {title}\n"
            yield from (f"- {escape(text)}" for text in texts)
            yield ""
    for chapter in story.chapters:
        yield from _chapter(chapter, folder, drawings)
    yield f"## {story.closing.title}\n"
    for title, _, texts in story.closing.lists:
        yield f"### {title}\n"
        yield from (f"- {escape(text)}" for text in texts)
        yield ""


def _chapter(chapter: Chapter, folder: Path, drawings: dict[int, str]) -> Iterator[str]:
    yield f"## {escape(chapter.title)}\n"
    yield from (escape(text) + "\n" for text in (*chapter.stamps, " ".join(chapter.answer), *chapter.notes) if text)
    for n, picture in enumerate(chapter.pictures, 1):
        file = folder / f"{chapter.anchor}-{n}.svg"
        file.write_text(drawings[id(picture)], encoding="utf-8")
        yield f"![{escape(picture.title)}]({folder.name}/{file.name})\n"
    for n, photo in enumerate(chapter.photos, 1):
        yield f"![{escape(chapter.title)}]({folder.name}/{photo.saved(folder / f'{chapter.anchor}-photo-{n}')})\n"
    for table in chapter.tables:
        yield from lines_of(table)
