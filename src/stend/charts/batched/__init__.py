"""Charts of a batch: one file per kind of chart, drawn from a Batch."""

from collections.abc import Iterator

from stend.charts.batched import operating, strips
from stend.charts.parts import Picture, theme
from stend.many.batch.verdict import Batch
from stend.words import Language

KINDS = (strips, operating)


def pictures(batch: Batch, words: Language, stamps: list[str]) -> Iterator[Picture]:
    """Yield every picture that this batch has data for."""
    for kind in KINDS:
        yield from theme.pictures(kind.__name__.rpartition(".")[2], kind.draw(batch, words), words, stamps)
