"""Defects of a PDF: its texts, empty pages, and headings alone at the end of a page. PDFium reads and draws it."""

import ctypes
import math
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pypdfium2 as pdfium
from numpy.typing import NDArray
from pypdfium2 import raw

from benchmarks.pages import Box, Defect, Found, Text, box_around, texts

SCALE = 2.0
"""Pixels per point of the drawn page."""
MOST_EMPTY_PCT = 40
EMPTY_PT = 85
"""A square of 30 mm without ink is empty; a space between lines or beside a short line is not."""
MARGIN_PT = 42
"""Margins (15 mm) are not counted as empty."""
LEAST_LETTERS = 8
"""Of a line that continues in the next; a cell of a table above another is shorter."""
INVISIBLE = raw.FPDF_TEXTRENDERMODE_INVISIBLE
Matrix = tuple[float, float, float, float, float, float]


class Glyphs(NamedTuple):
    """A text object of the PDF: a glyph or more in one font."""

    text: Text
    bold: bool
    baseline: float


class Page(NamedTuple):
    """A page as checked."""

    place: str
    size: Box
    runs: list[Glyphs]
    pictures: texts.Image
    """Drawn without text."""
    whole: texts.Image


def defects(path: Path) -> Found:
    """Yield the defects of a PDF."""
    document = pdfium.PdfDocument(path)
    try:
        pages = [_page(document[number], f"page {number + 1}") for number in range(len(document))]
    finally:
        document.close()
    for page in pages:
        runs = [run.text for run in page.runs]
        yield from texts.of(runs)
        yield from texts.faint(runs, page.pictures, SCALE)
        yield from texts.broken(list(_breaks(page)))
    for page in pages[:-1]:
        if (share := empty_pct(page.whole)) > MOST_EMPTY_PCT:
            yield Defect("empty page", page.place, f"{share:.0f} % empty")
    footers = _repeated(pages)
    yield from (widow for page, after in pairwise(pages) for widow in _widows(page, after, footers))


def _page(page: Any, place: str) -> Page:
    width, height = page.get_size()
    size, letters = Box(0, 0, width, height), page.get_textpage()
    whole = _drawn(page)
    objects = list(page.get_objects(filter=[raw.FPDF_PAGEOBJ_TEXT], max_depth=15, textpage=letters))
    runs = list(_runs(_glyphs(one, size, place) for one in objects))
    for one in objects:
        raw.FPDFTextObj_SetTextRenderMode(one, INVISIBLE)
    return Page(place, size, runs, _drawn(page), whole)


def _drawn(page: Any) -> texts.Image:
    image: NDArray[np.uint8] = page.render(scale=SCALE, rev_byteorder=True, force_bitmap_format=raw.FPDFBitmap_BGRx)
    return np.asarray(image.to_numpy())[:, :, :3].copy()  # type: ignore[attr-defined]


def _glyphs(one: Any, size: Box, place: str) -> Glyphs:
    """Return a text object in the page's coordinates, y downwards."""
    left, bottom, right, top = one.get_bounds()
    box = visible = _placed(one, size, [(left, bottom), (right, top), (left, top), (right, bottom)])
    holder = one
    while holder is not None:
        for clip in _clips(holder):
            visible = visible.common(_placed(holder, size, clip))
        holder = holder.container
    parts = [ctypes.c_uint() for _ in range(4)]
    raw.FPDFPageObj_GetFillColor(one, *parts)
    red, green, blue, opacity = (part.value for part in parts)
    a, b, c, d, x, y = one.get_matrix().get()
    start, above = _moved(one, [(x, y), (x + c, y + d)])
    size_pt = one.get_font_size() * math.dist(start, above)
    text = Text(
        _letters(one), box, visible.common(size), (red, green, blue, opacity / 255), size_pt, place,
        drawn=(a, b, c, d) != (1.0, 0.0, 0.0, 1.0),
    )  # fmt: skip
    upright = abs(above[1] - start[1]) > abs(above[0] - start[0])
    return Glyphs(text, one.get_font().get_weight() >= 600, round(size.bottom - start[1] if upright else start[0], 1))


def _letters(one: Any) -> str:
    try:
        return str(one.extract())
    except pdfium.PdfiumError:  # outside of the page
        return "?"


def _clips(one: Any) -> Iterator[list[tuple[float, float]]]:
    clip = raw.FPDFPageObj_GetClipPath(one)
    for path in range(max(raw.FPDFClipPath_CountPaths(clip), 0) if clip else 0):
        points = []
        for number in range(raw.FPDFClipPath_CountPathSegments(clip, path)):
            x, y = ctypes.c_float(), ctypes.c_float()
            raw.FPDFPathSegment_GetPoint(raw.FPDFClipPath_GetPathSegment(clip, path, number), x, y)
            points.append((x.value, y.value))
        if points:
            yield points


def _moved(one: Any, points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return points of an object in the coordinates of its page, out of all forms that contain it."""
    holder = one.container
    while holder is not None:
        matrix = holder.get_matrix()
        points, holder = [matrix.on_point(x, y) for x, y in points], holder.container
    return points


def _placed(one: Any, size: Box, points: list[tuple[float, float]]) -> Box:
    return box_around([(x, size.bottom - y) for x, y in _moved(one, points)])


def _runs(every: Iterator[Glyphs]) -> Iterator[Glyphs]:
    """Join the glyphs of a line that follow each other: charts draw each glyph separately."""
    kept: Glyphs | None = None
    for glyphs in every:
        if not glyphs.text.text.strip():
            continue
        if kept is not None and _follows(kept, glyphs):
            kept = _joined(kept, glyphs)
            continue
        if kept is not None:
            yield kept
        kept = glyphs
    if kept is not None:
        yield kept


def _follows(one: Glyphs, other: Glyphs) -> bool:
    a, b = one.text, other.text
    equal = one.baseline == other.baseline and a.colour == b.colour and abs(a.size_pt - b.size_pt) < 0.1
    level = max(a.box.left - b.box.right, b.box.left - a.box.right, 0)
    upright = max(a.box.top - b.box.bottom, b.box.top - a.box.bottom, 0)
    return equal and level + upright < 0.5 * a.size_pt


def _joined(one: Glyphs, other: Glyphs) -> Glyphs:
    a, b = one.text, other.text
    box, visible = _around(a.box, b.box), _around(a.visible, b.visible)
    return one._replace(text=a._replace(text=a.text + b.text, box=box, visible=visible))


def _around(a: Box, b: Box) -> Box:
    if b.width <= 0 or b.height <= 0:
        return a
    return Box(min(a.left, b.left), min(a.top, b.top), max(a.right, b.right), max(a.bottom, b.bottom))


def _breaks(page: Page) -> Iterator[tuple[str, str, str]]:
    """Yield where a paragraph continues in the next line; the first cell of the next row of a table is bold."""
    for one, other in pairwise(page.runs):
        a, b = one.text, other.text
        down = (other.baseline - one.baseline) / max(a.size_pt, 0.1)
        near = 1.0 <= down <= 1.8 and abs(a.size_pt - b.size_pt) < 0.1 and b.box.left < a.box.right
        if near and one.bold == other.bold and not a.drawn and len(a.text) > LEAST_LETTERS:
            yield page.place, a.text, b.text


def empty_pct(image: texts.Image) -> float:
    """Return the part of a page within its margins that empty squares cover, in %."""
    step, edge = int(SCALE * 2), int(MARGIN_PT / 2)
    ink: NDArray[np.bool_] = np.asarray((image < 250).any(axis=2))
    rows, columns = ink.shape[0] // step, ink.shape[1] // step
    cells = ink[: rows * step, : columns * step].reshape(rows, step, columns, step)
    free: NDArray[np.bool_] = ~np.asarray(cells.any(axis=(1, 3)))[edge:-edge, edge:-edge]
    side = min(EMPTY_PT // 2, *free.shape)
    squares = np.lib.stride_tricks.sliding_window_view(free, (side, side)).all(axis=(2, 3))
    covered = np.zeros_like(free)
    for row, column in np.argwhere(squares):
        covered[row : row + side, column : column + side] = True
    return float(100 * covered.mean())


def _line(run: Glyphs) -> tuple[float, float]:
    return run.baseline, round(run.text.size_pt, 1)


def _repeated(pages: list[Page]) -> set[tuple[float, float]]:
    """Return (baseline, size) of headers and footers: those of most pages."""
    lines = Counter(line for page in pages for line in {_line(run) for run in page.runs})
    return {line for line, count in lines.items() if count > max(1, len(pages) / 2)}


def _widows(page: Page, after: Page, footers: set[tuple[float, float]]) -> Found:
    """Yield a heading at the foot of a page; of several sentences in its size one may be the last of its page."""
    own = [run for run in page.runs if _line(run) not in footers and not run.text.drawn]
    if not own:
        return
    lowest = max(own, key=lambda run: run.baseline)
    usual = float(np.median([run.text.size_pt for run in page.runs]))
    below = int((lowest.text.box.bottom + 3) * SCALE), int((page.size.bottom - MARGIN_PT) * SCALE)
    alone = not (page.pictures[below[0] : below[1]] < 250).any()
    bold = all(run.bold for run in own if run.baseline == lowest.baseline)  # else it is the sign of an item
    following = (run for run in after.runs if _line(run) not in footers and not run.text.drawn)
    first = min(following, key=lambda run: run.baseline, default=None)
    goes_on = first is not None and first.bold and first.text.size_pt == lowest.text.size_pt
    if alone and bold and not goes_on and lowest.text.size_pt > 1.15 * usual:
        yield Defect("widow", page.place, f"“{lowest.text.text}”")
