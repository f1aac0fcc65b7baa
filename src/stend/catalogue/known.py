"""Rows of a catalogue's parts for the run folders that exist, by columns. The newest row of a folder counts."""

from collections.abc import Iterable, Sequence
from itertools import accumulate, chain
from typing import Any

from stend.catalogue import parts
from stend.catalogue.parts import Part


class Known:
    """A row for each run folder that exists and is in the catalogue, in the order of folders."""

    def __init__(self, known: Sequence[Part], there: Iterable[str]) -> None:
        self.parts = tuple(known)
        self._places = list(chain.from_iterable(part.data.places for part in known))
        last = dict(zip(self._places, range(len(self._places)), strict=True))
        self._rows = [last[place] for place in there if place in last]
        begins = accumulate((len(part.data.places) for part in known), initial=0)
        whys = {
            begin + row: why for begin, part in zip(begins, known, strict=False) for row, why in part.data.why.items()
        }
        self._sound = [row for row in self._rows if row not in whys] if whys else self._rows
        self.broken = [(self._places[row], whys[row]) for row in self._rows if row in whys]

    @property
    def places(self) -> list[str]:
        """Return the run folders."""
        return [self._places[row] for row in self._rows]

    @property
    def entries(self) -> list[int]:
        """Return the entry numbers of the rows."""
        every = list(chain.from_iterable(part.data.entries for part in self.parts))
        return [every[row] for row in self._rows]

    def column(self, name: str) -> list[Any]:
        """Return a column of About for the readable runs. Raise BadInput if the cache is damaged."""
        every = list(chain.from_iterable(parts.column(part, name) for part in self.parts))
        return [every[row] for row in self._sound]
