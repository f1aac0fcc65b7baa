"""The verdict and the key figures of page one, for screens that show a run in a few lines."""

from pathlib import Path
from typing import NamedTuple

from stend.model.record import Run
from stend.report.parts.sheet import sheet
from stend.report.story import telling
from stend.report.story.page_one import keys
from stend.words import Language


class Headline(NamedTuple):
    """A verdict, and (name, value with its unit) of each key figure."""

    verdict: str
    figures: tuple[tuple[str, str], ...]


def headline(folder: Path, run: Run, lang: str = "en") -> Headline:
    """Return the verdict and the key figures of a run, as its report has them."""
    review = telling.reviewed(run, sheet(folder), Language(lang))
    return Headline(telling.headline(review), tuple((key.name, key.value) for key in keys(review)))
