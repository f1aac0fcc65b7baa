"""Gallery: every chart that these runs have data for, under the name of its file."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from stend import charts
from stend.charts import Picture
from stend.model.record import Run
from stend.report.html import write_page
from stend.report.parts import Item, Items, Page, Section, stem
from stend.report.parts.records import names
from stend.report.parts.sheet import sheet
from stend.words import Language


def write(runs: Sequence[tuple[Path, Run, dict[str, Any]]], lang: str, style: str, into: Path) -> list[Path]:
    """Write `gallery.html` or `gallery.ru.html`: every picture of these runs, and the names of charts without data."""
    words, pictures = Language(lang), dict[str, list[Picture]]()
    for name, (folder, run, _) in zip(names(runs), runs, strict=True):
        for test in run.plan.tests:
            for picture in charts.of(run, test, lang, sheet(folder)):
                says = f"{name}: {picture.says}" if len(runs) > 1 else picture.says
                pictures.setdefault(picture.name, []).append(picture._replace(says=says))
    missing = tuple(Item(name) for name in charts.names() if name not in pictures)
    lead = Section("missing", "", (Items(words("page.undrawn"), missing),) if missing else ())
    sections = tuple(Section(f"chart-{name}", name, tuple(drawn)) for name, drawn in sorted(pictures.items()))
    page = Page(words("page.gallery"), lang, words.date(time.time()), words, lead, sections, kind="gallery")
    return write_page(page, into / stem("gallery", lang))
