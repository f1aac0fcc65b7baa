"""Defects of HTML pages and SVG charts in Chromium: at three widths, light and dark, without a network."""

import importlib.util
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import Image

from benchmarks.pages import Box, Defect, Found, Text, charts, texts

WIDTHS = (390, 768, 1400)
SCHEMES = ("light", "dark")
PT_PER_PX = 0.75
SLICE_PX = 2000
"""Height of an image; the time for a taller one grows with the whole page."""
MOST_BLANK_PX = 400
LONG_NAME = 30
"""From this number of letters a word can be longer than a line, and may be divided."""
DRAWN_MS = 60_000
HIDDEN = """*, ::before, ::after, ::placeholder { color: transparent !important; transition: none !important }
svg text, svg tspan { fill: transparent !important; stroke: none !important }"""
PROBE = (Path(__file__).parent / "probe.js").read_text()
FRAME = """(({left, top, right, bottom}) => [left, top, right, bottom])(
  document.querySelector('svg').getBoundingClientRect())"""
PAINTED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
ALL_DRAWN = "() => !document.querySelector('figure.plot:not(.drawn)')"


class View(NamedTuple):
    """A way to look at a page."""

    width: int
    scheme: str

    @property
    def name(self) -> str:
        """Return the width in pixels and the colour scheme."""
        return f"{self.width} {self.scheme}"

    @property
    def thorough(self) -> bool:
        """Return whether colours are checked as well; they depend on the scheme, and take longer than all else."""
        return self.width == WIDTHS[0]


VIEWS = tuple(View(width, scheme) for width in WIDTHS for scheme in SCHEMES)


class Browser:
    """Chromium with what checks need of it."""

    def __init__(self, chromium: Any) -> None:
        self.chromium = chromium

    def svg(self, drawing: str) -> Found:
        """Yield the defects of an SVG drawing."""
        with self._page(View(1400, "light")) as (page, wrong):
            page.set_content(f"<!DOCTYPE html><style>body {{ margin: 0 }} svg {{ display: block }}</style>{drawing}")
            yield from wrong
            seen = page.evaluate(PROBE)
            frame = page.evaluate(FRAME)
            runs = [one._replace(visible=one.visible.common(Box(*frame))) for one in _texts(seen)]
            yield from _drawings(seen, runs)
            yield from texts.faint(runs, _image(page, frame[3]))

    def html(self, path: Path, view: View) -> Found:
        """Yield the defects of a page in one view."""
        with self._page(view) as (page, wrong):
            page.goto(path.absolute().as_uri() + "#all")
            page.evaluate("() => window.dispatchEvent(new Event('beforeprint'))")
            try:
                page.wait_for_function(ALL_DRAWN, timeout=DRAWN_MS)
            except Exception as error:  # the figures that are not drawn are listed below
                wrong.append(Defect("not drawn", "", str(error).splitlines()[0]))
            seen = page.evaluate(PROBE)
            yield from wrong
            runs = _texts(seen)
            yield from _layout(seen)
            yield from _blank(seen, runs)
            yield from _drawings(seen, runs)
            if view.thorough:
                yield from _axe(page)
                yield from texts.faint([run for run in runs if run.drawn], _image(page, seen["height"]))

    @contextmanager
    def _page(self, view: View) -> Iterator[tuple[Any, list[Defect]]]:
        size = {"width": view.width, "height": 900}
        context = self.chromium.new_context(viewport=size, color_scheme=view.scheme, bypass_csp=True, offline=True)
        page, wrong = context.new_page(), list[Defect]()
        page.on(
            "console", lambda line: wrong.append(Defect("console", "", line.text)) if line.type == "error" else None
        )
        page.on("pageerror", lambda error: wrong.append(Defect("console", "", str(error))))
        page.on("requestfailed", lambda one: wrong.append(Defect("network", "", one.url[:80])))
        try:
            yield page, wrong
        finally:
            context.close()


@contextmanager
def opened() -> Iterator[Browser]:
    """Start Chromium of this machine for the `with` block."""
    from playwright.sync_api import sync_playwright  # of the extra `pages`

    with sync_playwright() as playwright:
        program = shutil.which("chromium") or shutil.which("chromium-browser")
        chromium = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        try:
            yield Browser(chromium)
        finally:
            chromium.close()


def _texts(seen: dict[str, Any]) -> list[Text]:
    return [
        Text(
            one["text"], Box(*one["box"]), Box(*one["visible"]), tuple(one["colour"]), one["size"] * PT_PER_PX,
            one["place"], one["drawn"],
        )
        for one in seen["texts"]
    ]  # fmt: skip


def _layout(seen: dict[str, Any]) -> Found:
    if seen["wide"] > seen["width"]:
        yield Defect("wide", "", f"{seen['wide']} px in {seen['width']}: {', '.join(seen['past'])}")
    for place, element, *sizes in seen["clipped"]:
        yield Defect("clipped", place, f"{element}: {sizes[0]}x{sizes[2]} in {sizes[1]}x{sizes[3]}")
    for figure, drawn in seen["figures"]:
        if not drawn:
            yield Defect("not drawn", f"#{figure}", "a figure without its chart")


def _drawings(seen: dict[str, Any], runs: list[Text]) -> Found:
    yield from texts.of(runs)
    yield from texts.broken([(place, end, start) for place, end, start, _ in seen["breaks"]])
    for place, end, start, inside in seen["breaks"]:
        if 0 < inside < LONG_NAME and end[-1].isalnum() and start[0].isalnum():
            yield Defect("bad break", place, f"“{end[-24:]} ⏎ {start[:16]}”: inside a word")
    for chart in seen["charts"]:
        yield from charts.of(chart)


def _image(page: Any, height: float) -> texts.Image:
    """Return the whole page as an image, without its texts."""
    page.add_style_tag(content=HIDDEN)
    width, high = page.viewport_size["width"], min(SLICE_PX, max(round(height), 1))
    page.set_viewport_size({"width": width, "height": high})
    page.evaluate(PAINTED)
    image = np.full((max(round(height), high), width, 3), 255, np.uint8)
    for wanted in range(0, len(image), high):
        top = round(page.evaluate("(top) => { scrollTo({top, behavior: 'instant'}); return scrollY; }", wanted))
        page.evaluate(PAINTED)
        shot = np.asarray(Image.open(BytesIO(page.screenshot())).convert("RGB"))
        image[top : top + high] = shot[: len(image) - top, :width]
    return image


def _blank(seen: dict[str, Any], runs: list[Text]) -> Found:
    """Yield stretches of a page that show nothing over its whole width."""
    shown = sorted([(run.visible.top, run.visible.bottom) for run in runs] + [(a, b) for a, b in seen["pictures"]])
    lowest = 0.0
    for top, bottom in [*shown, (seen["height"], seen["height"])]:
        if top - lowest > MOST_BLANK_PX:
            yield Defect("blank", f"{lowest:.0f} px from the top", f"{top - lowest:.0f} px without anything")
        lowest = max(lowest, bottom)


def _axe(page: Any) -> Found:
    package = importlib.util.find_spec("axe_playwright_python")
    if package is None or not package.submodule_search_locations:
        raise ModuleNotFoundError("axe_playwright_python: install the extra `pages`")
    page.evaluate((Path(next(iter(package.submodule_search_locations))) / "axe.min.js").read_text())
    for rule in json.loads(
        page.evaluate("async () => JSON.stringify((await axe.run({exclude: ['svg.marks']})).violations)")
    ):
        for node in rule["nodes"]:
            yield Defect("axe", node["target"][0] if node["target"] else "", f"{rule['id']}: {node['html'][:80]}")
