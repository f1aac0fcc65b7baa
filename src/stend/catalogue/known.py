"""What the parts of a catalogue know of the run folders that are there, by columns; their last word counts."""

from collections.abc import Iterable, Sequence
from itertools import accumulate, chain
from typing import Any

from stend.catalogue import parts
from stend.catalogue.parts import Part


class Known:
    """A row for each run folder that is there and known, in their order."""

    def __init__(self, known: Sequence[Part], there: Iterable[str]) -> None:
        self.parts = tuple(known)
        self._places = list(chain.from_iterable(part.word.places for part in known))
        last = dict(zip(self._places, range(len(self._places)), strict=True))
        self._rows = [last[place] for place in there if place in last]
        begins = accumulate((len(part.word.places) for part in known), initial=0)
        whys = {
            begin + row: why for begin, part in zip(begins, known, strict=False) for row, why in part.word.why.items()
        }
        self._sound = [row for row in self._rows if row not in whys] if whys else self._rows
        self.broken = [(self._places[row], whys[row]) for row in self._rows if row in whys]

    @property
    def places(self) -> list[str]:
        """Which run folders these are."""
        return [self._places[row] for row in self._rows]

    @property
    def entries(self) -> list[int]:
        """Their numbers in the tables."""
        every = list(chain.from_iterable(part.word.entries for part in self.parts))
        return [every[row] for row in self._rows]

    def column(self, name: str) -> list[Any]:
        """A column of About, of those that can be read. BadInput of a cache that something damaged."""
        every = list(chain.from_iterable(parts.column(part, name) for part in self.parts))
        return [every[row] for row in self._sound]
