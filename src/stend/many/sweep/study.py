"""What a sweep says: its figures, what drives each of them, and the best designs."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from stend.base.errors import BadInput
from stend.many.compare.differences import Figure
from stend.many.sweep import folder
from stend.many.sweep.results import Results, collected, usual
from stend.many.sweep.sensitivity import Effects, effects
from stend.many.sweep.wish import Wish, chosen, wish

MOST_FIGURES = 12


class Study(NamedTuple):
    """A sweep's results, what drives each figure of the page, how many figures are not on it, and the best designs."""

    results: Results
    effects: dict[Figure, Effects]
    more: int
    wish: Wish | None
    allowed: tuple[int, ...]


def studied(into: Path, asked: Sequence[str] = (), best: str = "", where: Sequence[str] = ()) -> Study:
    """What a folder holds; what is asked for goes before what its design asks. BadInput where no drive gave figures."""
    design = folder.opened(into)
    results = collected(design, folder.lines(into))
    if not results.drives:
        why = f": {results.failed[0]['reason']}" if results.failed else ""
        raise BadInput(f"no drive of {into} gave a figure{why}")
    own = chosen(results, asked or design.written.figures) or usual(results)
    wished = wish(results, best or design.written.best, where or (design.written.where if not best else ()))
    found = {one: _effects(results, one) for one in own[:MOST_FIGURES]}
    allowed = tuple(wished.allowed(results)) if wished else ()
    return Study(results, found, len(own) - len(found), wished, allowed)


def _effects(results: Results, figure: Figure) -> Effects:
    which, y = results.logs(figure)
    return effects(results.design, [results.values[i] for i in which], y)
