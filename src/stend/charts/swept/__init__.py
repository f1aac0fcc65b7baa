"""Charts of a sweep: one file per kind of chart, drawn from a Study."""

from collections.abc import Iterator

from stend.charts.parts import Picture, theme
from stend.charts.swept import choice, course, shares
from stend.many.sweep.study import Study
from stend.words import Language

KINDS = (shares, course, choice)


def pictures(study: Study, words: Language, stamps: list[str]) -> Iterator[Picture]:
    """Yield every picture that these drives have data for."""
    for kind in KINDS:
        yield from theme.pictures(kind.__name__.rpartition(".")[2], kind.draw(study, words), words, stamps)
