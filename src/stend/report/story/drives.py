"""The measured drives of a page."""

from collections.abc import Iterator, Sequence

from stend.charts.parts.sides import Side, several
from stend.many.sides import array
from stend.model.definition import Identity
from stend.model.record import Run
from stend.words import Language


def measured(sides: Sequence[Side]) -> Iterator[tuple[Side, Run]]:
    """Yield the drives that have a run, with the run."""
    yield from ((side, side.run) for side in sides if side.run)


def titled(title: str, side: Side, sides: Sequence[Side]) -> str:
    """Return the title of a table of one drive, with the name of the drive if the page has several runs."""
    return f"{side.name}: {title}" if several(sides) else title


def about_drive(drive: Identity, size: str, words: Language) -> str:
    """Return the interface, the layout of an array, the size and the firmware of a drive."""
    firmware = words("what.firmware", name=drive.firmware) if drive.firmware else ""
    layout = words.translated(array(drive.facts))
    return ", ".join(filter(None, (words.interface(drive.interface), layout, size, firmware)))
