"""A drive next to others on the same axes: runs as lines and dots, published figures in grey.

Each mark is one recorded figure of one workload in one state. Nothing is added up or stacked.
"""

from collections.abc import Callable, Iterator, Sequence

from stend.charts.beside import courses, heated, ladders, levels, pauses, peaks, powers, rested, traced, waits
from stend.charts.parts import Drawing, Picture, theme
from stend.charts.parts.sides import Side
from stend.words import Language

__all__ = ["KINDS", "Side", "picture"]
KINDS: dict[str, Callable[[Sequence[Side], Language], Iterator[Drawing]]] = {
    name: draw
    for file in (levels, courses, pauses, peaks, ladders, waits, traced, powers, rested, heated)
    for name, draw in file.KINDS.items()
}


def picture(name: str, sides: Sequence[Side], words: Language, stamps: Sequence[str]) -> Iterator[Picture]:
    """Yield the charts of this name that these drives have data for; none of published figures alone."""
    published = {side.name for side in sides if not side.run}
    for drawing in KINDS[name](sides, words):
        known = [row for rows in drawing.rows.values() for row in rows if "drive" in row]
        grey = [row for row in known if row["drive"] in published]
        if grey and grey == known and len(published) < len(sides):
            continue
        says = [drawing.says, *([words("beside.published_says")] if grey else [])]
        spans = [row["from"] < row["to"] for row in grey if "from" in row]
        says += [words(f"beside.published_{'range' if wide else 'tick'}") for wide in sorted(set(spans), reverse=True)]
        yield from theme.pictures(name, [drawing._replace(says=" ".join(says))], words, stamps)
