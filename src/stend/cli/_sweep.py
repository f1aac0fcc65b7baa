"""`stend sweep` on the terminal: its plan, its progress and its results."""

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import typer

from stend.base.units import duration
from stend.cli._edge import rewrite

SHOWN = 3
STEPS = 20
"""Progress lines per sweep where standard error is not a terminal."""


Wishes = tuple[Sequence[str], str, Sequence[str]]
"""The figures, `--best` and `--require`."""


def check(path: Path, wishes: Wishes) -> None:
    """Raise BadInput before any drive runs if the design or the wishes are invalid."""
    from stend.many.sweep import design, study, wish

    written = design.read(path)
    wish.check(written, *study.wishes(written, *wishes))


def plan(path: Path, folder: Path) -> None:
    """Print how many drives would run, for how long, and the first of them."""
    from stend.many.sweep import design, drives
    from stend.many.sweep import folder as kept

    written = design.read(path)
    expected_s = drives.check(written)
    points = written.points()
    done = sum(1 for _ in kept.lines(folder))
    typer.echo(f"{len(points)} drives, {done} of them done in {folder}")
    typer.echo(f"each {', '.join(written.written.tests)}, about {duration(expected_s)} of virtual time")
    for point in points[:SHOWN]:
        typer.echo(f"  {point.number}: {drives.target(written, point.values)}  {drives.changed(point.values)}".rstrip())
    if len(points) > SHOWN:
        typer.echo("  ...")


def go(path: Path, folder: Path, workers: int, best: str) -> None:
    """Run every drive that is not done and show the progress."""
    from stend.many.sweep import going

    going.go(path, folder, workers, _progress(), best)


def finish(folder: Path, wishes: Wishes, forms: Sequence[str], lang: str) -> None:
    """Print the results of a sweep and write its pages."""
    from stend.many.sweep import study
    from stend.many.sweep.folder import TABLE
    from stend.report.parts import swept

    whole = study.studied(folder, *wishes)
    for section in swept.swept(whole, lang, drawn=False).every:
        if section.anchor in ("summary", "best"):
            for text in (*section.stamps, *section.texts):
                typer.echo(text)
            for table in section.tables:
                typer.echo(f"  {table.note}")
    typer.echo(f"Table: {folder / TABLE}")
    for path in swept.write(whole, forms, lang, folder):
        typer.echo(f"Sweep: {path}")


def _progress() -> Callable[[int, int], None]:
    """Return a function that shows progress: one moving line on a terminal, STEPS lines elsewhere."""
    began, first, printed = time.monotonic(), list[int](), [-1]

    def show(done: int, of: int) -> None:
        first.append(done)
        more = done - first[0]
        left = f", {duration((time.monotonic() - began) / more * (of - done))} remaining" if more and done < of else ""
        if sys.stderr.isatty():
            rewrite(f"{done} of {of} drives{left}", ends=done == of)
        elif done * STEPS // of > printed[0]:
            printed[0] = done * STEPS // of
            print(f"{done} of {of} drives{left}", file=sys.stderr)

    return show
