"""The verdict, answers and key figures of a report, for screens that show a run in a few lines."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from stend.findings import look
from stend.model.record import Run
from stend.report.parts.sheet import sheet
from stend.report.story import telling
from stend.report.story.page_one import Review, after, keys
from stend.words import Language


class Headline(NamedTuple):
    """A verdict, the answer of each test after its title, and (name, value with its unit) of each key figure.

    An answer that is the verdict is left out.
    """

    verdict: str
    answers: tuple[str, ...]
    figures: tuple[tuple[str, str], ...]


def headline(folder: Path, run: Run, lang: str = "en") -> Headline:
    """Return the verdict, the answers and the key figures of a run, as its report has them."""
    review = telling.reviewed(run, sheet(folder), Language(lang))
    verdict = telling.headline(review)
    answers = tuple(_answers(review, verdict))
    return Headline(verdict, answers, tuple((key.name, key.value) for key in keys(review)))


def _answers(review: Review, verdict: str) -> Iterator[str]:
    for test in look.tests(review.run):
        answer = telling.first_answer(review, test)
        if answer and answer not in verdict:
            yield after(review.words.title(test.name, test.title), answer)
