"""stend whose live view stays at its first picture of each round until the test has seen it, however late it looks.

A round that is over within a quarter of a second, in which the view is drawn once, is drawn too.
"""

import math
import os
import sys
from pathlib import Path

from stend.cli import _screen, main
from stend.model.events import Sample
from tests.waits import wait_for

SEEN = "seen round {}"
"""A file in the working directory by which the test lets a round go on."""


def held(view: "type[_screen.Screen]") -> None:
    """Make this view wait; a process of its own does it to its own copy."""
    picture, refresh, seen, parent = view.picture, view._refresh, set[int](), os.getppid()

    def waiting(screen: _screen.Screen, state: str = "") -> None:
        picture(screen, state)
        at = screen.course.at
        if at and at.phase == "rounds" and at.round not in seen:
            seen.add(at.round)
            wait_for(lambda: Path(SEEN.format(at.round)).exists() or os.getppid() != parent)

    def refreshing(screen: _screen.Screen, sample: Sample) -> None:
        at = screen.course.at
        screen.shown = -math.inf if at and at.round not in seen else screen.shown
        refresh(screen, sample)

    view.picture, view._refresh = waiting, refreshing  # type: ignore[assignment, method-assign]


if __name__ == "__main__":
    held(_screen.Screen)
    sys.exit(main(sys.argv[1:]))
