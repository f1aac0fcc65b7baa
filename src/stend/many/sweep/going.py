"""Run a sweep: all drives of a design that are not done yet, each saved when it has ended."""

from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

from stend.many.sweep import drives, folder, pool, wish
from stend.many.sweep.design import Design, Point, read
from stend.store import writer

Progress = Callable[[int, int], None]
"""(drives done, drives in all)"""


def go(path: Path, into: Path, workers: int, show: Progress = lambda done, of: None, best: str = "") -> Design:
    """Run every drive of a design that is not done in this folder, then write the table, also after an error.

    Raise BadInput before any run if the design is invalid or another process writes into the folder, and after the
    first drive with figures if `best`, or that of the design, matches several of them.
    """
    design = read(path)
    drives.check(design)
    folder.begin(design, path, into)
    with writer.sole(into, "sweep"):
        kept, best = list(folder.lines(into)), best or design.written.best
        wish.check_best(design, kept, best)
        done = {line["drive"] for line in kept}
        points = design.points()
        show(len(done), len(points))
        left = [point for point in points if point.number not in done]
        try:
            _run(design, left, into, workers, lambda more: show(len(done) + more, len(points)), best)
        finally:
            folder.write_table(into, design)
    return design


def _run(
    design: Design, left: Sequence[Point], into: Path, workers: int, show: Callable[[int], None], best: str = ""
) -> None:
    with closing(folder.Appending(into)) as appending:
        for count, line in enumerate(pool.run(design, left, max(min(workers, len(left)), 1)), 1):
            appending.add(line)
            show(count)
            wish.check_best(design, [line], best)
