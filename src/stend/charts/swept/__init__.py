"""A sweep in pictures: a file for each kind of chart, drawn from a Study."""

from collections.abc import Iterator

from stend.charts.parts import Picture
from stend.charts.parts.theme import finished
from stend.charts.swept import choice, course, shares
from stend.sweep.study import Study
from stend.words import Language

KINDS = (shares, course, choice)


def pictures(study: Study, words: Language, stamps: list[str]) -> Iterator[Picture]:
    """Every picture that these drives can draw."""
    for kind in KINDS:
        for drawing in kind.draw(study, words):
            yield finished(kind.__name__.rpartition(".")[2], drawing, words, stamps)
