"""Two sides of a comparison on one chart: one file per kind of chart, drawn from a Comparison."""

from collections.abc import Callable, Iterator

from stend.charts.overlay import courses, intervals, ratio_map, rested, sweeps, tails
from stend.charts.parts import Picture, theme
from stend.many.compare import Comparison
from stend.words import Language

KINDS = (intervals, ratio_map, sweeps, courses, rested, tails)


def pictures(whole: Comparison, words: Language, stamps: Callable[[str], list[str]]) -> Iterator[Picture]:
    """Yield every picture that these sides have data for, with the stamps of its test, or of all tests ("")."""
    for kind in KINDS:
        for drawing in kind.draw(whole, words):
            yield from theme.pictures(kind.__name__.rpartition(".")[2], [drawing], words, stamps(drawing.test))
