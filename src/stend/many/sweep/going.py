"""A sweep from its design to the last drive: what is left of it, run and written down."""

from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from stend.many.sweep import drives, folder, pool
from stend.many.sweep.design import Design, Point, read
from stend.store import writer

Hear = Callable[[int, int], None]
"""(drives done, drives in all)"""


def go(path: Path, into: Path, workers: int, hear: Hear = lambda done, of: None) -> Design:
    """Every drive of the design that is not done, in this folder; then its table, whatever ends it.

    BadInput before anything is run where the design cannot be used, or somebody else writes there.
    """
    design = read(path)
    drives.check(design)
    folder.begin(design, path, into)
    with writer.sole(into, "sweep"):
        done = {line["drive"] for line in folder.lines(into)}
        points = design.points()
        hear(len(done), len(points))
        left = [point for point in points if point.number not in done]
        try:
            _run(design, left, into, workers, lambda more: hear(len(done) + more, len(points)))
        finally:
            folder.write_table(into, design)
    return design


def _run(design: Design, left: Sequence[Point], into: Path, workers: int, hear: Callable[[int], None]) -> None:
    with closing(folder.Appending(into)) as appending:
        for count, line in enumerate(pool.run(design, left, max(min(workers, len(left)), 1)), 1):
            appending.add(line)
            hear(count)
