"""PDF by Typst: contents, page numbers, tables that break well. Text is passed as data, never as markup."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby, islice
from pathlib import Path
from typing import Any

from stend.base import atomic, render_process
from stend.base.version import __version__
from stend.charts import Picture
from stend.charts.parts.half import HEIGHT, LOW, TALL, half, height, levelled, wide
from stend.report.parts import Block, Page, Photo
from stend.report.parts.drawing import pages, svgs

MM_PER_PX, TEXT_MM = 0.2, 176.0
"""One scale for all charts, so that their text has one size. 176 mm is the width of a page without margins."""


def write_page(page: Page, stem: Path) -> list[Path]:
    """Write a Page as one file, whose path is `stem` with the suffix of the format."""
    path = stem.with_name(f"{stem.name}.pdf")
    atomic.page(path, typeset(page))
    return [path]


def typeset(page: Page) -> bytes:
    """Return a Page as PDF."""
    return pages("page.typ", partial(_content, page), partial(_again, page))


def _content(page: Page, folder: Path) -> dict[str, Any]:
    t = page.words
    alone = list(_alone(page)) if page.small else [False] * len(page.pictures)
    pictures = _halves(page, [HEIGHT] * len(alone)) if page.small else list(page.pictures)
    drawings, photos = iter(zip(pictures, svgs(pictures), alone, strict=True)), _names("photo")
    files, sizes = _names("chart"), _sizes(page, pictures)

    def data(block: Block) -> dict[str, Any]:
        kind = type(block).__name__.lower()
        if isinstance(block, Picture):
            picture, drawing, own = next(drawings)
            plot = _plot(picture, drawing, folder / f"{next(files)}.svg")
            return {"kind": kind, "alone": own, **next(sizes), **plot}
        if isinstance(block, Photo):
            return {"kind": kind, "file": block.saved(folder / next(photos)), "alt": block.alt}
        return {"kind": kind, **_plain(block)}

    return {
        "title": page.title,
        "lang": page.lang,
        "small": page.small,
        "made": t("page.made", date=page.made, version=__version__),
        "kind": t(f"page.{page.kind}"),
        "contents": t("page.contents"),
        "caption": t(f"page.{page.caption}", n="").strip(),
        "foot": page.foot,
        "sections": [
            {"title": section.title, "level": section.level, "blocks": [data(block) for block in section.blocks]}
            for section in page.every
        ],
    }


def _halves(page: Page, heights: Sequence[int]) -> list[Picture]:
    """Return the charts of a page with plots of such usual heights. Those of a row begin and end level."""
    alone = list(_alone(page))
    sized = zip(page.pictures, alone, heights, strict=True)
    made = [half(picture, alone=own, usual=px) for picture, own, px in sized]
    beside = iter([n for n, own in enumerate(alone) if not own])
    for left, right in zip(beside, beside, strict=False):
        made[left], made[right] = levelled(made[left], made[right])
    return made


def _sizes(page: Page, pictures: Sequence[Picture]) -> Iterator[dict[str, float]]:
    """Yield by how much each of the `pictures` of a page can be lower ("saved") and taller, in mm."""
    if not page.small:  # other charts keep their height
        yield from ({"saved": 0.0, "taller": 0.0} for _ in pictures)
        return
    ends = (_halves(page, [px] * len(pictures)) for px in (LOW, TALL))
    for charts in zip(pictures, *ends, strict=True):
        usual, low, tall = (height(one.spec) for one in charts)
        yield {"saved": (usual - low) * MM_PER_PX, "taller": (tall - usual) * MM_PER_PX}


def _again(page: Page, folder: Path, taller: Mapping[str, float]) -> None:
    """Draw these charts of `_content` again with plots that are so many mm taller; those below 0 are `LOW`."""
    plots = {Path(name).stem: LOW if more < 0 else HEIGHT + int(more / MM_PER_PX) for name, more in taller.items()}
    stems = list(islice(_names("chart"), len(page.pictures)))
    made = dict(zip(stems, _halves(page, [plots.get(stem, HEIGHT) for stem in stems]), strict=True))
    for stem, drawing in zip(plots, svgs([made[stem] for stem in plots]), strict=True):
        (folder / stem).with_suffix(".svg").write_text(drawing, encoding="utf-8")


def _alone(page: Page) -> Iterator[bool]:
    """Yield for each picture whether it has a separate row: a wide one, or the last of an odd number before it."""
    for section in page.every:
        for kind, blocks in groupby(section.blocks, _width):
            count = len(list(blocks))
            if kind:
                yield from (kind == "wide" or place == count - count % 2 for place in range(count))


def _width(block: Block) -> str:
    """Return "wide" or "half" for a picture, and "" for any other block."""
    return "" if not isinstance(block, Picture) else "wide" if wide(block) else "half"


def _names(stem: str) -> Iterator[str]:
    number = 0
    while True:
        number += 1
        yield f"{stem}-{number}"


def _plain(value: Any) -> Any:
    """Return a block as plain data, with the blocks in it."""
    if hasattr(value, "_asdict"):
        return {key: _plain(item) for key, item in value._asdict().items()}
    return [_plain(item) for item in value] if isinstance(value, tuple) else value


def _plot(picture: Picture, drawing: str, file: Path) -> dict[str, Any]:
    file.write_text(drawing, encoding="utf-8")
    width, _ = render_process.size(drawing)
    return {
        "file": file.with_suffix(".pdf").name,
        "says": picture.says,
        "alt": picture.spec["description"],
        "mm": min(width * MM_PER_PX, TEXT_MM),
    }
