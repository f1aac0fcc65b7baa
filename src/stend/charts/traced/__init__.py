"""A trace in pictures: a file for each kind of chart, drawn from a Described."""

from collections.abc import Iterator

from stend.charts.parts import Picture
from stend.charts.parts.theme import finished
from stend.charts.traced import depth, heat, response, shares, stream_map
from stend.trace.described import Described
from stend.words import Language

KINDS = (shares, stream_map, depth, response, heat)


def pictures(trace: Described, words: Language) -> Iterator[Picture]:
    """Every picture that this trace can draw."""
    stamps = [] if trace.about.timed else [words("traced.untimed")]
    for kind in KINDS:
        for drawing in kind.draw(trace, words):
            yield finished(kind.__name__.rpartition(".")[2], drawing, words, stamps)
