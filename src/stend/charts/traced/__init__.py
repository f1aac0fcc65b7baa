"""Charts of a trace: one file per kind of chart, drawn from a Described."""

from collections.abc import Iterator

from stend.charts.parts import Picture, theme
from stend.charts.traced import depth, heat, response, shares, stream_map
from stend.trace.described import Described
from stend.words import Language

KINDS = (shares, stream_map, depth, response, heat)


def pictures(trace: Described, words: Language) -> Iterator[Picture]:
    """Yield every picture that this trace has data for."""
    stamps = [] if trace.about.timed else [words("traced.untimed")]
    for kind in KINDS:
        yield from theme.pictures(kind.__name__.rpartition(".")[2], kind.draw(trace, words), words, stamps)
