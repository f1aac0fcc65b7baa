"""The evaluation of a sweep: its figures, the effects of the parameters on them, and the best designs."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from stend.base.errors import BadInput
from stend.many.compare.differences import Figure
from stend.many.sweep import folder
from stend.many.sweep.design import Design
from stend.many.sweep.results import Results, collected, usual
from stend.many.sweep.sensitivity import Effects, effects
from stend.many.sweep.wish import Wish, chosen, wish
from stend.words import sentence

MOST_FIGURES = 12


class Study(NamedTuple):
    """A sweep's results, the effects on each figure of the page, the number of other figures, and the best designs."""

    results: Results
    effects: dict[Figure, Effects]
    more: int
    wish: Wish | None
    allowed: tuple[int, ...]


def wishes(
    design: Design, wanted: Sequence[str], best: str, where: Sequence[str]
) -> tuple[Sequence[str], str, Sequence[str]]:
    """Return the figures, `best` and `where` of the command line, or of the design for those that are not given."""
    own = design.written
    return wanted or own.figures, best or own.best, where or (own.where if not best else ())


def studied(into: Path, wanted: Sequence[str] = (), best: str = "", where: Sequence[str] = ()) -> Study:
    """Evaluate the sweep of a folder. The arguments override the figures, `best` and `where` of its design.

    Raise BadInput if no drive has figures.
    """
    design = folder.opened(into)
    results = collected(design, folder.lines(into))
    if not results.drives:
        why = f": {sentence(results.failed[0]['reason'])}" if results.failed else ""
        raise BadInput(f"no drive of {into} has a figure{why}; change the design and choose another folder by --into")
    wanted, best, where = wishes(design, wanted, best, where)
    figures, wished = chosen(results, wanted) or usual(results), wish(results, best, where)
    shown = {figure: _effects(results, figure) for figure in figures[:MOST_FIGURES]}
    allowed = tuple(wished.allowed(results)) if wished else ()
    return Study(results, shown, len(figures) - len(shown), wished, allowed)


def _effects(results: Results, figure: Figure) -> Effects:
    which, y = results.logs(figure)
    return effects(results.design, [results.values[i] for i in which], y)
