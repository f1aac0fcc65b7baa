"""The verdict and the key figures of page one, for screens that show a run in a few lines."""

from pathlib import Path
from typing import NamedTuple

from stend import findings
from stend.findings import judgement
from stend.model.record import Run
from stend.report.parts.sheet import sheet
from stend.report.story import telling
from stend.report.story.page_one import Review, keys
from stend.words import Language


class Headline(NamedTuple):
    """A verdict, and (name, value with its unit) of each key figure."""

    verdict: str
    figures: tuple[tuple[str, str], ...]


def headline(folder: Path, run: Run, lang: str = "en") -> Headline:
    """Return the verdict and the key figures of a run, as its report has them."""
    words, facts = Language(lang), sheet(folder)
    conclusions = tuple(findings.find(run, facts))
    judged = judgement.concluded(run, facts, conclusions)
    review = Review(run, judged.figures, judged, conclusions, judgement.kind(run), words)
    return Headline(telling.headline(review), tuple((key.name, key.value) for key in keys(review)))
