"""A sweep on the screen: what is to come, how far it is, and what it says."""

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import typer

from stend.base.units import duration
from stend.cli._edge import open_stream

SHOWN = 3
STEPS = 20
"""Where lines are kept, so many tell of progress."""


def plan(path: Path, folder: Path) -> None:
    """What would be run."""
    from stend.many.sweep import design, drives
    from stend.many.sweep import folder as kept

    own = design.read(path)
    expected_s = drives.check(own)
    points = own.points()
    done = sum(1 for _ in kept.lines(folder))
    typer.echo(f"{len(points)} drives, {done} of them done in {folder}")
    typer.echo(f"each {', '.join(own.written.tests)}, about {duration(expected_s)} of its own time")
    for point in points[:SHOWN]:
        typer.echo(f"  {point.number}: {drives.target(own, point.values)}  {drives.changed(point.values)}".rstrip())
    if len(points) > SHOWN:
        typer.echo("  ...")


def go(path: Path, folder: Path, workers: int) -> None:
    """Every drive that is left, with progress."""
    from stend.many.sweep import going

    going.go(path, folder, workers, _hearing())


def told(folder: Path, asked: tuple[Sequence[str], str, Sequence[str]], forms: Sequence[str], lang: str) -> None:
    """What the sweep says, and where its pages are."""
    from stend.many.sweep import study
    from stend.many.sweep.folder import TABLE
    from stend.report.parts import swept

    whole = study.studied(folder, *asked)
    for section in swept.swept(whole, lang, drawn=False).sections:
        if section.anchor in ("summary", "best"):
            for text in section.texts:
                typer.echo(text)
            for table in section.tables:
                typer.echo(f"  {table.note}")
    typer.echo(f"Table: {folder / TABLE}")
    for path in swept.write(whole, forms, lang, folder):
        typer.echo(f"Sweep: {path}")


def _hearing() -> Callable[[int, int], None]:
    """Progress in one line of a terminal; elsewhere a line now and then."""
    began, first, said = time.monotonic(), list[int](), [-1]

    def hear(done: int, of: int) -> None:
        first.append(done)
        more = done - first[0]
        left = f", {duration((time.monotonic() - began) / more * (of - done))} to go" if more and done < of else ""
        if sys.stderr.isatty():
            end = "\n" if done == of else ""
            print(f"\r{done} of {of} drives{left}\x1b[K", end=end, file=open_stream(sys.stderr), flush=True)
        elif done * STEPS // of > said[0]:
            said[0] = done * STEPS // of
            print(f"{done} of {of} drives{left}", file=sys.stderr)

    return hear
