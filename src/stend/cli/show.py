"""`stend show`: print a run on one screen."""

from pathlib import Path
from typing import Annotated

import typer


def command(
    folder: Annotated[
        Path, typer.Argument(metavar="RUN", help="A run folder, part of the name of a run in runs/, or last.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print every result with its figures as JSON.")] = False,
) -> None:
    """Show the drive, outcome, verdicts and main figures of a run.

    Example: stend show runs/20261120-120000-sim-small-iops
    """
    from stend import catalogue, store
    from stend.cli import _summary, _table

    run = store.load(catalogue.meant(folder))
    if as_json:
        import json

        typer.echo(json.dumps(_summary.figures(run), indent=1, ensure_ascii=False))
        return
    for line in _table.folded(_summary.lines(run)):
        typer.echo(line)
